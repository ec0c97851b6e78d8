// Bindings of the search in which the path to a node decides which tests are allowed and what they
// cost.
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
#include "bindings/search_options.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/paths/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using Costs = Vector<Cost>;

paths::Rules read_rules(std::size_t n_features, std::size_t n_rows, int n_states,
                        const IntArray& next, const std::optional<Costs>& prices,
                        const std::optional<IntArray>& pays, bool contract,
                        const std::optional<IntArray>& directions) {
  const paths::Rules rules{n_states,      view(next), view_of(prices),
                           view_of(pays), contract,   view_of(directions)};
  const std::size_t n = static_cast<std::size_t>(std::max(n_states, 0)) * n_features;
  if (n_states < 1 || rules.next.size() != n)
    throw std::invalid_argument("there must be one rule for each state and column");
  if (std::ranges::any_of(rules.next, [&](std::int32_t s) { return s < -1 || s >= n_states; }))
    throw std::invalid_argument("a rule names a state that does not exist");
  if (!rules.prices.empty() && (rules.prices.size() != n || rules.pays.size() != n_rows))
    throw std::invalid_argument(
        "there must be one price for each state and column, and one factor for each row");
  if (std::ranges::any_of(rules.prices, [](Cost price) { return price < 0; }) ||
      std::ranges::any_of(rules.pays, [](Weight w) { return w < 0; }))
    throw std::invalid_argument("a price is negative");
  if (!rules.directions.empty() && rules.directions.size() != n_features)
    throw std::invalid_argument("there must be one direction for each column");
  return rules;
}

nb::dict solve_labels(const EncodedTable& table, const SearchOptions& options, int n_states,
                      const IntArray& next, const std::optional<Costs>& prices,
                      const std::optional<IntArray>& pays, bool contract,
                      const std::optional<IntArray>& directions) {
  const std::span<const std::int32_t> labels = table.row_labels();
  const paths::Rules rules = read_rules(table.kinds.size(), table.n_rows(), n_states, next, prices,
                                        pays, contract, directions);
  if (!rules.directions.empty() && table.n_classes != 2)
    throw std::invalid_argument("directions need two classes");
  bool interrupted = false;
  Limits limits = options.limits(interrupted);
  paths::Result<Cost> result;
  Cost unit = 0;
  {
    nb::gil_scoped_release unlocked;
    // Prices are given in the unit of these weights, so the weights are not divided by a common
    // factor.
    const std::vector<Weight> whole = whole_weights(view(table.weights), false);
    const auto total = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
    unit = cost_of(total);
    const Columns columns = sort_columns(table.features(), view(table.codes), table.n_rows_32());
    result = paths::solve_labels(columns, labels, table.n_classes, whole, total, rules,
                                 options.trees, limits);
  }
  return split_answer(result, unit, limits, table.n_rows());
}

nb::dict solve_targets(const EncodedTable& table, const SearchOptions& options, int n_states,
                       const IntArray& next) {
  const Targets given = table.row_targets();
  const paths::Rules rules =
      read_rules(table.kinds.size(), table.n_rows(), n_states, next, {}, {}, true, {});
  bool interrupted = false;
  Limits limits = options.limits(interrupted);
  paths::Result<double> result;
  {
    nb::gil_scoped_release unlocked;
    const Columns columns = sort_columns(table.features(), view(table.codes), table.n_rows_32());
    result = paths::solve_targets(table.criterion, columns, given, rules, options.trees, limits);
  }
  return split_answer(result, 1.0, limits, table.n_rows());
}

}  // namespace

void bind_path_rules(nb::module_& m) {
  m.def("solve_path_labels", &solve_labels, "table"_a, "options"_a, nb::kw_only(), "n_states"_a,
        "next"_a, "prices"_a = nb::none(), "pays"_a = nb::none(), "contract"_a = true,
        "directions"_a = nb::none(),
        "Search for an optimal classification tree in which the path to a node decides which tests "
        "are allowed and what they cost.");
  m.def("solve_path_targets", &solve_targets, "table"_a, "options"_a, nb::kw_only(), "n_states"_a,
        "next"_a,
        "Search for an optimal regression tree in which the path to a node decides which tests are "
        "allowed and what they cost.");
}

}  // namespace treeproof::bindings
