// BRANCHES (Chaouki, Read, Bifet): best-first search over branches.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "search/result.hpp"

namespace treeproof::branches {

// Respects the penalty (also zero), max_depth and min_samples_leaf. A limit on the number of splits
// ties branches to each other, which a value for each branch cannot express: a problem with
// `max_splits` is refused (std::invalid_argument).
//
// When the memory limit is reached, the rest is searched by backtracking. `memo_branches` (0: no
// such limit) gives the memory as a number of branches, for tests.
SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer, std::int64_t memo_branches = 0);

}  // namespace treeproof::branches
