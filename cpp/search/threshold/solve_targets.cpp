// Regression trees: the same best-first search with real-valued losses.
//
// Squared error has a terminal solver of depth two in lanes; absolute error, whose sums need a
// median, works on sorted lists with a terminal solver of depth one.
#include <algorithm>

#include "loss/absolute_error.hpp"
#include "loss/centred_targets.hpp"
#include "search/threshold/first_tree.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/moment_terminal.hpp"
#include "search/threshold/search.hpp"
#include "search/threshold/solve.hpp"
#include "search/threshold/terminal.hpp"

namespace treeproof::threshold {
namespace {

constexpr double kEventUnit = 1e15;  // events carry whole numbers

template <class L, class Terminal>
Result<double> run(const Context<L>& context, Terminal& terminal, StumpSolver<L>& stumps,
                   const Observer& observer) {
  Search<L, Terminal> search(context, terminal, stumps);
  const RowSubset rows = RowSubset::whole(*context.columns);
  const Settings<double>& settings = context.settings;
  const Task<double> task{&rows, context.loss->infinite(), settings.max_depth,
                          settings.max_splits, settings.min_leaf, {}, {}};
  search.set_progress([&](double lower, double upper, const SplitTree* tree) {
    if (!observer) return;
    const auto whole = [](double v) {
      return static_cast<Cost>(std::min(v, 1e3) * kEventUnit);
    };
    observer({tree != nullptr ? EventKind::incumbent : EventKind::bound,
              context.limits->seconds(), whole(lower), whole(upper),
              context.counters->depth_two_solves});
  });
  FirstTree<L, Terminal> first(context, terminal, stumps);
  const bool deep = std::min(settings.max_depth, settings.max_splits) > Terminal::kDepth;
  if (deep) search.set_incumbent(first.best(task));
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
                             Limits& limits, const Observer& observer) {
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
  StumpSolver<SquaredError> stumps(columns, loss);
  MomentTerminal terminal(context, stumps, codes);
  return run(context, terminal, stumps, observer);
}

Result<double> solve_absolute(const Columns& columns, const Targets& targets,
                              const TreeLimits& tree_limits, const Switches& switches,
                              Limits& limits, const Observer& observer) {
  const CentredTargets centred =
      CentredTargets::for_absolute_error(targets.values, targets.n_outputs, targets.weights);
  if (centred.constant) return constant_leaf(tree_limits.split_penalty);
  const AbsoluteError loss(centred.values, targets.n_outputs, centred.weights,
                           Tolerance::relative_to(1.0));
  Counters counters;
  const Context<AbsoluteError> context =
      context_for(columns, loss, tree_limits, switches, tree_limits.split_penalty, limits,
                  counters);  // a single leaf loses 1
  StumpSolver<AbsoluteError> stumps(columns, loss);
  StumpTerminal<AbsoluteError> terminal(context, stumps);
  return run(context, terminal, stumps, observer);
}

}  // namespace treeproof::threshold
