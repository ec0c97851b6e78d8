// Bindings of the threshold search.
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
#include "bindings/search_options.hpp"
#include "bindings/solved_problem.hpp"
#include "bindings/threshold_switches.hpp"
#include "bounds/prices/first_prices.hpp"
#include "bounds/prices/price_maker.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/threshold/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

void check_directions(const EncodedTable& table, std::span<const std::int32_t> directions) {
  if (directions.empty()) return;
  if (directions.size() != table.kinds.size() || table.n_classes != 2)
    throw std::invalid_argument("there must be one direction for each column, and two classes");
  for (std::size_t f = 0; f < directions.size(); ++f)
    if (directions[f] != 0 &&
        view(table.kinds)[f] != static_cast<std::int32_t>(FeatureKind::ordered))
      throw std::invalid_argument("only ordered columns can have directions");
}

nb::dict solve_labels(const EncodedTable& table, const SearchOptions& options,
                      const nb::dict& switches, bool divide_weights, bool record,
                      std::int64_t price_work, const std::optional<Vector<Cost>>& prices,
                      bool search, const std::optional<IntArray>& directions) {
  const std::span<const std::int32_t> labels = table.row_labels();
  const std::span<const std::int32_t> along = view_of(directions);
  check_directions(table, along);
  threshold::Switches read = read_switches(switches, options.n_jobs);
  prices::PriceBoard board;
  // A proof can cite known prices, but none that are computed here: their argument would be lost.
  const prices::FirstPrices first{record ? 0 : price_work, view_of(prices)};
  double unit = 1.0;
  bool interrupted = false;
  const Observer notify = observer_for(options.observer, unit, interrupted);
  Limits limits = options.limits(interrupted);
  threshold::Result<Cost> result;
  Cost whole = 0;
  SolvedLabels solved{};
  {
    nb::gil_scoped_release unlocked;
    solved.weights = whole_weights(view(table.weights), divide_weights);
    solved.total_weight =
        std::accumulate(solved.weights.begin(), solved.weights.end(), std::int64_t{0});
    whole = cost_of(solved.total_weight);
    unit = static_cast<double>(whole);
    solved.columns = sort_columns(table.features(), view(table.codes), table.n_rows_32());
    solved.tree_limits = options.trees;
    solved.n_classes = table.n_classes;
    if (first.wanted()) {
      const auto points =
          prices::make_points(solved.columns, labels, table.n_classes, solved.weights);
      const Cost per_leaf =
          prices::cost_per_leaf(split_cost(options.trees.split_penalty, solved.total_weight),
                                solved.columns.features, solved.tree_limits.penalize);
      post_first_prices(first, points, solved.weights, per_leaf, limits, board);
      read.prices = &board;
      solved.prices = board.look();
    }
    if (search)
      result = threshold::solve_labels(
          solved.columns,
          {labels, table.n_classes, solved.weights, solved.total_weight, {}, {}, along},
          solved.tree_limits, read, limits, notify, record ? &solved.record : nullptr);
    if (record) {
      solved.labels.assign(labels.begin(), labels.end());
      solved.directions.assign(along.begin(), along.end());
    }
  }
  nb::dict answer = split_answer(result, whole, limits, labels.size());
  if (record) answer["record"] = nb::cast(std::move(solved));
  return answer;
}

}  // namespace

void bind_threshold(nb::module_& m) {
  m.def("solve_threshold", &solve_labels, "table"_a, "options"_a, nb::kw_only(),
        "switches"_a = nb::dict(), "divide_weights"_a = true, "record"_a = false,
        "price_work"_a = 0, "prices"_a = nb::none(), "search"_a = true, "directions"_a = nb::none(),
        "Search for an optimal classification tree over every threshold. With `record`, the "
        "answer has a `SolvedLabels` from which a proof can be derived. Without `search`, nothing "
        "is searched, and the answer has only this record.");
}

}  // namespace treeproof::bindings
