#include "search/quantbnb/solve.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "loss/absolute_error.hpp"
#include "loss/centred_targets.hpp"
#include "loss/misclassification.hpp"
#include "search/quantbnb/build_tree.hpp"
#include "search/quantbnb/depth_three.hpp"
#include "search/quantbnb/depth_two.hpp"

namespace treeproof::quantbnb {
namespace {

// T2 with every feature and threshold: (17) and (60) of the paper.
std::vector<Tuple> everything(const Columns& columns) {
  std::vector<std::int32_t> features(static_cast<std::size_t>(columns.n_features()));
  std::iota(features.begin(), features.end(), 0);
  std::vector<Tuple> tuples;
  for (const std::int32_t f : features)
    tuples.push_back({f, 0, columns.n_values(f), features, features});
  return tuples;
}

template <class L>
Result<typename L::Value> run(const Columns& columns, const L& loss, const Settings& settings,
                              Limits& limits) {
  Counters counters;
  Examiner<L> examiner(columns, loss, settings, limits, counters);
  TreeBuilder<L> builder(columns, loss, examiner);
  const RowSubset rows = RowSubset::whole(columns);
  auto built = builder.leaf(rows);
  Result<typename L::Value> result;
  const auto take = [&](const auto& outcome) {
    if (outcome.choice.feature >= 0) {
      auto better = builder.build(rows, outcome.choice);
      if (better.cost < built.cost) built = std::move(better);
    }
    result.lower = std::min(outcome.lower, built.cost);
    result.optimal = loss.closes(result.lower, built.cost);
    check([&] { return result.optimal || outcome.stopped; }, "a finished search proves its tree");
    result.surviving = outcome.surviving;
  };
  if (settings.depth == 2) {
    take(
        DepthTwo<L>(loss, examiner, limits, counters).solve(rows, everything(columns), built.cost));
  } else {
    take(DepthThree<L>(columns, loss, settings, examiner, limits, counters)
             .solve(rows, everything(columns), built.cost));
  }
  result.tree = std::move(built.tree);
  result.upper = built.cost;
  if (result.optimal) result.lower = result.upper;
  result.stop = limits.reason();
  result.statistics = {{"iterations", static_cast<std::int64_t>(result.surviving.size())},
                       {"examined", counters.examined},
                       {"exhausted", counters.exhausted},
                       {"pruned_pieces", counters.pruned_pieces},
                       {"pruned_features", counters.pruned_features},
                       {"rows_walked", examiner.rows_walked()},
                       {"rows_after_stop", examiner.rows_after_stop()}};
  return result;
}

}  // namespace

Result<Cost> solve_labels(const Columns& columns, std::span<const std::int32_t> labels,
                          std::int32_t n_classes, std::span<const Weight> weights,
                          const Settings& settings, Limits& limits) {
  return run(columns, Misclassification(labels, weights, n_classes), settings, limits);
}

Result<double> solve_targets(const Columns& columns, std::span<const double> targets,
                             std::int32_t n_outputs, std::span<const double> weights, bool squared,
                             const Settings& settings, Limits& limits) {
  const CentredTargets centred =
      squared ? CentredTargets::for_squared_error({targets, n_outputs, weights})
              : CentredTargets::for_absolute_error({targets, n_outputs, weights});
  if (centred.constant) {
    Result<double> leaf;
    leaf.optimal = true;
    return leaf;
  }
  const Tolerance tolerance = Tolerance::relative_to(1.0);
  return squared ? run(columns, SquaredError(centred, n_outputs, tolerance), settings, limits)
                 : run(columns,
                       AbsoluteError(centred.values, n_outputs, centred.weights, {}, tolerance),
                       settings, limits);
}

}  // namespace treeproof::quantbnb
