#include "search/sparse/solve.hpp"

#include <algorithm>

#include "search/sparse/extract.hpp"
#include "search/sparse/search.hpp"

namespace treeproof::sparse {
namespace {

template <class Word>
SearchResult run(const Problem& problem, const Settings& settings, Limits& limits,
                 const Observer& observer) {
  const Layout layout = make_layout(problem, settings.min_samples_leaf);
  Search<Word> search(layout, settings, limits);
  const Cost penalty = settings.split_cost;
  search.deepen(1, 0);  // expands the root: a first tree and bound
  Bounds root = search.root();
  while (!root.solved() && !search.out_of_time()) {
    const Cost half = (root.upper - root.lower) / 2;
    const Cost budget = half <= penalty || root.upper >= kInfiniteCost
                            ? kInfiniteCost
                            : root.lower + std::max(penalty, half);
    search.deepen(budget, 0);
    root = search.root();
    if (observer)
      observer({EventKind::bound, limits.seconds(), root.lower, root.upper,
                search.counters().expansions});
  }
  SearchResult result;
  result.tree = extract(layout, settings, [&](const Key& rows, int depth_left) {
    return search.known(rows, depth_left);
  });
  result.upper = evaluate(problem, result.tree, penalty);
  result.lower = std::min(root.lower, result.upper);
  result.stop = limits.reason();
  Counters& counters = search.counters();
  counters.memo_entries = search.memo().size();
  counters.memo_evictions = search.memo().evictions();
#define X(name) result.statistics.emplace_back(#name, counters.name);
  TREEPROOF_SPARSE_COUNTERS(X)
#undef X
  return result;
}

}  // namespace

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits,
                   const Switches& switches, const std::string& kernel, Limits& limits,
                   const Observer& observer) {
  Settings settings;
  settings.split_cost = split_cost(tree_limits.split_penalty, problem.total_weight);
  settings.max_depth = tree_limits.max_depth;
  settings.min_samples_leaf = tree_limits.min_samples_leaf;
  settings.switches = switches;
  settings.kernel = kernel;
  std::int64_t n_samples = 0;
  for (const std::int64_t s : problem.samples) n_samples += s;
  const bool narrow = std::max(problem.total_weight, n_samples) < (1 << 15);
  return narrow ? run<std::uint16_t>(problem, settings, limits, observer)
                : run<std::uint32_t>(problem, settings, limits, observer);
}

}  // namespace treeproof::sparse
