// What a search for regression trees is put together from: targets centred and scaled so that a
// single leaf loses 1, the loss, the context, and a maker of solvers for the last levels.
//
// `constant` is called if all targets are equal; `use` is called with the rest otherwise. If they
// are `preparing`, they throw `Stopped` when a limit is hit before everything is made.
#pragma once

#include <memory>

#include "loss/centred_targets.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof::threshold {

template <class Constant, class Use>
auto with_squared_error(const Columns& columns, const Targets& targets,
                        const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                        bool preparing, Constant constant, Use use) {
  const CentredTargets centred =
      CentredTargets::for_squared_error(targets.values, targets.n_outputs, targets.weights);
  if (centred.constant) return constant();
  if (preparing) limits.prepare(targets.values.size());
  const SquaredError loss(centred.values, targets.n_outputs, centred.weights,
                          Tolerance::relative_to(1.0));
  Counters counters;
  const Context<SquaredError> context = context_for(
      columns, loss, tree_limits, switches, tree_limits.split_penalty, limits, counters);
  const ColumnCodes codes = make_codes(columns, BinTargets{}, preparing ? &limits : nullptr);
  return use(context, [&codes](const auto& theirs, auto& stumps) {
    return std::make_unique<MomentTerminal>(theirs, stumps, codes);
  });
}

template <class Constant, class Use>
auto with_absolute_error(const Columns& columns, const Targets& targets,
                         const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                         bool preparing, Constant constant, Use use) {
  const CentredTargets centred =
      CentredTargets::for_absolute_error(targets.values, targets.n_outputs, targets.weights);
  if (centred.constant) return constant();
  if (preparing) limits.prepare(targets.values.size());
  const AbsoluteError loss(centred.values, targets.n_outputs, centred.weights,
                           Tolerance::relative_to(1.0));
  Counters counters;
  const Context<AbsoluteError> context = context_for(
      columns, loss, tree_limits, switches, tree_limits.split_penalty, limits, counters);
  return use(context, [](const auto& theirs, auto& stumps) {
    return std::make_unique<StumpTerminal<AbsoluteError>>(theirs, stumps);
  });
}

}  // namespace treeproof::threshold
