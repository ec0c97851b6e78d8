#include "search/paths/solve.hpp"

#include <cstddef>

#include "loss/misclassification.hpp"
#include "loss/target_losses.hpp"
#include "search/paths/search.hpp"

namespace treeproof::paths {
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
  const auto constant = [&] {
    Result<double> result;
    result.split_cost = tree_limits.split_penalty;
    result.optimal = true;
    return result;
  };
  return with_target_loss(
      criterion, targets, constant, [](std::size_t) {},
      [&]<class L>(const L& loss) {
        return Search<L>(columns, loss, rules, tree_limits, tree_limits.split_penalty, limits)
            .solve();
      });
}

}  // namespace treeproof::paths
