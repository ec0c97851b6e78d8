#include "search/threshold/solve.hpp"

#include <functional>

#include "search/threshold/chains.hpp"
#include "search/threshold/conclude.hpp"
#include "search/threshold/first_tree/first_tree.hpp"
#include "search/threshold/label_parts.hpp"
#include "search/threshold/leave_out.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/reporter.hpp"
#include "search/threshold/shared_proofs/common_rows_search.hpp"
#include "search/threshold/threads/crew.hpp"

namespace treeproof::threshold {
namespace {

using LabelCrew = Crew<Misclassification, ClassTerminal>;
using Progress = std::function<void(Cost lower, Cost upper, bool better_tree)>;

LabelCrew crew_of(const LabelParts& parts, const Switches& switches) {
  return {parts.context, switches,
          [&parts](const auto& theirs, auto& own) { return parts.make_terminal(theirs, own); }};
}

// Whether a search for chains is worth its time. If few penalties are affordable, trees have few
// splits, so that a limit on the depth excludes few of them (chains.hpp). Otherwise the search
// without the limit may take longer than the search with it.
bool chains_help(const Columns& columns, const TreeLimits& tree_limits,
                 const Context<Misclassification>& context, Cost best) {
  constexpr Cost kFewPenalties = 8;
  if (!context.settings.use_chains || !chains_cost_the_same(columns, tree_limits)) return false;
  if (tree_limits.max_depth < 0) return true;
  return tree_limits.max_depth > ClassTerminal::kDepth + 1 &&
         best <= kFewPenalties * context.settings.split_cost;
}

// Returns a lower bound for all trees that is at most the cost of a known tree.
Cost bound_by_chains(const LabelParts& given, const TreeLimits& tree_limits,
                     const Switches& switches, Cost upper, const Progress& progress) {
  const Columns columns = without_multiway(*given.context.columns);
  TreeLimits any_depth = tree_limits;
  any_depth.max_depth = -1;
  LabelParts parts(columns, given.labels, any_depth, given.context.settings.split_cost, switches,
                   *given.context.limits, false);
  const Task<Cost> task = parts.task();
  const Labels& labels = parts.labels;
  if (!CommonRowsSearch::suits(parts.context, task, upper + labels.forced())) return 0;
  LabelCrew crew = crew_of(parts, switches);
  CommonRowsSearch search(parts.context, parts.terminal, parts.stumps,
                          labels.swings.empty() ? labels.weights : labels.swings);
  search.set_crew(&crew);
  search.set_progress([&](Cost lower, Cost, bool) { progress(lower, upper, false); });
  const Cost lower = search.prove(task, upper);
  if (lower >= upper) ++parts.counters.chain_proofs;
  given.context.counters->add(parts.counters);
  return lower;
}

}  // namespace

Result<Cost> solve_labels(const Columns& columns, const Labels& labels,
                          const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                          const Observer& observer, Record<Cost>* record,
                          Exchange<Cost>* exchange) {
  if (record == nullptr && switches.chains && chains_serve(columns, tree_limits))
    return solve_labels(without_multiway(columns), labels, tree_limits, switches, limits, observer,
                        record, exchange);
  const Cost split = split_cost(tree_limits.split_penalty, labels.total_weight);
  LabelParts parts(columns, labels, tree_limits, split, switches, limits, exchange != nullptr);
  const Context<Misclassification>& context = parts.context;
  const Settings<Cost>& settings = context.settings;
  ClassTerminal& terminal = parts.terminal;
  StumpSolver<Misclassification>& stumps = parts.stumps;
  Search<Misclassification, ClassTerminal> search(context, terminal, stumps);
  const Task<Cost> task = parts.task();
  Reporter<Cost> tell(observer, limits, parts.counters, kInfiniteCost);
  const auto progress = [&](Cost lower, Cost upper, bool better_tree) {
    if (exchange != nullptr) exchange->proved(lower);
    tell(lower, upper, better_tree);
  };
  search.set_progress(progress);
  LabelCrew crew = crew_of(parts, switches);
  search.set_crew(&crew);
  search.set_exchange(exchange);
  FirstTree<Misclassification, ClassTerminal> first(context, terminal, stumps);
  const bool deep = std::min(settings.max_depth, settings.max_splits) > ClassTerminal::kDepth;
  Answer<Cost> answer;
  if (deep) {
    Answer<Cost> incumbent = context.restricted()
                                 ? first.best_restricted(task)
                                 : starting_tree(first, task, kInfiniteCost, exchange);
    // This limit was measured on costs that include the errors of every tree.
    if (!CommonRowsSearch::suits(context, task, incumbent.upper + labels.forced())) {
      Cost known = 0;
      if (record == nullptr && chains_help(columns, tree_limits, context, incumbent.upper))
        known = bound_by_chains(parts, tree_limits, switches, incumbent.upper, progress);
      if (record == nullptr && known < incumbent.upper && leaving_out_helps(context))
        known = bound_by_leaving_out(parts, task, switches, incumbent, exchange, progress);
      answer = std::move(incumbent);
      answer.lower = known;
      if (known < answer.upper && limits.reason() == StopReason::none) {
        search.set_incumbent(std::move(answer));
        search.set_record(record);
        Task<Cost> rest = task;
        rest.known = known;
        answer = search.solve(rest);
      }
    } else {
      CommonRowsSearch by_rows(context, terminal, stumps,
                               labels.swings.empty() ? labels.weights : labels.swings);
      by_rows.set_crew(&crew);
      by_rows.set_progress(progress);
      by_rows.set_exchange(exchange);
      answer = by_rows.solve(task, std::move(incumbent));
    }
  } else {
    search.set_record(record);
    answer = search.solve(task);
  }
  if (!deep) improve_by_greedy_tree(context, task, first, answer);
  return conclude(context, std::move(answer), exchange);
}

}  // namespace treeproof::threshold
