// The search for better trees, which runs in turns with the search for a proof.
//
// A search for a proof raises bounds and finds good trees along the way; on noisy tables it may be
// stopped long before that. This search only looks for good trees, and does not end before it has
// tried everything it knows:
//
//   starts         greedy trees by impurity and by entropy, then alternating optimisation
//                  (first_tree.hpp).
//   local search   any subtree of the best tree, however large, is solved anew with the number of
//                  levels that its rows allow: three where they are few, two elsewhere.
//   discrepancies  trees that depart from the most promising test at up to 1, 2, 3, ... nodes
//                  (limited discrepancy search, Harvey and Ginsberg, 1995); below them the last
//                  levels are optimal. Sets of rows that come up again are remembered.
#pragma once

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/columns.hpp"
#include "search/exchange.hpp"
#include "search/result.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof::threshold {

// Every tree that is better than those known to the exchange is reported to it.
Statistics polish_labels(const Columns& columns, const Labels& labels,
                         const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                         Exchange<Cost>& exchange);
Statistics polish_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                          const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                          Exchange<double>& exchange);

}  // namespace treeproof::threshold
