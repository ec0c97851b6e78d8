// A bound of one's own, as small as they come.
//
// Lemma. A binary tree with k splits has k + 1 leaves, and each predicts one class. Rows of
// classes that no leaf predicts are lost. Whatever the tree, at least the lightest classes
// beyond the first k + 1 are: cost >= min over k of (penalty * k + their weight).
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "core/cost.hpp"

namespace treeproof::bounds {

// The least cost of any tree on rows whose classes have these weights.
inline Cost class_count_bound(std::vector<std::int64_t> class_weights, Cost penalty) {
  std::ranges::sort(class_weights, std::greater<>());
  std::int64_t lost = std::accumulate(class_weights.begin(), class_weights.end(),
                                      std::int64_t{0});
  Cost best = kInfiniteCost;
  for (std::size_t k = 0; k < class_weights.size(); ++k) {
    lost -= class_weights[k];  // k splits: the k + 1 heaviest classes get a leaf each
    best = std::min(best, penalty * static_cast<Cost>(k) + cost_of(lost));
  }
  return best == kInfiniteCost ? 0 : best;
}

}  // namespace treeproof::bounds
