#include "search/paths/solve.hpp"

#include "loss/absolute_error.hpp"
#include "loss/centred_targets.hpp"
#include "loss/linear_error.hpp"
#include "loss/misclassification.hpp"
#include "loss/moment_loss.hpp"
#include "search/paths/search.hpp"

namespace treeproof::paths {
namespace {

template <class L>
Result<double> run(const Columns& columns, const L& loss, const Rules& rules,
                   const TreeLimits& tree_limits, Limits& limits) {
  return Search<L>(columns, loss, rules, tree_limits, tree_limits.split_penalty, limits).solve();
}

Result<double> constant_leaf(double split_cost) {
  Result<double> result;
  result.split_cost = split_cost;
  result.optimal = true;
  return result;
}

template <class Phi>
Result<double> run_moments(const CentredTargets& centred, const Columns& columns,
                           const Targets& targets, const Rules& rules,
                           const TreeLimits& tree_limits, Limits& limits) {
  if (centred.constant) return constant_leaf(tree_limits.split_penalty);
  const MomentLoss<Phi> loss(centred, targets.n_outputs, Tolerance::relative_to(1.0));
  return run(columns, loss, rules, tree_limits, limits);
}

}  // namespace

Result<Cost> solve_labels(const Columns& columns, std::span<const std::int32_t> labels,
                          std::int32_t n_classes, std::span<const Weight> weights,
                          std::int64_t total_weight, const Rules& rules,
                          const TreeLimits& tree_limits, Limits& limits) {
  const Misclassification loss(labels, weights, n_classes, {}, {}, rules.directions);
  const Cost price = split_cost(tree_limits.split_penalty, total_weight);
  return Search<Misclassification>(columns, loss, rules, tree_limits, price, limits).solve();
}

Result<double> solve_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                             const Rules& rules, const TreeLimits& tree_limits, Limits& limits) {
  switch (criterion) {
    case Criterion::squared_error:
      return run_moments<Squares>(CentredTargets::for_squared_error(targets), columns, targets,
                                  rules, tree_limits, limits);
    case Criterion::poisson:
      return run_moments<Logs>(CentredTargets::for_poisson(targets), columns, targets, rules,
                               tree_limits, limits);
    case Criterion::linear: {
      const LinearError loss(CentredTargets::for_squared_error(targets), targets.lines,
                             targets.ridge);
      if (loss.constant()) return constant_leaf(tree_limits.split_penalty);
      return run(columns, loss, rules, tree_limits, limits);
    }
    case Criterion::absolute_error: break;
  }
  const CentredTargets centred = CentredTargets::for_absolute_error(targets);
  if (centred.constant) return constant_leaf(tree_limits.split_penalty);
  const AbsoluteError loss(centred.values, targets.n_outputs, centred.weights, targets.quantiles,
                           Tolerance::relative_to(1.0));
  return run(columns, loss, rules, tree_limits, limits);
}

}  // namespace treeproof::paths
