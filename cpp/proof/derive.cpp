#include "proof/derive.hpp"

#include "loss/absolute_error.hpp"
#include "loss/centred_targets.hpp"
#include "proof/prover.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/moment_terminal.hpp"
#include "search/threshold/search.hpp"
#include "search/threshold/terminal.hpp"

namespace treeproof::proof {
namespace {

using threshold::Context;
using threshold::Search;
using threshold::StumpSolver;

// The search as an oracle for optima of sets of rows.
template <class L, class Terminal>
typename Prover<L>::Optimum optimum_of(Search<L, Terminal>& search, std::uint32_t min_leaf) {
  using Value = typename L::Value;
  return [&search, min_leaf](const RowSubset& rows, Room room, Value cutoff) {
    const threshold::Task<Value> task{&rows, cutoff, threshold::finite(room.depth),
                                      threshold::finite(room.splits), min_leaf, {}, {}};
    return search.solve(task).lower;
  };
}

// The solver of two levels, where the loss has one and *order* holds.
template <class L, class Terminal>
typename Prover<L>::TwoLevels two_levels_of(Terminal& terminal, std::uint32_t min_leaf) {
  using Value = typename L::Value;
  if (Terminal::kDepth < 2 || min_leaf > 1) return {};
  return [&terminal](const RowSubset& rows, int splits, Value cutoff,
                     std::vector<threshold::Looked<Value>>& looks) {
    const threshold::Task<Value> task{&rows, cutoff, 2, threshold::finite(splits), 1,
                                      {},    {},     {}, &looks};
    return terminal.solve(task).lower;
  };
}

// A limit of splits that no tree of the allowed depth reaches is none.
Room room_of(const TreeLimits& limits, bool has_multiway) {
  const bool reached = limits.max_depth < 0 || limits.max_depth >= 30 || has_multiway ||
                       limits.max_splits < (1 << limits.max_depth) - 1;
  return {limits.max_depth, reached ? limits.max_splits : -1};
}

template <class L, class Terminal>
Derived<typename L::Value> derive(const Context<L>& context, Terminal& terminal,
                                  StumpSolver<L>& stumps, const TreeLimits& tree_limits,
                                  typename L::Value bound, typename L::Value unit,
                                  const std::string& steps) {
  Search<L, Terminal> search(context, terminal, stumps);
  StepText text(steps);
  const auto min_leaf = context.settings.min_leaf;
  Prover<L> prover(*context.columns, *context.loss, context.settings.split_cost, min_leaf, unit,
                   optimum_of(search, min_leaf), two_levels_of<L>(terminal, min_leaf),
                   *context.limits, text);
  const auto proved = prover.prove(room_of(tree_limits, context.has_multiway), bound);
  const bool complete = text.finish();
  return {text.n_steps(), proved.step, proved.bound, complete};
}

}  // namespace

Derived<Cost> derive_labels(const Columns& columns, const threshold::Labels& labels,
                            const TreeLimits& tree_limits, Cost bound, Limits& limits,
                            const std::string& steps) {
  const Misclassification loss(labels.labels, labels.weights, labels.n_classes);
  threshold::Counters counters;
  const Context<Misclassification> context =
      context_for(columns, loss, tree_limits, threshold::Switches{},
                  split_cost(tree_limits.split_penalty, labels.total_weight), limits, counters);
  const threshold::BinTargets targets{labels.labels, labels.weights, labels.n_classes,
                                      static_cast<double>(labels.total_weight) /
                                          std::max(1.0, static_cast<double>(columns.n_rows))};
  const threshold::ColumnCodes codes = make_codes(columns, targets);
  StumpSolver<Misclassification> stumps(columns, loss);
  threshold::ClassTerminal terminal(context, stumps, codes, targets, labels.total_weight);
  return derive(context, terminal, stumps, tree_limits, bound, Cost{1}, steps);
}

Derived<double> derive_squared(const Columns& columns, const threshold::Targets& targets,
                               const TreeLimits& tree_limits, double bound, double unit,
                               Limits& limits, const std::string& steps) {
  const CentredTargets centred =
      CentredTargets::for_squared_error(targets.values, targets.n_outputs, targets.weights);
  const SquaredError loss(centred.values, targets.n_outputs, centred.weights,
                          Tolerance::relative_to(1.0));
  threshold::Counters counters;
  const Context<SquaredError> context =
      context_for(columns, loss, tree_limits, threshold::Switches{}, tree_limits.split_penalty,
                  limits, counters);
  const threshold::ColumnCodes codes = make_codes(columns, threshold::BinTargets{});
  StumpSolver<SquaredError> stumps(columns, loss);
  threshold::MomentTerminal terminal(context, stumps, codes);
  return derive(context, terminal, stumps, tree_limits, bound, unit, steps);
}

Derived<double> derive_absolute(const Columns& columns, const threshold::Targets& targets,
                                const TreeLimits& tree_limits, double bound, double unit,
                                Limits& limits, const std::string& steps) {
  const CentredTargets centred =
      CentredTargets::for_absolute_error(targets.values, targets.n_outputs, targets.weights);
  const AbsoluteError loss(centred.values, targets.n_outputs, centred.weights,
                           Tolerance::relative_to(1.0));
  threshold::Counters counters;
  const Context<AbsoluteError> context =
      context_for(columns, loss, tree_limits, threshold::Switches{}, tree_limits.split_penalty,
                  limits, counters);
  StumpSolver<AbsoluteError> stumps(columns, loss);
  threshold::StumpTerminal<AbsoluteError> terminal(context, stumps);
  return derive(context, terminal, stumps, tree_limits, bound, unit, steps);
}

}  // namespace treeproof::proof
