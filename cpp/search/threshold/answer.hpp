// What solving one subproblem says.
#pragma once

#include <cstdint>

#include "tree/split_tree.hpp"

namespace treeproof::threshold {

// `lower` bounds the optimal cost of the subproblem. `found` says that a tree cheaper than the
// cut-off was met; then `upper` is its cost. A solve that was not stopped ends with either
// lower == upper (found) or lower at or above the cut-off.
template <class Value>
struct Answer {
  Value lower{};
  Value upper{};
  bool found = false;
  SplitTree tree;
};

// Lower bounds on the optimal cost left and right of a cut.
template <class Value>
struct CutBounds {
  std::uint32_t position;
  Value left;
  Value right;
};

}  // namespace treeproof::threshold
