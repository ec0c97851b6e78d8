#include "search/threshold/solve.hpp"

#include "search/threshold/conclude.hpp"
#include "search/threshold/first_tree/first_tree.hpp"
#include "search/threshold/label_parts.hpp"
#include "search/threshold/leave_out.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/shared_proofs/core_search.hpp"
#include "search/threshold/telling.hpp"
#include "search/threshold/threads/crew.hpp"

namespace treeproof::threshold {

Result<Cost> solve_labels(const Columns& columns, const Labels& labels,
                          const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                          const Observer& observer, Record<Cost>* record,
                          Exchange<Cost>* exchange) {
  const Cost split = split_cost(tree_limits.split_penalty, labels.total_weight);
  LabelParts parts(columns, labels, tree_limits, split, switches, limits, exchange != nullptr);
  const Context<Misclassification>& context = parts.context;
  const Settings<Cost>& settings = context.settings;
  ClassTerminal& terminal = parts.terminal;
  StumpSolver<Misclassification>& stumps = parts.stumps;
  Search<Misclassification, ClassTerminal> search(context, terminal, stumps);
  const Task<Cost> task = parts.task();
  Telling<Cost> tell(observer, limits, parts.counters, kInfiniteCost);
  const auto progress = [&](Cost lower, Cost upper, bool better_tree) {
    if (exchange != nullptr) exchange->proved(lower);
    tell(lower, upper, better_tree);
  };
  search.set_progress(progress);
  Crew<Misclassification, ClassTerminal> crew(context, switches,
                                              [&](const auto& theirs, auto& own_stumps) {
                                                return parts.make_terminal(theirs, own_stumps);
                                              });
  search.set_crew(&crew);
  search.set_exchange(exchange);
  FirstTree<Misclassification, ClassTerminal> first(context, terminal, stumps);
  const bool deep = std::min(settings.max_depth, settings.max_splits) > ClassTerminal::kDepth;
  Answer<Cost> answer;
  if (deep) {
    Answer<Cost> incumbent = context.restricted()
                                 ? first.best_restricted(task)
                                 : starting_tree(first, task, kInfiniteCost, exchange);
    // What every tree costs counts there: the limit was measured on whole costs.
    if (!CoreSearch::suits(context, task, incumbent.upper + labels.forced())) {
      Cost known = 0;
      if (record == nullptr && leaving_out_helps(context))
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
      CoreSearch cores(context, terminal, stumps,
                       labels.swings.empty() ? labels.weights : labels.swings);
      cores.set_crew(&crew);
      cores.set_progress(progress);
      cores.set_exchange(exchange);
      answer = cores.solve(task, std::move(incumbent));
    }
  } else {
    search.set_record(record);
    answer = search.solve(task);
  }
  if (!deep) improve_by_greedy_tree(context, task, first, answer);
  return conclude(context, std::move(answer), exchange);
}

}  // namespace treeproof::threshold
