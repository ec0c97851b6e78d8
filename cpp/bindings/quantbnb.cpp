// Python's way into Quant-BnB: arrays in, a plain dictionary out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <stdexcept>
#include <string>

#include "bindings/encoded_table.hpp"
#include "bindings/split_answer.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/quantbnb/solve.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

namespace quantbnb = treeproof::quantbnb;
using treeproof::bindings::view;
using IntArray = treeproof::bindings::Vector<std::int32_t>;
using DoubleArray = treeproof::bindings::Vector<double>;

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
nb::dict answer(const quantbnb::Result<Value>& result, Value unit,
                const treeproof::Limits& limits, std::size_t n_rows) {
  nb::dict out = treeproof::bindings::split_answer(result, unit, limits, n_rows);
  nb::list surviving;
  for (const std::int64_t n : result.surviving) surviving.append(n);
  nb::cast<nb::dict>(out["statistics"])["surviving_intervals"] = surviving;
  return out;
}

nb::dict quant_labels(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                      const IntArray& labels, int n_classes, const DoubleArray& weights,
                      int depth, const std::string& bound, int s, int s_prime,
                      double time_limit, std::uint64_t memory_limit) {
  treeproof::bindings::check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  check_numeric(kinds);
  const quantbnb::Settings settings = read_settings(depth, bound, s, s_prime);
  std::vector<treeproof::Feature> features = treeproof::bindings::read_features(kinds, n_values);
  treeproof::Limits limits(time_limit, memory_limit, treeproof::bindings::python_interrupted);
  quantbnb::Result<treeproof::Cost> result;
  treeproof::Cost whole = 0;
  {
    nb::gil_scoped_release unlocked;
    const std::vector<treeproof::Weight> rounded = treeproof::whole_weights(view(weights));
    whole = treeproof::cost_of(
        std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0}));
    const treeproof::Columns columns = treeproof::sort_columns(
        std::move(features), view(codes), static_cast<std::int32_t>(labels.size()));
    result = quantbnb::solve_labels(columns, view(labels), n_classes, rounded, settings, limits);
  }
  return answer(result, whole, limits, labels.size());
}

nb::dict quant_targets(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                       const DoubleArray& targets, int n_outputs, const std::string& criterion,
                       const DoubleArray& weights, int depth, const std::string& bound, int s,
                       int s_prime, double time_limit, std::uint64_t memory_limit) {
  const std::size_t n_rows = weights.size();
  treeproof::bindings::check_codes(kinds, n_values, codes, n_rows, weights);
  check_numeric(kinds);
  if (n_outputs < 1 || targets.size() != n_rows * static_cast<std::size_t>(n_outputs))
    throw std::invalid_argument("targets of the wrong length");
  if (criterion != "squared_error" && criterion != "absolute_error")
    throw std::invalid_argument("unknown criterion '" + criterion + "'");
  const quantbnb::Settings settings = read_settings(depth, bound, s, s_prime);
  std::vector<treeproof::Feature> features = treeproof::bindings::read_features(kinds, n_values);
  treeproof::Limits limits(time_limit, memory_limit, treeproof::bindings::python_interrupted);
  quantbnb::Result<double> result;
  {
    nb::gil_scoped_release unlocked;
    const treeproof::Columns columns = treeproof::sort_columns(
        std::move(features), view(codes), static_cast<std::int32_t>(n_rows));
    result = quantbnb::solve_targets(columns, view(targets), n_outputs, view(weights),
                                     criterion == "squared_error", settings, limits);
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
