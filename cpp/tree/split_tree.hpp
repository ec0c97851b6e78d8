// A tree whose splits name their feature and value, for searches over sorted columns.
//
// `code` is the rank of the last value that goes left (thresholds) or of the category
// (equality); `next_code` is the rank of the first value that goes right *among the rows of
// the node*, so that a threshold can be put half-way between the two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/problem.hpp"

namespace treeproof {

struct SplitTree {
  std::int32_t feature = -1;  // -1: leaf
  TestKind kind = TestKind::threshold;
  std::int32_t code = 0;
  std::int32_t next_code = 0;
  std::vector<std::int32_t> outcomes;  // 0 yes, 1 no; a category rank for multiway splits
  std::vector<SplitTree> children;

  bool leaf() const { return feature < 0; }
  std::int32_t n_splits() const {
    if (leaf()) return 0;
    std::int32_t total = 1;
    for (const SplitTree& child : children) total += child.n_splits();
    return total;
  }
  std::int32_t n_leaves() const {
    if (leaf()) return 1;
    std::int32_t total = 0;
    for (const SplitTree& child : children) total += child.n_leaves();
    return total;
  }
  std::int32_t depth() const {
    std::int32_t deepest = 0;
    for (const SplitTree& child : children) deepest = std::max(deepest, 1 + child.depth());
    return deepest;
  }
};

}  // namespace treeproof
