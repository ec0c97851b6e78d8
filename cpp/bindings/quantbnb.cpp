// Bindings of Quant-BnB.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <stdexcept>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/quantbnb/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

quantbnb::Settings read_settings(int depth, const std::string& bound, int s, int s_prime) {
  quantbnb::Settings settings;
  if (depth != 2 && depth != 3) throw std::invalid_argument("depth must be 2 or 3");
  if (s < 2) throw std::invalid_argument("s must be 2 or more");
  settings.depth = depth;
  settings.s = s;
  settings.s_prime = s_prime;
  if (bound == "W0") settings.bound = quantbnb::Bound::w0;
  else if (bound == "W1") settings.bound = quantbnb::Bound::w1;
  else if (bound == "W2") settings.bound = quantbnb::Bound::w2;
  else if (bound == "L2") settings.bound = quantbnb::Bound::l2;
  else throw std::invalid_argument("unknown bound '" + bound + "'");
  return settings;
}

void check_numeric(const IntArray& kinds) {
  for (const std::int32_t kind : view(kinds))
    if (kind != 0) throw std::invalid_argument("columns must be numeric");
}

template <class Value>
nb::dict answer(const quantbnb::Result<Value>& result, Value unit, const Limits& limits,
                std::size_t n_rows) {
  nb::dict out = split_answer(result, unit, limits, n_rows);
  nb::list surviving;
  for (const std::int64_t n : result.surviving) surviving.append(n);
  nb::cast<nb::dict>(out["statistics"])["surviving_intervals"] = surviving;
  return out;
}

nb::dict quant_labels(const EncodedTable& table, const SearchOptions& options,
                      const std::string& bound, int s, int s_prime) {
  check_numeric(table.kinds);
  const std::span<const std::int32_t> labels = table.row_labels();
  const quantbnb::Settings settings = read_settings(options.trees.max_depth, bound, s, s_prime);
  Limits limits(options.time_limit, options.memory_limit, python_interrupted);
  quantbnb::Result<Cost> result;
  Cost whole = 0;
  {
    nb::gil_scoped_release unlocked;
    const std::vector<Weight> rounded = whole_weights(view(table.weights));
    whole = cost_of(std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0}));
    const Columns columns = sort_columns(table.features(), view(table.codes), table.n_rows_32());
    result = quantbnb::solve_labels(columns, labels, table.n_classes, rounded, settings, limits);
  }
  return answer(result, whole, limits, table.n_rows());
}

nb::dict quant_targets(const EncodedTable& table, const SearchOptions& options,
                       const std::string& bound, int s, int s_prime) {
  check_numeric(table.kinds);
  const Targets given = table.row_targets();
  if (table.criterion != Criterion::squared_error && table.criterion != Criterion::absolute_error)
    throw std::invalid_argument("no such criterion here");
  const quantbnb::Settings settings = read_settings(options.trees.max_depth, bound, s, s_prime);
  Limits limits(options.time_limit, options.memory_limit, python_interrupted);
  quantbnb::Result<double> result;
  {
    nb::gil_scoped_release unlocked;
    const Columns columns = sort_columns(table.features(), view(table.codes), table.n_rows_32());
    result = quantbnb::solve_targets(columns, given.values, given.n_outputs, given.weights,
                                     table.criterion == Criterion::squared_error, settings, limits);
  }
  return answer(result, 1.0, limits, table.n_rows());
}

}  // namespace

void bind_quantbnb(nb::module_& m) {
  m.def("quant_labels", &quant_labels, "table"_a, "options"_a, nb::kw_only(), "bound"_a = "W1",
        "s"_a = 3, "s_prime"_a = 0, "Quant-BnB for classification trees of depth 2 or 3.");
  m.def("quant_targets", &quant_targets, "table"_a, "options"_a, nb::kw_only(), "bound"_a = "W1",
        "s"_a = 3, "s_prime"_a = 0, "Quant-BnB for regression trees of depth 2 or 3.");
}

}  // namespace treeproof::bindings
