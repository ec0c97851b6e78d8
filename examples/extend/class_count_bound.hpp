// An example of a new bound: a tree with few leaves cannot predict many classes.
//
// Lemma. A binary tree with k splits has k + 1 leaves, and each leaf predicts one class. All rows
// of a class that no leaf predicts are misclassified. So a tree with k splits misclassifies at
// least the rows of all classes but the k + 1 heaviest, and every tree costs at least the minimum
// over k of (penalty * k + the weight of these rows).
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
  std::int64_t lost = std::accumulate(class_weights.begin(), class_weights.end(), std::int64_t{0});
  Cost best = kInfiniteCost;
  for (std::size_t k = 0; k < class_weights.size(); ++k) {
    lost -= class_weights[k];  // k splits: the k + 1 heaviest classes get a leaf each
    best = std::min(best, penalty * static_cast<Cost>(k) + cost_of(lost));
  }
  return best == kInfiniteCost ? 0 : best;
}

}  // namespace treeproof::bounds
