// The loop of BRANCHES (Algorithm 1 of the thesis): iterates until the root is complete or a limit
// is reached; in both cases the greedy tree and both bounds are available. If the memory is full,
// the search continues by backtracking.
#include "search/branches/solve.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/memory.hpp"
#include "search/branches/backtrack.hpp"
#include "search/branches/search.hpp"
#include "search/leaf_result.hpp"

namespace treeproof::branches {
namespace {

constexpr std::int64_t kBoundEventPeriod = 1 << 12;  // iterations between bound events
constexpr std::uint64_t kTableEntry = 40;            // bytes

class Run {
 public:
  Run(Splitter& splitter, Limits& limits, const Observer& observer, std::int64_t memo_branches)
      : splitter_(splitter), limits_(limits), observer_(observer),
        memo_branches_(static_cast<std::uint64_t>(memo_branches)),
        allowance_(limits.memory_allowance() > 0 ? limits.memory_allowance() : memo_bytes(limits)) {
  }

  SearchResult solve() {
    SearchResult result;
    try {
      search_.emplace(splitter_, limits_, counters_);
      if (!best_first()) backtrack();
    } catch (const std::bad_alloc&) {
      limits_.memory_exhausted();
    }
    if (search_) close(search_->incumbent());
    result.tree = flatten(tree_);
    result.upper = evaluate(splitter_.problem(), result.tree, splitter_.split_cost());
    result.lower = std::min(told_.lower, result.upper);
    result.stop = limits_.reason();
    result.statistics = statistics();
    if (!result.optimal()) tell(EventKind::stopped, result.lower, result.upper);
    return result;
  }

 private:
  void tell(EventKind kind, Cost lower, Cost upper) {
    told_.lower = lower;
    told_.upper = upper;
    if (observer_) observer_({kind, limits_.seconds(), lower, upper, counters_.iterations});
  }

  bool is_full() const {
    if (memo_branches_ > 0 && search_->n_branches() >= memo_branches_) return true;
    // An eighth is reserved for holes that growing arrays leave in memory.
    return allowance_ > 0 &&
           search_->bytes() + search_->bytes_to_grow() > allowance_ - allowance_ / 8;
  }

  // False where memory ended it.
  bool best_first() {
    const Node& root = search_->root();
    tell(EventKind::incumbent, root.lower, root.upper);
    while (!root.complete && !limits_.stop()) {
      if (is_full()) return false;
      search_->iterate();
      const bool due = counters_.iterations % kBoundEventPeriod == 0;
      if (root.upper < told_.upper) tell(EventKind::incumbent, root.lower, root.upper);
      else if (root.lower > told_.lower && (due || root.complete))
        tell(EventKind::bound, root.lower, root.upper);
    }
    return true;
  }

  // Stores the results of the best-first search, and ends it.
  void close(TreeDraft tree) {
    tree_ = std::move(tree);
    told_.lower = search_->root().lower;
    branches_ = search_->n_branches();
    peak_bytes_ = std::max(peak_bytes_, search_->bytes());
  }

  // The memory that the rows and the path leave of the allowance.
  std::uint64_t table_bytes() const {
    if (memo_branches_ > 0) return memo_branches_ * kTableEntry;
    const std::uint64_t bits = splitter_.bits().bytes();
    return allowance_ - std::min(allowance_ - 1, bits + bits / 2 + allowance_ / 16);
  }

  // While bounds move, the graph (without its heaps) and the table exist side by side.
  void backtrack() {
    counters_.turned_to_backtracking = 1;
    close(search_->incumbent());
    search_->give_up_heaps();
    give_back_memory();
    const std::uint64_t most = table_bytes();
    Backtrack rest(splitter_, limits_, counters_, most, tree_, [&](const Bounds& root) {
      if (root.upper < told_.upper) tell(EventKind::incumbent, root.lower, root.upper);
      else if (root.lower > told_.lower) tell(EventKind::bound, root.lower, root.upper);
    });
    const std::uint64_t graph = search_->bytes() - splitter_.bits().bytes();
    rest.limit_table(memo_branches_ > 0 ? most : most - std::min(most - 1, graph));
    search_->for_each_bound([&](const auto& literals, Weight weight, const Bounds& bounds) {
      rest.learn(literals, weight, bounds);
    });
    search_.reset();
    give_back_memory();
    rest.limit_table(most);
    told_.lower = std::max(told_.lower, rest.run().lower);
    tree_ = rest.tree();
    table_ = rest.table();
    peak_bytes_ = std::max(peak_bytes_, splitter_.bits().bytes() + rest.bytes());
  }

  Statistics statistics() const {
    return {{"iterations", counters_.iterations},
            {"expansions", counters_.expansions},
            {"branches", branches_},
            {"evaluations", counters_.evaluations},
            {"purified", counters_.purified},
            {"memo_hits", counters_.memo_hits},
            {"refreshes", counters_.refreshes},
            {"longest_path", counters_.longest_path},
            {"turned_to_backtracking", counters_.turned_to_backtracking},
            {"backtracked", counters_.backtracked},
            {"memo_evictions", table_.evictions},
            {"memory_bytes", static_cast<std::int64_t>(peak_bytes_)}};
  }

  Splitter& splitter_;
  Limits& limits_;
  const Observer& observer_;
  std::uint64_t memo_branches_;
  std::uint64_t allowance_;
  Counters counters_;
  std::optional<Search> search_;
  TreeDraft tree_;
  Bounds told_;
  std::int64_t branches_ = 0;
  std::uint64_t peak_bytes_ = 0;
  Memo::Account table_;
};

}  // namespace

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, Limits& limits,
                   const Observer& observer, std::int64_t memo_branches) {
  if (tree_limits.max_splits >= 0)
    throw std::invalid_argument(
        "BRANCHES keeps one value per branch and cannot limit the number of splits of the "
        "whole tree: drop max_splits, raise the split penalty, or choose another solver");
  Splitter splitter(problem, tree_limits);
  if (limits.memory_allowance() > 0 && splitter.bits().bytes() > limits.memory_allowance()) {
    limits.memory_exhausted();
    return leaf_result(problem, tree_limits, limits.reason());
  }
  splitter.fill();
  return Run(splitter, limits, observer, memo_branches).solve();
}

}  // namespace treeproof::branches
