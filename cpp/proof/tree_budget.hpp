// The limits on the trees of a step.
#pragma once

namespace treeproof::proof {

// The maximum number of levels and of splits; -1 for any number.
struct TreeBudget {
  int depth;
  int splits;

  bool none() const { return depth == 0 || splits == 0; }
  bool one_split() const { return depth == 1 || splits == 1; }
  int below() const { return depth < 0 ? -1 : depth - 1; }
  // Whether a bound for trees within these limits also holds for trees within the others.
  bool covers(TreeBudget other) const {
    const auto least = [](int mine, int theirs) {
      return mine < 0 || (theirs >= 0 && mine >= theirs);
    };
    return least(depth, other.depth) && least(splits, other.splits);
  }
  bool operator==(const TreeBudget&) const = default;
};

}  // namespace treeproof::proof
