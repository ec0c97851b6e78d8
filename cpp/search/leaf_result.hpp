// The answer of a search whose memory limit is too small even for the data: a single leaf, and the
// lower bound that any tree with a split pays at least one penalty.
#pragma once

#include <algorithm>

#include "core/options.hpp"
#include "search/result.hpp"

namespace treeproof {

inline SearchResult leaf_result(const Problem& problem, const TreeLimits& tree_limits,
                                StopReason stop) {
  const Cost split = split_cost(tree_limits.split_penalty, problem.total_weight);
  const bool may_split = tree_limits.max_depth != 0 && tree_limits.max_splits != 0;
  SearchResult result;
  result.tree = flatten({});
  result.upper = evaluate(problem, result.tree, split);
  result.lower = may_split ? std::min(result.upper, split) : result.upper;
  result.stop = stop;
  result.statistics = {{"iterations", 0}};
  return result;
}

}  // namespace treeproof
