// Python's way into the search under rules about paths: arrays in, a plain dictionary out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/observer.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/paths/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using Costs = Vector<Cost>;

template <class Array>
auto view_of(const std::optional<Array>& array) {
  return array ? view(*array) : decltype(view(*array))();
}

paths::Rules read_rules(std::size_t n_features, std::size_t n_rows, int n_states,
                        const IntArray& next, const std::optional<Costs>& prices,
                        const std::optional<IntArray>& pays, bool contract,
                        const std::optional<IntArray>& directions) {
  const paths::Rules rules{n_states,      view(next), view_of(prices),
                           view_of(pays), contract,   view_of(directions)};
  const std::size_t n = static_cast<std::size_t>(std::max(n_states, 0)) * n_features;
  if (n_states < 1 || rules.next.size() != n)
    throw std::invalid_argument("rules for each state and column");
  if (std::ranges::any_of(rules.next, [&](std::int32_t s) { return s < -1 || s >= n_states; }))
    throw std::invalid_argument("a state that does not exist");
  if (!rules.prices.empty() && (rules.prices.size() != n || rules.pays.size() != n_rows))
    throw std::invalid_argument("prices for each state and column, and what each row pays");
  if (std::ranges::any_of(rules.prices, [](Cost price) { return price < 0; }) ||
      std::ranges::any_of(rules.pays, [](Weight w) { return w < 0; }))
    throw std::invalid_argument("a negative price");
  if (!rules.directions.empty() && rules.directions.size() != n_features)
    throw std::invalid_argument("a direction for each column");
  return rules;
}

nb::dict solve_labels(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                      const IntArray& labels, int n_classes, const DoubleArray& weights,
                      double split_penalty, int max_depth, std::int64_t min_samples_leaf,
                      double time_limit, std::uint64_t memory_limit, const std::string& penalize,
                      int n_states, const IntArray& next, const std::optional<Costs>& prices,
                      const std::optional<IntArray>& pays, bool contract, bool list,
                      const std::optional<IntArray>& directions) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  const paths::Rules rules =
      read_rules(kinds.size(), labels.size(), n_states, next, prices, pays, contract, directions);
  if (!rules.directions.empty() && n_classes != 2)
    throw std::invalid_argument("directions are for two classes");
  std::vector<Feature> features = read_features(kinds, n_values);
  bool interrupted = false;
  Limits limits(time_limit, memory_limit, interrupted_or(interrupted));
  paths::Result<Cost> result;
  Cost unit = 0;
  {
    nb::gil_scoped_release unlocked;
    // Prices are in the units of these weights, so no common factor is taken off.
    const std::vector<Weight> whole = whole_weights(view(weights), false);
    const auto total = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
    unit = cost_of(total);
    const Columns columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(labels.size()));
    const TreeLimits tree_limits{split_penalty,           max_depth, -1, min_samples_leaf,
                                 read_penalize(penalize), list};
    result = paths::solve_labels(columns, view(labels), n_classes, whole, total, rules, tree_limits,
                                 limits);
  }
  return split_answer(result, unit, limits, labels.size());
}

nb::dict solve_targets(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                       const DoubleArray& targets, int n_outputs, const std::string& criterion,
                       const DoubleArray& weights, double split_penalty, int max_depth,
                       std::int64_t min_samples_leaf, double time_limit, std::uint64_t memory_limit,
                       const std::string& penalize, double smoothing,
                       const std::vector<double>& quantiles, int n_states, const IntArray& next,
                       bool list, const std::optional<DoubleArray>& lines, double ridge) {
  const std::size_t n_rows = weights.size();
  check_codes(kinds, n_values, codes, n_rows, weights);
  check_targets(targets, n_outputs, n_rows);
  const Criterion chosen = read_criterion(criterion, view(targets));
  const Targets given =
      read_targets(targets, n_outputs, weights, smoothing, quantiles, view_of(lines), ridge);
  if (chosen == Criterion::linear && given.lines.empty())
    throw std::invalid_argument("lines need columns");
  const paths::Rules rules = read_rules(kinds.size(), n_rows, n_states, next, {}, {}, true, {});
  std::vector<Feature> features = read_features(kinds, n_values);
  bool interrupted = false;
  Limits limits(time_limit, memory_limit, interrupted_or(interrupted));
  paths::Result<double> result;
  {
    nb::gil_scoped_release unlocked;
    const Columns columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(n_rows));
    const TreeLimits tree_limits{split_penalty,           max_depth, -1, min_samples_leaf,
                                 read_penalize(penalize), list};
    result = paths::solve_targets(chosen, columns, given, rules, tree_limits, limits);
  }
  return split_answer(result, 1.0, limits, n_rows);
}

}  // namespace

void bind_path_rules(nb::module_& m) {
  m.def("solve_path_labels", &solve_labels, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "split_penalty"_a, "max_depth"_a = -1,
        "min_samples_leaf"_a = 1, "time_limit"_a = 0.0, "memory_limit"_a = 0,
        "penalize"_a = "splits", "n_states"_a, "next"_a, "prices"_a = nb::none(),
        "pays"_a = nb::none(), "contract"_a = true, "list"_a = false, "directions"_a = nb::none(),
        "Search for an optimal classification tree in which tests depend on the path to them: "
        "which are allowed in which state, and what they cost.");
  m.def("solve_path_targets", &solve_targets, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "targets"_a, "n_outputs"_a = 1, "criterion"_a = "squared_error", "weights"_a,
        "split_penalty"_a, "max_depth"_a = -1, "min_samples_leaf"_a = 1, "time_limit"_a = 0.0,
        "memory_limit"_a = 0, "penalize"_a = "splits", "smoothing"_a = 0.0,
        "quantiles"_a = std::vector<double>(), "n_states"_a, "next"_a, "list"_a = false,
        "lines"_a = nb::none(), "ridge"_a = 0.0,
        "Search for an optimal regression tree in which tests depend on the path to them.");
}

}  // namespace treeproof::bindings
