// The exact search for sparse trees on binary and categorical tests.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "core/steps.hpp"
#include "search/result.hpp"
#include "search/sparse/settings.hpp"

namespace treeproof::sparse {

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits,
                   const Switches& switches, const std::string& kernel, Limits& limits,
                   const Observer& observer, StepListener* listener = nullptr,
                   Fault fault = Fault::none);

}  // namespace treeproof::sparse
