// Regression trees: the same best-first search with real-valued losses.
//
// Squared error has a terminal solver of depth two in lanes; absolute error, whose sums need a
// median, works on sorted lists with a terminal solver of depth one.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "loss/centred_targets.hpp"
#include "search/threshold/crew.hpp"
#include "search/threshold/first_tree.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/solve.hpp"
#include "search/threshold/telling.hpp"

namespace treeproof::threshold {
namespace {

// `make_terminal`: one for each thread.
template <class L, class Terminal>
Result<double> run(const Context<L>& context, const Switches& switches, const Observer& observer,
                   Record<double>* record,
                   typename Crew<L, Terminal>::MakeTerminal make_terminal) {
  StumpSolver<L> stumps(*context.columns, *context.loss);
  const std::unique_ptr<Terminal> own = make_terminal(context, stumps);
  Terminal& terminal = *own;
  Search<L, Terminal> search(context, terminal, stumps);
  Crew<L, Terminal> crew(context, switches, std::move(make_terminal));
  search.set_crew(&crew);
  const RowSubset rows = RowSubset::whole(*context.columns);
  const Settings<double>& settings = context.settings;
  const Task<double> task{&rows, context.loss->infinite(), settings.max_depth,
                          settings.max_splits, settings.min_leaf, {}, {}};
  Telling<double> tell(observer, *context.limits, *context.counters, context.loss->infinite());
  search.set_progress(std::ref(tell));
  FirstTree<L, Terminal> first(context, terminal, stumps);
  const bool deep = std::min(settings.max_depth, settings.max_splits) > Terminal::kDepth;
  if (deep) search.set_incumbent(first.best(task));
  search.set_record(record);
  Answer<double> answer = search.solve(task);
  if (!deep && context.limits->reason() != StopReason::none) {
    // Stopped within the first sweeps: CART's tree may be better than what they have seen.
    Answer<double> greedy = first.greedy(task);
    if (greedy.upper < answer.upper) {
      answer.upper = greedy.upper;
      answer.tree = std::move(greedy.tree);
    }
  }
  Result<double> result;
  result.tree = std::move(answer.tree);
  result.lower = std::clamp(answer.lower, 0.0, answer.upper);
  result.upper = answer.upper;
  result.split_cost = settings.split_cost;
  result.optimal = context.limits->reason() == StopReason::none ||
                   context.loss->closes(answer.lower, answer.upper);
  if (result.optimal) result.lower = result.upper;
  result.stop = context.limits->reason();
  result.statistics = context.counters->named();
  return result;
}

Result<double> constant_leaf(double split_cost) {
  Result<double> result;
  result.split_cost = split_cost;
  result.optimal = true;
  result.statistics = Counters{}.named();
  return result;
}

}  // namespace

Result<double> solve_squared(const Columns& columns, const Targets& targets,
                             const TreeLimits& tree_limits, const Switches& switches,
                             Limits& limits, const Observer& observer, Record<double>* record) {
  const CentredTargets centred =
      CentredTargets::for_squared_error(targets.values, targets.n_outputs, targets.weights);
  if (centred.constant) return constant_leaf(tree_limits.split_penalty);
  const SquaredError loss(centred.values, targets.n_outputs, centred.weights,
                          Tolerance::relative_to(1.0));
  Counters counters;
  const Context<SquaredError> context =
      context_for(columns, loss, tree_limits, switches, tree_limits.split_penalty, limits,
                  counters);  // a single leaf loses 1
  const ColumnCodes codes = make_codes(columns, BinTargets{});
  return run<SquaredError, MomentTerminal>(
      context, switches, observer, record, [&codes](const auto& theirs, auto& stumps) {
        return std::make_unique<MomentTerminal>(theirs, stumps, codes);
      });
}

Result<double> solve_absolute(const Columns& columns, const Targets& targets,
                              const TreeLimits& tree_limits, const Switches& switches,
                              Limits& limits, const Observer& observer, Record<double>* record) {
  const CentredTargets centred =
      CentredTargets::for_absolute_error(targets.values, targets.n_outputs, targets.weights);
  if (centred.constant) return constant_leaf(tree_limits.split_penalty);
  const AbsoluteError loss(centred.values, targets.n_outputs, centred.weights,
                           Tolerance::relative_to(1.0));
  Counters counters;
  const Context<AbsoluteError> context =
      context_for(columns, loss, tree_limits, switches, tree_limits.split_penalty, limits,
                  counters);  // a single leaf loses 1
  using Terminal = StumpTerminal<AbsoluteError>;
  return run<AbsoluteError, Terminal>(
      context, switches, observer, record, [](const auto& theirs, auto& stumps) {
        return std::make_unique<Terminal>(theirs, stumps);
      });
}

}  // namespace treeproof::threshold
