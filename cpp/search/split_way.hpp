// The ways in which a feature may be the first split of a tree.
#pragma once

#include <cstdint>
#include <vector>

namespace treeproof {

// One way to split: which child must be a leaf, and which class that leaf must predict (-1: any).
struct SplitWay {
  bool left_leaf = false;
  bool right_leaf = false;
  std::int32_t says = -1;
};

// `direction`: 1 if predictions must not fall along the feature, -1 if they must not rise, 0 if
// they may do both. Along an increasing feature, no leaf left of a cut may predict 1 while one
// right of it predicts 0. A subtree all of whose leaves predict the same class is no better than a
// leaf, so one of the two children is a leaf: the left one with class 0, or the right one with
// class 1. `list`: one child of every split is a leaf, as in a list of rules.
inline std::vector<SplitWay> split_ways(std::int32_t direction, bool list) {
  if (direction != 0)
    return {{true, false, direction > 0 ? 0 : 1}, {false, true, direction > 0 ? 1 : 0}};
  if (list) return {{true, false, -1}, {false, true, -1}};
  return {{}};
}

}  // namespace treeproof
