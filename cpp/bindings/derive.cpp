// The derivation of proofs for answers of the searches over thresholds.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <string>

#include "bindings/encoded_table.hpp"
#include "data/weights.hpp"
#include "proof/derive.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace treeproof::bindings {
namespace {

template <class Value>
nb::dict derived(const proof::Derived<Value>& done) {
  nb::dict out;
  out["n_steps"] = done.n_steps;
  out["root"] = done.root;
  out["bound"] = done.bound;
  out["complete"] = done.complete;
  return out;
}

nb::dict derive_labels(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                       const IntArray& labels, int n_classes, const DoubleArray& weights,
                       double split_penalty, int max_depth, int max_splits,
                       std::int64_t min_samples_leaf, double time_limit, Cost bound,
                       const std::string& steps) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  std::vector<Feature> features = read_features(kinds, n_values);
  Limits limits(time_limit, 0, python_interrupted);
  proof::Derived<Cost> done;
  {
    nb::gil_scoped_release unlocked;
    const std::vector<Weight> rounded = whole_weights(view(weights), false);
    const std::int64_t total = std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0});
    const Columns columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(labels.size()));
    done = proof::derive_labels(columns, {view(labels), n_classes, rounded, total},
                                {split_penalty, max_depth, max_splits, min_samples_leaf}, bound,
                                limits, steps);
  }
  return derived(done);
}

nb::dict derive_targets(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                        const DoubleArray& targets, int n_outputs, const std::string& criterion,
                        const DoubleArray& weights, double split_penalty, int max_depth,
                        int max_splits, std::int64_t min_samples_leaf, double time_limit,
                        double bound, double unit, const std::string& steps) {
  const std::size_t n_rows = weights.size();
  check_codes(kinds, n_values, codes, n_rows, weights);
  check_targets(targets, n_outputs, n_rows, criterion);
  std::vector<Feature> features = read_features(kinds, n_values);
  Limits limits(time_limit, 0, python_interrupted);
  proof::Derived<double> done;
  {
    nb::gil_scoped_release unlocked;
    const Columns columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(n_rows));
    const auto derive =
        criterion == "squared_error" ? &proof::derive_squared : &proof::derive_absolute;
    done = derive(columns, {view(targets), n_outputs, view(weights)},
                  {split_penalty, max_depth, max_splits, min_samples_leaf}, bound, unit, limits,
                  steps);
  }
  return derived(done);
}

}  // namespace

void bind_derive(nb::module_& m) {
  m.def("derive_labels", &derive_labels, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "split_penalty"_a, "max_depth"_a,
        "max_splits"_a, "min_samples_leaf"_a, "time_limit"_a, "bound"_a, "steps"_a,
        "Write the steps that prove a bound on classification trees as JSON lines.");
  m.def("derive_targets", &derive_targets, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "targets"_a, "n_outputs"_a, "criterion"_a, "weights"_a, "split_penalty"_a,
        "max_depth"_a, "max_splits"_a, "min_samples_leaf"_a, "time_limit"_a, "bound"_a,
        "unit"_a, "steps"_a,
        "Write the steps that prove a bound on regression trees as JSON lines.");
}

}  // namespace treeproof::bindings
