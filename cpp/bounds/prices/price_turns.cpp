#include "bounds/prices/price_turns.hpp"

#include <algorithm>
#include <utility>

namespace treeproof::prices {
namespace {

constexpr std::int64_t kStepsPerMicrosecond = 400;
constexpr std::int64_t kYoung = 400'000;          // microseconds
constexpr std::int64_t kLookAround = 1'000'000;   // enough to see what prices promise
constexpr double kSmallShare = 0.05;

}  // namespace

void PriceTurns::begin() {
  points_ = make_points_();
  finished_ = !points_ || split_cost_ <= 0 || !are_priceable(*points_);
  if (!finished_) maker_ = std::make_unique<PriceMaker>(*points_, split_cost_, most_bytes_);
}

std::int64_t PriceTurns::allowance(std::int64_t searched, Cost lower, Cost upper) const {
  const std::int64_t spent = maker_->work() / kStepsPerMicrosecond;
  const bool far = lower < upper - upper / 4;
  const bool looking = far && spent < kLookAround;
  const bool promising = maker_->hoped() > static_cast<double>(lower);
  const double share = looking || promising ? 1.0 : kSmallShare;
  return static_cast<std::int64_t>(share * static_cast<double>(searched)) - spent;
}

void PriceTurns::run(std::int64_t searched, Cost lower, Cost upper, Limits& limits) {
  if (finished_ || lower >= upper || searched < kYoung) return;
  if (maker_ == nullptr) begin();
  if (finished_) return;
  const std::int64_t work = allowance(searched, lower, upper);
  if (work <= 0) return;
  finished_ = !maker_->run(work * kStepsPerMicrosecond, limits);
  const std::shared_ptr<const Prices> best = maker_->best();
  if (best->total <= posted_) return;
  posted_ = best->total;
  board_.post(row_prices(*points_, *best, weights_, split_cost_));
}

}  // namespace treeproof::prices
