// Exact cost arithmetic.
//
// Row weights are whole numbers of *weight units* (a plain row is one unit; real-valued
// weights are rounded once, when the table is read). Costs are 64-bit integers counting
// 2^-20 of a unit, so that a split penalty that is no whole number of rows is rounded
// once, at the start, and every comparison after that is exact. "Optimal" means
// lower == upper in these integers; no tolerance exists anywhere in the classifiers.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace treeproof {

using Weight = std::int32_t;
using Cost = std::int64_t;

inline constexpr int kCostBits = 20;
inline constexpr Cost kUnitCost = Cost{1} << kCostBits;
inline constexpr Cost kInfiniteCost = std::numeric_limits<Cost>::max() / 4;
// The total weight of a table stays below this, so that total * kUnitCost fits.
inline constexpr std::int64_t kMaxTotalWeight = std::int64_t{1} << 30;

constexpr Cost cost_of(std::int64_t weight) { return weight << kCostBits; }

// The cost of a two-way split for a penalty given as a fraction of the total weight.
inline Cost split_cost(double penalty, std::int64_t total_weight) {
  return std::llround(penalty * static_cast<double>(total_weight) * static_cast<double>(kUnitCost));
}

// The cost of a split, given the number of its children that contain rows. If the penalty is
// charged for leaves, each child after the second costs a further penalty; if it is charged for
// splits, it costs nothing.
template <class Value>
struct SplitPrice {
  Value two_way{};
  Value further_child{};

  // A split with so large a cost is never better than a leaf. Larger values are clamped to this
  // one, so that sums do not overflow.
  static constexpr Cost kDearest = Cost{1} << 55;

  constexpr SplitPrice() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a cost is the price of any split.
  constexpr SplitPrice(Value of_any_split) : two_way(of_any_split) {}
  constexpr SplitPrice(Value of_two, Value of_further)
      : two_way(of_two), further_child(of_further) {}

  constexpr Value operator()(std::int64_t n_children) const {
    if (n_children <= 2 || !(further_child > Value{})) return two_way;
    const std::int64_t further = n_children - 2;
    if constexpr (std::integral<Value>)
      if (further > kDearest / further_child) return two_way + kDearest;
    return two_way + static_cast<Value>(further) * further_child;
  }
};

}  // namespace treeproof
