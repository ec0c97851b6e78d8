// DT-Miner (chapter 3 of Chaouki's thesis): best-first search over whole trees.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "search/result.hpp"

namespace treeproof::miner {

// Respects every limit of TreeLimits, including max_splits.
SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer);

}  // namespace treeproof::miner
