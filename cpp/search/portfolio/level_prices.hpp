// Prices for the levels of depth: the leaves of a tree of few levels have few conditions, so its
// prices may be higher than those for trees of any depth (bounds/prices/shallow_pricing.hpp).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "bounds/prices/price_board.hpp"
#include "bounds/prices/price_maker.hpp"
#include "bounds/prices/shallow_pricing.hpp"
#include "bounds/rounding.hpp"
#include "core/limits.hpp"
#include "search/exchange.hpp"
#include "search/portfolio/policy.hpp"
#include "search/portfolio/price_engine.hpp"
#include "search/result.hpp"

namespace treeproof::portfolio {

class LevelPrices {
 public:
  // Shallower levels are proved without prices, deeper ones take too long to price.
  static constexpr int kFirstLevel = kFlat + 1;
  static constexpr int kLastLevel = 6;

  explicit LevelPrices(const PriceEngine& any_depth) : any_depth_(any_depth) {}

  bool are_worthwhile() const {
    return prices::Literals::are_few(any_depth_.features(),
                                     static_cast<std::int64_t>(any_depth_.weights().size()));
  }

  // The best prices for trees of at most `level` levels.
  const prices::PriceBoard& board(int level) {
    if (level < kFirstLevel || level > kLastLevel) return any_depth_.board();
    return own_board(level);
  }

  // After the engine has run: the best prices of each level.
  std::map<int, std::shared_ptr<const prices::Prices>> best() const {
    const std::scoped_lock guard(mutex_);
    return best_;
  }

  Statistics run(int level, Limits& limits, Exchange<Cost>& exchange) {
    constexpr std::int64_t kSlice = 2'000'000;
    std::optional<prices::Points> points = any_depth_.make_points();
    if (!points) return {};
    prices::PriceMaker maker(*points, any_depth_.cost_per_leaf(),
                             std::make_unique<prices::ShallowPricer>(*points, level));
    prices::PriceBoard& board = own_board(level);
    Cost posted = 0;
    bool more = true;
    while (more && !limits.stop()) {
      more = maker.run(kSlice, limits);
      const std::shared_ptr<const prices::Prices> best = maker.best();
      if (best->total <= posted) continue;
      posted = best->total;
      keep(level, best);
      // Every cost is a number of splits plus a whole number of errors.
      exchange.proved(bounds::rounding(any_depth_.split_cost(), 0, maker.bound(), 0));
      board.post(
          prices::row_prices(*points, *best, any_depth_.weights(), any_depth_.cost_per_leaf()));
    }
    return {{"price_nodes", maker.n_nodes()}, {"price_certificates", maker.n_certified()}};
  }

 private:
  prices::PriceBoard& own_board(int level) {
    const std::scoped_lock guard(mutex_);
    std::unique_ptr<prices::PriceBoard>& own = boards_[level];
    if (own == nullptr) own = std::make_unique<prices::PriceBoard>(&any_depth_.board());
    return *own;
  }

  void keep(int level, std::shared_ptr<const prices::Prices> best) {
    const std::scoped_lock guard(mutex_);
    best_[level] = std::move(best);
  }

  const PriceEngine& any_depth_;
  mutable std::mutex mutex_;
  std::map<int, std::unique_ptr<prices::PriceBoard>> boards_;
  std::map<int, std::shared_ptr<const prices::Prices>> best_;
};

}  // namespace treeproof::portfolio
