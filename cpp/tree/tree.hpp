// The result of a search: a flat node table in preorder.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"

namespace treeproof {

struct TreeNode {
  std::int32_t test = -1;        // index into Problem::tests, -1 for a leaf
  std::int32_t first_child = 0;  // slot in Tree::children
  std::int32_t n_children = 0;   // only children that hold rows
};

struct Tree {
  std::vector<TreeNode> nodes;              // nodes[0] is the root
  std::vector<std::int32_t> children;       // node index per child slot
  std::vector<std::int32_t> child_outcome;  // outcome of the parent's test per slot

  std::int32_t n_splits() const;
};

// A tree in linked form, convenient to build bottom-up; `flatten` makes the table.
struct TreeDraft {
  std::int32_t test = -1;
  std::vector<std::int32_t> outcomes;  // outcome of each child
  std::vector<TreeDraft> children;
};
Tree flatten(const TreeDraft& root);

// The exact cost of a tree on a problem: weight not predicted by the majority of its leaf,
// plus the price of each split.
Cost evaluate(const Problem& problem, const Tree& tree, SplitPrice<Cost> price);

}  // namespace treeproof
