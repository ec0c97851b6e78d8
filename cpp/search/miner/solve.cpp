// The loop of DT-Miner: iterate until the bound meets the incumbent or a limit is hit.
#include "search/miner/solve.hpp"

#include <new>
#include <utility>

#include "search/leaf_result.hpp"
#include "search/miner/search.hpp"

namespace treeproof::miner {
namespace {

constexpr std::int64_t kBoundEventPeriod = 1 << 12;  // iterations between bound events

Statistics statistics_of(const Search& search) {
  const Counters& c = search.counters();
  return {{"iterations", c.iterations},
          {"trees", search.n_trees()},
          {"successors", c.successors},
          {"branches", search.book().size()},
          {"evaluations", search.book().evaluations()},
          {"purified", search.book().purified()},
          {"memo_hits", c.memo_hits},
          {"pruned", c.pruned},
          {"longest_path", c.longest_path},
          {"memory_bytes", static_cast<std::int64_t>(search.bytes())}};
}

void run(Search& search, Limits& limits, const Observer& observer) {
  const auto notify = [&](EventKind kind) {
    if (observer)
      observer(
          {kind, limits.seconds(), search.lower(), search.upper(), search.counters().iterations});
  };
  notify(EventKind::incumbent);
  Cost lower = search.lower();
  Cost upper = search.upper();
  while (!search.complete() && !limits.stop()) {
    const std::uint64_t allowance = limits.memory_allowance();
    if (allowance > 0 && search.bytes() + search.bytes_to_grow() > allowance) {
      limits.memory_exhausted();
      break;
    }
    search.iterate();
    if (search.upper() < upper) {
      upper = search.upper();
      notify(EventKind::incumbent);
    }
    const bool due = search.counters().iterations % kBoundEventPeriod == 0;
    if (search.lower() > lower && (due || search.complete())) {
      lower = search.lower();
      notify(EventKind::bound);
    }
  }
}

}  // namespace

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer) {
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
  result.lower = search.lower();
  result.upper =
      evaluate(problem, result.tree, split_cost(tree_limits.split_penalty, problem.total_weight));
  result.stop = limits.reason();
  result.statistics = statistics_of(search);
  if (observer && !search.complete())
    observer({EventKind::stopped, limits.seconds(), result.lower, result.upper,
              search.counters().iterations});
  return result;
}

}  // namespace treeproof::miner
