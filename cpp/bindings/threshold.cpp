// Python's way into the threshold search: arrays in, a plain dictionary out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <optional>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/first_prices.hpp"
#include "bindings/observer.hpp"
#include "bindings/solved_problem.hpp"
#include "bindings/threshold_switches.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/threshold/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

nb::dict solve_labels(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                      const IntArray& labels, int n_classes, const DoubleArray& weights,
                      double split_penalty, int max_depth, int max_splits,
                      std::int64_t min_samples_leaf, double time_limit, std::uint64_t memory_limit,
                      std::optional<nb::callable> observer, const nb::dict& switches,
                      bool divide_weights, int n_jobs, bool record, const std::string& penalize,
                      std::int64_t price_work, const std::optional<Vector<Cost>>& prices,
                      bool search, bool list, const std::optional<IntArray>& directions) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  const std::span<const std::int32_t> along =
      directions ? view(*directions) : std::span<const std::int32_t>();
  if (!along.empty() && (along.size() != kinds.size() || n_classes != 2))
    throw std::invalid_argument("directions are one for each column, for two classes");
  for (std::size_t f = 0; f < along.size(); ++f)
    if (along[f] != 0 && view(kinds)[f] != static_cast<std::int32_t>(FeatureKind::ordered))
      throw std::invalid_argument("only ordered columns have directions");
  threshold::Switches read = read_switches(switches, n_jobs);
  prices::PriceBoard board;
  const std::span<const Cost> known = prices ? view(*prices) : std::span<const Cost>();
  std::vector<Feature> features = read_features(kinds, n_values);
  double unit = 1.0;
  bool interrupted = false;
  const Observer notify = observer_for(observer, unit, interrupted);
  Limits limits(time_limit, memory_limit, interrupted_or(interrupted));
  threshold::Result<Cost> result;
  Cost whole = 0;
  SolvedLabels solved{};
  {
    nb::gil_scoped_release unlocked;
    solved.weights = whole_weights(view(weights), divide_weights);
    solved.total_weight =
        std::accumulate(solved.weights.begin(), solved.weights.end(), std::int64_t{0});
    whole = cost_of(solved.total_weight);
    unit = static_cast<double>(whole);
    solved.columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(labels.size()));
    solved.tree_limits = {split_penalty,           max_depth, max_splits, min_samples_leaf,
                          read_penalize(penalize), list};
    solved.n_classes = n_classes;
    if ((price_work > 0 && !record) || !known.empty()) {
      const auto points =
          prices::make_points(solved.columns, view(labels), n_classes, solved.weights);
      const Cost per_leaf =
          prices::cost_per_leaf(split_cost(split_penalty, solved.total_weight),
                                solved.columns.features, solved.tree_limits.penalize);
      if (price_work > 0 && !record)
        post_first_prices(points, solved.weights, per_leaf, price_work, limits, board);
      post_known_prices(points, solved.weights, known, per_leaf, board);
      read.prices = &board;
      solved.prices = board.look();
    }
    if (search)
      result = threshold::solve_labels(
          solved.columns,
          {view(labels), n_classes, solved.weights, solved.total_weight, {}, {}, along},
          solved.tree_limits, read, limits, notify, record ? &solved.record : nullptr);
    if (record) {
      solved.labels.assign(view(labels).begin(), view(labels).end());
      solved.directions.assign(along.begin(), along.end());
    }
  }
  nb::dict answer = split_answer(result, whole, limits, labels.size());
  if (record) answer["record"] = nb::cast(std::move(solved));
  return answer;
}

}  // namespace

void bind_threshold(nb::module_& m) {
  m.def("solve_threshold", &solve_labels, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "split_penalty"_a, "max_depth"_a = -1,
        "max_splits"_a = -1, "min_samples_leaf"_a = 1, "time_limit"_a = 0.0, "memory_limit"_a = 0,
        "observer"_a = nb::none(), "switches"_a = nb::dict(), "divide_weights"_a = true,
        "n_jobs"_a = 1, "record"_a = false, "penalize"_a = "splits", "price_work"_a = 0,
        "prices"_a = nb::none(), "search"_a = true, "list"_a = false, "directions"_a = nb::none(),
        "Search for an optimal classification tree over every threshold; with `record`, the "
        "answer has a `SolvedLabels` from which a proof can be derived. Without `search` it has "
        "nothing else: for an answer that was found before.");
}

}  // namespace treeproof::bindings
