// Options that every exact search must respect.
#pragma once

#include <cstdint>

namespace treeproof {

// What the penalty is charged for. `leaves`: every leaf but one, so that a split with c non-empty
// children costs c - 1 penalties. `splits`: every split once, as in the publication of BRANCHES.
enum class Penalize : std::uint8_t { splits, leaves };

struct TreeLimits {
  double split_penalty = 0.0;  // cost of a two-way split as a fraction of the total weight
  int max_depth = -1;          // -1: none
  int max_splits = -1;         // -1: none
  std::int64_t min_samples_leaf = 1;
  Penalize penalize = Penalize::splits;
  bool list = false;  // at every split, at least one child is a leaf (a rule list)
};

}  // namespace treeproof
