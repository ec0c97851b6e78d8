// The parts of a search for regression trees: targets that are centred and scaled so that a single
// leaf has loss 1, the loss, the context, and a factory of solvers for the last levels.
//
// `constant` is called if a single leaf loses nothing; `use` is called with the rest otherwise. If
// they are `preparing`, they throw `Stopped` when a limit is hit before everything is made.
#pragma once

#include <memory>

#include "loss/centred_targets.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof::threshold {

// Sums and a convex function: a solver of depth two in lanes.
template <class Phi, class Constant, class Use>
auto with_moments(const CentredTargets& centred, const Columns& columns, const Targets& targets,
                  const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                  bool preparing, Constant constant, Use use) {
  if (centred.constant) return constant();
  if (preparing) limits.prepare(targets.values.size());
  const MomentLoss<Phi> loss(centred, targets.n_outputs, Tolerance::relative_to(1.0));
  Counters counters;
  const Context<MomentLoss<Phi>> context = context_for(columns, loss, tree_limits, switches,
                                                       tree_limits.split_penalty, limits, counters);
  const ColumnCodes codes = make_codes(columns, BinTargets{}, preparing ? &limits : nullptr);
  return use(context, [&codes](const auto& theirs, auto& stumps) {
    return std::make_unique<MomentTerminal<Phi>>(theirs, stumps, codes);
  });
}

// Order statistics: a solver of depth one on sorted lists.
template <class Constant, class Use>
auto with_quantiles(const CentredTargets& centred, const Columns& columns, const Targets& targets,
                    const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                    bool preparing, Constant constant, Use use) {
  if (centred.constant) return constant();
  if (preparing) limits.prepare(targets.values.size());
  const AbsoluteError loss(centred.values, targets.n_outputs, centred.weights, targets.quantiles,
                           Tolerance::relative_to(1.0));
  Counters counters;
  const Context<AbsoluteError> context = context_for(columns, loss, tree_limits, switches,
                                                     tree_limits.split_penalty, limits, counters);
  return use(context, [](const auto& theirs, auto& stumps) {
    return std::make_unique<StumpTerminal<AbsoluteError>>(theirs, stumps);
  });
}

// Lines in leaves: the same.
template <class Constant, class Use>
auto with_lines(const CentredTargets& centred, const Columns& columns, const Targets& targets,
                const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                bool preparing, Constant constant, Use use) {
  const LinearError loss(centred, targets.lines, targets.ridge);
  if (loss.constant()) return constant();
  if (preparing) limits.prepare(targets.values.size() + targets.lines.size());
  Counters counters;
  const Context<LinearError> context = context_for(columns, loss, tree_limits, switches,
                                                   tree_limits.split_penalty, limits, counters);
  return use(context, [](const auto& theirs, auto& stumps) {
    return std::make_unique<StumpTerminal<LinearError>>(theirs, stumps);
  });
}

template <class Constant, class Use>
auto with_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                  const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                  bool preparing, Constant constant, Use use) {
  switch (criterion) {
    case Criterion::squared_error:
      return with_moments<Squares>(CentredTargets::for_squared_error(targets), columns, targets,
                                   tree_limits, switches, limits, preparing, constant, use);
    case Criterion::poisson:
      return with_moments<Logs>(CentredTargets::for_poisson(targets), columns, targets, tree_limits,
                                switches, limits, preparing, constant, use);
    case Criterion::linear:
      return with_lines(CentredTargets::for_squared_error(targets), columns, targets, tree_limits,
                        switches, limits, preparing, constant, use);
    case Criterion::absolute_error: break;
  }
  return with_quantiles(CentredTargets::for_absolute_error(targets), columns, targets, tree_limits,
                        switches, limits, preparing, constant, use);
}

}  // namespace treeproof::threshold
