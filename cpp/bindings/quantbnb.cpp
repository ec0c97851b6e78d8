// Python's way into Quant-BnB: arrays in, a plain dictionary out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <stdexcept>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
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

nb::dict quant_labels(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                      const IntArray& labels, int n_classes, const DoubleArray& weights, int depth,
                      const std::string& bound, int s, int s_prime, double time_limit,
                      std::uint64_t memory_limit) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  check_numeric(kinds);
  const quantbnb::Settings settings = read_settings(depth, bound, s, s_prime);
  std::vector<Feature> features = read_features(kinds, n_values);
  Limits limits(time_limit, memory_limit, python_interrupted);
  quantbnb::Result<Cost> result;
  Cost whole = 0;
  {
    nb::gil_scoped_release unlocked;
    const std::vector<Weight> rounded = whole_weights(view(weights));
    whole = cost_of(std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0}));
    const Columns columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(labels.size()));
    result = quantbnb::solve_labels(columns, view(labels), n_classes, rounded, settings, limits);
  }
  return answer(result, whole, limits, labels.size());
}

nb::dict quant_targets(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                       const DoubleArray& targets, int n_outputs, const std::string& criterion,
                       const DoubleArray& weights, int depth, const std::string& bound, int s,
                       int s_prime, double time_limit, std::uint64_t memory_limit) {
  const std::size_t n_rows = weights.size();
  check_codes(kinds, n_values, codes, n_rows, weights);
  check_numeric(kinds);
  check_targets(targets, n_outputs, n_rows);
  const Criterion chosen = read_criterion(criterion, view(targets));
  if (chosen == Criterion::poisson) throw std::invalid_argument("no such criterion here");
  const quantbnb::Settings settings = read_settings(depth, bound, s, s_prime);
  std::vector<Feature> features = read_features(kinds, n_values);
  Limits limits(time_limit, memory_limit, python_interrupted);
  quantbnb::Result<double> result;
  {
    nb::gil_scoped_release unlocked;
    const Columns columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(n_rows));
    result = quantbnb::solve_targets(columns, view(targets), n_outputs, view(weights),
                                     chosen == Criterion::squared_error, settings, limits);
  }
  return answer(result, 1.0, limits, n_rows);
}

}  // namespace

void bind_quantbnb(nb::module_& m) {
  m.def("quant_labels", &quant_labels, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "depth"_a, "bound"_a = "W1", "s"_a = 3,
        "s_prime"_a = 0, "time_limit"_a = 0.0, "memory_limit"_a = 0,
        "Quant-BnB for classification trees of depth 2 or 3.");
  m.def("quant_targets", &quant_targets, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "targets"_a, "n_outputs"_a = 1, "criterion"_a = "squared_error", "weights"_a, "depth"_a,
        "bound"_a = "W1", "s"_a = 3, "s_prime"_a = 0, "time_limit"_a = 0.0, "memory_limit"_a = 0,
        "Quant-BnB for regression trees of depth 2 or 3.");
}

}  // namespace treeproof::bindings
