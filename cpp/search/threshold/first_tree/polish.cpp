#include "search/threshold/first_tree/polish.hpp"

#include "search/threshold/first_tree/polisher.hpp"
#include "search/threshold/label_parts.hpp"
#include "search/threshold/target_parts.hpp"

namespace treeproof::threshold {
namespace {

template <class L, class MakeTerminal>
Statistics polish(const Context<L>& context, MakeTerminal make_terminal,
                  Exchange<double>& exchange) {
  StumpSolver<L> stumps(*context.columns, *context.loss);
  const auto terminal = make_terminal(context, stumps);
  const RowSubset rows = RowSubset::whole(*context.columns);
  const Settings<double>& settings = context.settings;
  Polisher polisher(context, *terminal, stumps, exchange);
  polisher.run({&rows,
                context.loss->infinite(),
                settings.max_depth,
                settings.max_splits,
                settings.min_leaf,
                {},
                {}});
  return context.counters->named();
}

}  // namespace

Statistics polish_labels(const Columns& columns, const Labels& labels,
                         const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                         Exchange<Cost>& exchange) {
  const Cost split = split_cost(tree_limits.split_penalty, labels.total_weight);
  LabelParts parts(columns, labels, tree_limits, split, switches, limits, true);
  Polisher polisher(parts.context, parts.terminal, parts.stumps, exchange);
  polisher.run(parts.task());
  return parts.counters.named();
}

Statistics polish_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                          const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                          Exchange<double>& exchange) {
  return with_targets(
      criterion, columns, targets, tree_limits, switches, limits, true, [] { return Statistics{}; },
      [&](const auto& context, auto make_terminal) {
        return polish(context, make_terminal, exchange);
      });
}

}  // namespace treeproof::threshold
