#include "search/sparse/solve.hpp"

#include <algorithm>
#include <map>

namespace treeproof::sparse {

// Placeholder until the search lands: the best tree with at most one split, bound zero.
SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer) {
  const Cost penalty = split_cost(tree_limits.split_penalty, problem.total_weight);
  SearchResult result;
  result.tree = flatten({});
  result.upper = evaluate(problem, result.tree, penalty);
  for (std::size_t t = 0; t < problem.tests.size() && tree_limits.max_depth != 0; ++t) {
    TreeDraft draft{static_cast<std::int32_t>(t), {}, {}};
    std::map<std::int32_t, bool> seen;
    for (std::int32_t r = 0; r < problem.n_rows(); ++r)
      seen[problem.outcome(problem.tests[t], r)] = true;
    if (seen.size() < 2) continue;
    for (const auto& [outcome, unused] : seen) {
      draft.outcomes.push_back(outcome);
      draft.children.emplace_back();
    }
    Tree tree = flatten(draft);
    const Cost cost = evaluate(problem, tree, penalty);
    if (cost < result.upper) {
      result.upper = cost;
      result.tree = std::move(tree);
    }
  }
  if (observer)
    observer({EventKind::incumbent, limits.seconds(), result.lower, result.upper, 0});
  result.statistics = {{"expansions", 0}};
  return result;
}

}  // namespace treeproof::sparse
