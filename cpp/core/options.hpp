// What every exact search is asked to respect.
#pragma once

#include <cstdint>

namespace treeproof {

struct TreeLimits {
  double split_penalty = 0.0;  // cost of one split as a fraction of the total weight
  int max_depth = -1;          // -1: none
  int max_splits = -1;         // -1: none
  std::int64_t min_samples_leaf = 1;
};

}  // namespace treeproof
