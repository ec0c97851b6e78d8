// The result of solving one subproblem.
#pragma once

#include <cstdint>

#include "tree/split_tree.hpp"

namespace treeproof::threshold {

// The root of the best tree found so far; feature -1 for a leaf.
struct BestRoot {
  bool found = false;
  std::int32_t feature = -1;
  TestKind kind = TestKind::threshold;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool left_splits = true;
  bool right_splits = true;
  std::int32_t left_says = -1, right_says = -1;  // the class that a leaf must predict; -1: any
};

// `lower` is a lower bound on the optimal cost of the subproblem. `found` says that a tree cheaper
// than the cut-off was found; `upper` is then its cost. A solve that was not stopped ends with
// lower == upper (found), or with `lower` at or above the cut-off.
template <class Value>
struct Answer {
  Value lower{};
  Value upper{};
  bool found = false;
  SplitTree tree;
  // The tree is planned: only its root is known, and the splits of its children (its stumps) are
  // computed if the tree is used.
  bool planned = false;
  BestRoot root = {};
};

// Lower bounds on the optimal costs of the two sides of a cut.
template <class Value>
struct CutBounds {
  std::uint32_t position;
  Value left;
  Value right;
};

}  // namespace treeproof::threshold
