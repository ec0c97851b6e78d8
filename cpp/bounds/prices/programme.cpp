#include "bounds/prices/programme.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"
#include "core/split_mix.hpp"

namespace treeproof::prices {
namespace {

constexpr double kStepRatio = 3.0;  // of the dual steps to the primal ones, by experiment
constexpr double kNearlyTight = 0.8;

}  // namespace

Programme::Programme(const Points& points, double split) : points_(points), split_(split) {
  share_.assign(index(points.size()), 0.2);
  std::vector<std::int32_t> all(index(points.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  add(all);
}

bool Programme::add(std::span<const std::int32_t> inside) {
  std::uint64_t hash = 0;
  for (const std::int32_t i : inside) hash += split_mix(static_cast<std::uint64_t>(i));
  if (!known_.insert(hash).second) return false;
  std::int64_t weight = 0;
  std::int64_t most = 0;
  for (std::int32_t k = 0; k < points_.n_classes; ++k) {
    std::int64_t errors = 0;
    std::int64_t all = 0;
    for (const std::int32_t i : inside) {
      errors += points_.errors(k, i);
      all += points_.weight[index(i)];
    }
    weight = all;
    most = std::max(most, all - errors);
  }
  boxes_.push_back({{inside.begin(), inside.end()},
                    static_cast<double>(weight - most) + split_,
                    static_cast<double>(weight),
                    0.0,
                    hash});
  return true;
}

// The points that a box of the larger table shares with this one are a box of this one.
void Programme::start_from(const Programme& larger, std::span<const std::int32_t> members) {
  std::vector<std::int32_t> place(larger.share_.size(), -1);
  for (std::size_t t = 0; t < members.size(); ++t) {
    place[index(members[t])] = static_cast<std::int32_t>(t);
    share_[t] = larger.share_[index(members[t])];
  }
  std::vector<std::int32_t> inside;
  for (const StoredBox& box : larger.boxes_) {
    if (box.multiplier <= 0.0) continue;
    inside.clear();
    for (const std::int32_t i : box.inside)
      if (place[index(i)] >= 0) inside.push_back(place[index(i)]);
    if (!inside.empty() && add(inside)) boxes_.back().multiplier = box.multiplier;
  }
}

double Programme::price_of(const StoredBox& box) const {
  double sum = 0.0;
  for (const std::int32_t i : box.inside) sum += price_[index(i)];
  return sum;
}

void Programme::set_prices() {
  price_.resize(share_.size());
  for (std::size_t i = 0; i < share_.size(); ++i)
    price_[i] = share_[i] * static_cast<double>(points_.weight[i]);
}

double Programme::heaviest() {
  set_prices();
  double most = 0.0;
  for (const StoredBox& box : boxes_)
    most = std::max(most, (price_of(box) - box.limit) / split_ + 1.0);
  return most;
}

void Programme::solve(int steps, const std::function<bool(std::int64_t work)>& stop) {
  const std::size_t n = share_.size();
  set_prices();
  // Boxes whose constraints are far from tight cannot matter in this call and are left out of it.
  std::vector<StoredBox*> active;
  for (StoredBox& box : boxes_)
    if (box.multiplier > 0.0 || price_of(box) >= kNearlyTight * box.limit) active.push_back(&box);
  uses_.assign(n, 0);
  slope_.assign(n, 1.0);
  for (const StoredBox* box : active)
    for (const std::int32_t i : box->inside) {
      ++uses_[index(i)];
      slope_[index(i)] -= box->multiplier;
    }
  sum_.assign(n, 0.0);
  std::vector<double> average(active.size(), 0.0);
  int done = 0;
  while (done < steps) {
    ++done;
    std::int64_t work = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double before = share_[i];
      const double next = std::clamp(
          before + slope_[i] / (kStepRatio * static_cast<double>(std::max(1, uses_[i]))), 0.0, 1.0);
      share_[i] = next;
      sum_[i] += next;
      price_[i] = (2.0 * next - before) * static_cast<double>(points_.weight[i]);
    }
    std::fill(slope_.begin(), slope_.end(), 1.0);
    for (std::size_t b = 0; b < active.size(); ++b) {
      StoredBox& box = *active[b];
      box.multiplier =
          std::max(0.0, box.multiplier + kStepRatio / box.weight * (price_of(box) - box.limit));
      average[b] += box.multiplier;
      work += static_cast<std::int64_t>(box.inside.size());
      if (box.multiplier == 0.0) continue;
      for (const std::int32_t i : box.inside) slope_[index(i)] -= box.multiplier;
    }
    if (stop(work)) break;
  }
  for (std::size_t i = 0; i < n; ++i) share_[i] = sum_[i] / done;
  for (std::size_t b = 0; b < active.size(); ++b) active[b]->multiplier = average[b] / done;
  tight_.clear();
  for (std::size_t b = 0; b < boxes_.size(); ++b)
    if (boxes_[b].multiplier > 0.0) tight_.push_back(b);
}

std::span<const std::int32_t> Programme::tight_box(std::uint64_t number) const {
  if (tight_.empty()) return {};
  return boxes_[tight_[number % tight_.size()]].inside;
}

std::span<const std::int32_t> Programme::recent_box(std::uint64_t number) const {
  constexpr std::size_t kRecent = 50;
  const std::size_t n = std::min(kRecent, boxes_.size());
  return boxes_[boxes_.size() - 1 - number % n].inside;
}

void Programme::trim(std::size_t most) {
  if (boxes_.size() <= most) return;
  set_prices();
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    const bool used = boxes_[b].multiplier > 1e-6;
    order.emplace_back(
        used ? -boxes_[b].multiplier - 1e9 : (boxes_[b].limit - price_of(boxes_[b])) / split_, b);
  }
  std::ranges::sort(order);
  tight_.clear();
  std::vector<StoredBox> kept;
  for (std::size_t t = 0; t < order.size(); ++t) {
    if (t < most) kept.push_back(std::move(boxes_[order[t].second]));
    else known_.erase(boxes_[order[t].second].hash);
  }
  boxes_ = std::move(kept);
}

}  // namespace treeproof::prices
