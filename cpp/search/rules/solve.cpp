#include "search/rules/solve.hpp"

#include <algorithm>
#include <span>

#include "search/rules/improve.hpp"
#include "search/rules/root_search.hpp"
#include "search/rules/rule_table.hpp"

namespace treeproof::rules {
namespace {

constexpr std::size_t kRootsToTry = 200;

int count_splits(const Draft& draft) {
  int n = draft.is_leaf() ? 0 : 1;
  for (const Draft& side : draft.sides) n += count_splits(side);
  return n;
}

int depth_of(const Draft& draft) {
  int deepest = 0;
  for (const Draft& side : draft.sides) deepest = std::max(deepest, 1 + depth_of(side));
  return deepest;
}

// Reports changed bounds to the observer.
class Reporter {
 public:
  Reporter(const Observer& observer, Limits& limits) : observer_(observer), limits_(limits) {}

  void report(Cost lower, Cost upper, std::int64_t nodes) {
    if (!observer_ || (lower <= lower_ && upper >= upper_)) return;
    const EventKind kind = upper < upper_ ? EventKind::incumbent : EventKind::bound;
    lower_ = std::max(lower, lower_);
    upper_ = std::min(upper, upper_);
    observer_({kind, limits_.seconds(), lower_, upper_, nodes});
  }

 private:
  const Observer& observer_;
  Limits& limits_;
  Cost lower_ = -1;
  Cost upper_ = kInfiniteCost;
};

// Searches for trees with one split, then with two, and so on: a tree with few splits is found
// quickly, and prunes the search for larger ones.
Answer deepen(const RuleTable& table, const Settings& settings, const Draft& start,
              Control& control, std::span<Worker> workers, Reporter& reporter) {
  const RowLayout& rows = table.rows();
  const int depth = std::min(settings.max_depth, 64);
  int most = settings.max_splits;
  if (depth < 20) most = std::min(most, (1 << depth) - 1);
  const auto leaves = static_cast<std::size_t>(std::max(most, 0)) + 1;
  const Cost floor = cost_of(rows.floor_loss(rows.all().data(), leaves));
  if (control.stopped()) return {floor, cost_of(rows.leaf_loss(rows.all().data())), {}};

  Answer best =
      solve_subproblem(table, std::min(most, 1), depth, kInfiniteCost, settings, workers[0]);
  Cost proved = best.lower;  // no tree with at most `splits` splits costs less
  int splits = std::min(most, 1);
  if (count_splits(start) <= most && depth_of(start) <= depth) {
    const Cost cost = cost_of_draft(table, start, settings.split_cost);
    if (cost < best.upper) best = {best.lower, cost, start};
  }
  // A tree with s splits costs at least the floor and s times the cost of a split.
  const auto beyond = [&](int s) { return floor + s * settings.split_cost; };
  while (splits < most && best.upper > beyond(splits + 1) && !control.stopped()) {
    reporter.report(std::min(best.upper, beyond(splits + 1)), best.upper, 0);
    const int k = splits + 1;
    if (settings.incumbent) {
      if (count_splits(best.draft) < k) split_one_leaf(table, settings, depth, best, workers[0]);
      improve(table, settings, best, workers[0]);
    }
    RootSearch search(table, k, depth, settings, best, kInfiniteCost);
    if (settings.incumbent) search.try_best_roots(kRootsToTry, workers[0]);
    const auto notify = [&](Cost lower, Cost upper) {
      if (k < most) lower = std::min(lower, beyond(k + 1));
      reporter.report(lower, upper, workers[0].counters.groups);
    };
    best = search.run(workers, notify);
    if (control.stopped() && best.lower < best.upper) {
      // Trees with fewer splits were ruled out before, those with k by this search; trees
      // with more splits are known only by the floor.
      best.lower = k == most ? best.lower : std::min(best.lower, beyond(k + 1));
      return best;
    }
    splits = k;
    proved = best.lower;
  }
  if (splits < most) proved = std::min(proved, beyond(splits + 1));
  best.lower = std::min(proved, best.upper);
  return best;
}

}  // namespace

RulesResult solve(const RuleStore& store, const Problem& problem, const Settings& settings,
                  const Draft& start, Limits& limits, const Observer& observer) {
  Control control(limits);
  const RuleTable table(store, problem, [&](std::uint32_t work) { return control.poll(work); });
  std::vector<Worker> workers;
  for (int t = 0; t < std::max(1, settings.n_threads); ++t)
    workers.push_back({control, t == 0, {}});
  Reporter reporter(observer, limits);
  RulesResult result;
  result.answer = deepen(table, settings, start, control, workers, reporter);
  reporter.report(result.answer.lower, result.answer.upper, workers[0].counters.groups);
  result.stop = limits.reason();
  Counters counters;
  for (const Worker& worker : workers) counters.add(worker.counters);
  result.statistics = {{"rules", static_cast<std::int64_t>(table.n_rules())}};
#define X(name, what) result.statistics.emplace_back(#name, counters.name);
  TREEPROOF_RULES_COUNTERS(X)
#undef X
  return result;
}

}  // namespace treeproof::rules
