// The rounding bound.
//
// Lemma. A tree costs L * k + e with k splits and e a whole number of weight units, e >= the
// errors `forced` by equivalent points. If it also costs at least b and has k >= k_min
// splits, its cost is at least min over k >= k_min of L * k + max(forced, ceil(b - L * k)),
// the ceiling taken in weight units.
#pragma once

#include <algorithm>

#include "core/cost.hpp"

namespace treeproof::bounds {

inline Cost round_up_to_unit(Cost cost) {
  return cost <= 0 ? 0 : (cost + kUnitCost - 1) >> kCostBits << kCostBits;
}

inline Cost rounding(Cost penalty, Cost forced, Cost b, int k_min) {
  if (penalty <= 0) return std::max(b, round_up_to_unit(b));
  Cost least = kInfiniteCost;
  constexpr int kMaxTerms = 32;
  int k = k_min;
  for (; k < k_min + kMaxTerms; ++k) {
    const Cost splits = penalty * k;
    if (splits + forced >= least) return least;
    least = std::min(least, splits + std::max(forced, round_up_to_unit(b - splits)));
  }
  // More splits than looked at: b itself and their own price still hold.
  return std::min(least, std::max(b, penalty * k + forced));
}

}  // namespace treeproof::bounds
