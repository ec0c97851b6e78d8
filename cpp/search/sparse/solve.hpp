// The exact search for sparse trees on binary and categorical tests.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "search/result.hpp"

namespace treeproof::sparse {

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer);

}  // namespace treeproof::sparse
