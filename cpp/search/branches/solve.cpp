// The loop of BRANCHES (Algorithm 1 of the thesis): iterate until the root is complete or a
// limit is hit; either way the greedy tree and both bounds are there.
#include "search/branches/solve.hpp"

#include <new>
#include <stdexcept>
#include <utility>

#include "search/branches/search.hpp"
#include "search/leaf_result.hpp"

namespace treeproof::branches {
namespace {

constexpr std::int64_t kBoundEventPeriod = 1 << 12;  // iterations between bound events

Statistics statistics_of(const Search& search) {
  const Counters& c = search.counters();
  return {{"iterations", c.iterations},
          {"expansions", c.expansions},
          {"branches", search.n_branches()},
          {"evaluations", c.evaluations},
          {"purified", c.purified},
          {"memo_hits", c.memo_hits},
          {"refreshes", c.refreshes},
          {"longest_path", c.longest_path},
          {"memory_bytes", static_cast<std::int64_t>(search.bytes())}};
}

void run(Search& search, Limits& limits, const Observer& observer) {
  const auto notify = [&](EventKind kind) {
    if (observer)
      observer({kind, limits.seconds(), search.root().lower, search.root().upper,
                search.counters().iterations});
  };
  notify(EventKind::incumbent);
  Cost lower = search.root().lower;
  Cost upper = search.root().upper;
  while (!search.root().complete && !limits.stop()) {
    const std::uint64_t allowance = limits.memory_allowance();
    if (allowance > 0 && search.bytes() + search.bytes_to_grow() > allowance) {
      limits.memory_exhausted();
      break;
    }
    search.iterate();
    if (search.root().upper < upper) {
      upper = search.root().upper;
      notify(EventKind::incumbent);
    }
    const bool due = search.counters().iterations % kBoundEventPeriod == 0;
    if (search.root().lower > lower && (due || search.root().complete)) {
      lower = search.root().lower;
      notify(EventKind::bound);
    }
  }
}

}  // namespace

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer) {
  if (tree_limits.max_splits >= 0)
    throw std::invalid_argument(
        "BRANCHES keeps one value per branch and cannot limit the number of splits of the "
        "whole tree: drop max_splits, raise the split penalty, or choose another solver");
  LiteralBits bits(problem, tree_limits.min_samples_leaf > 1);
  if (limits.memory_allowance() > 0 && bits.bytes() > limits.memory_allowance()) {
    limits.memory_exhausted();
    return leaf_result(problem, tree_limits, limits.reason());
  }
  bits.fill(problem);
  Search search(problem, tree_limits, std::move(bits), limits);
  try {
    run(search, limits, observer);
  } catch (const std::bad_alloc&) {
    limits.memory_exhausted();
  }
  SearchResult result;
  result.tree = flatten(search.incumbent());
  result.lower = search.root().lower;
  result.upper = evaluate(problem, result.tree,
                          split_cost(tree_limits.split_penalty, problem.total_weight));
  result.stop = limits.reason();
  result.statistics = statistics_of(search);
  if (observer && !search.root().complete)
    observer({EventKind::stopped, limits.seconds(), result.lower, result.upper,
              search.counters().iterations});
  return result;
}

}  // namespace treeproof::branches
