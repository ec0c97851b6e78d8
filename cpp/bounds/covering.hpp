// The covering bound.
//
// Lemma. A tree whose leaves number k_c for each predicted class c costs
//   L * (leaves - 1) + sum_c (weight of class c outside those leaves).
// If every leaf lies in a literal that holds at most G_c of class c, its k_c leaves hold at
// most k_c * G_c of it, so cost >= -L + sum_c min_k (L * k + max(0, n_c - k * G_c)).
// The literals to look at are those of the tree's root split, which must be admissible.
// With multiway splits of at most a children, leaves <= 1 + splits * (a - 1), and the same
// holds with L / (a - 1) in place of L.
#pragma once

#include <algorithm>

#include "core/cost.hpp"

namespace treeproof::bounds {

// min over k >= 0 of penalty * k + max(0, n - k * g), in costs. The slope changes sign at
// most once, where k * g reaches n, so only k = 0 and the two whole numbers next to n / g
// can be the least. Division in double is exact enough: n, g < 2^31.
inline Cost covering_term(Cost penalty, std::int64_t n, std::int64_t g) {
  if (cost_of(g) <= penalty) return cost_of(n);
  const auto k = static_cast<std::int64_t>(static_cast<double>(n) / static_cast<double>(g));
  return std::min(penalty * k + cost_of(n - k * g), penalty * (k + 1));
}

}  // namespace treeproof::bounds
