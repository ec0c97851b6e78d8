// The exact search for sparse trees on binary and categorical tests.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "core/steps.hpp"
#include "search/result.hpp"
#include "search/sparse/settings.hpp"
#include "search/sparse/warm_start.hpp"

namespace treeproof::sparse {

// `warm` is used by searches without a limit on splits.
SearchResult solve(const Problem& problem, const TreeLimits& tree_limits,
                   const Switches& switches, const std::string& kernel, Limits& limits,
                   const Observer& observer, StepListener* listener = nullptr,
                   Fault fault = Fault::none, WarmStart* warm = nullptr);

}  // namespace treeproof::sparse
