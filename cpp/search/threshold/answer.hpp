// The result of solving one subproblem.
#pragma once

#include <cstdint>

#include "tree/split_tree.hpp"

namespace treeproof::threshold {

// `lower` is a lower bound on the optimal cost of the subproblem. `found` says that a tree cheaper
// than the cut-off was found; `upper` is then its cost. A solve that was not stopped ends with
// lower == upper (found), or with `lower` at or above the cut-off.
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
