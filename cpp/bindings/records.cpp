// The records that Python passes to a search: a table, and the options of the search.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "bindings/sparse_switches.hpp"
#include "data/merged_targets.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

EncodedTable with_labels(IntArray kinds, IntArray n_values, IntArray codes, DoubleArray weights,
                         IntArray labels, int n_classes) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  EncodedTable table{std::move(kinds), std::move(n_values), std::move(codes), std::move(weights)};
  table.labels = std::move(labels);
  table.n_classes = n_classes;
  return table;
}

// Replaces the arrays by those of the table without repeated rows.
void merge_rows(IntArray& codes, DoubleArray& targets, DoubleArray& weights) {
  MergedTargets merged;
  {
    nb::gil_scoped_release unlocked;
    merged = merge_equal_rows(view(codes), view(targets), view(weights));
  }
  codes = nb::cast<IntArray>(to_numpy(std::move(merged.codes)));
  targets = nb::cast<DoubleArray>(to_numpy(std::move(merged.targets)));
  weights = nb::cast<DoubleArray>(to_numpy(std::move(merged.weights)));
}

EncodedTable with_targets(IntArray kinds, IntArray n_values, IntArray codes, DoubleArray weights,
                          DoubleArray targets, int n_outputs, const std::string& criterion,
                          double smoothing, std::vector<double> quantiles,
                          std::optional<DoubleArray> lines, double ridge, bool merge) {
  check_codes(kinds, n_values, codes, weights.size(), weights);
  check_targets(targets, n_outputs, weights.size());
  const Criterion chosen = read_criterion(criterion, view(targets));
  if (chosen == Criterion::linear && view_of(lines).empty())
    throw std::invalid_argument("lines in leaves need columns");
  if (merge) {
    if (lines) throw std::invalid_argument("rows with columns for lines cannot be merged");
    merge_rows(codes, targets, weights);
  }
  EncodedTable table{std::move(kinds), std::move(n_values), std::move(codes), std::move(weights)};
  table.targets = std::move(targets);
  table.n_outputs = n_outputs;
  table.criterion = chosen;
  table.smoothing = smoothing;
  table.quantiles = std::move(quantiles);
  table.lines = std::move(lines);
  table.ridge = ridge;
  static_cast<void>(table.row_targets());  // throws if a parameter of the leaves is not valid
  return table;
}

SearchOptions search_options(double split_penalty, const std::string& penalize, int max_depth,
                             int max_splits, std::int64_t min_samples_leaf, bool list,
                             double time_limit, std::uint64_t memory_limit,
                             std::optional<nb::callable> observer, int n_jobs) {
  if (n_jobs < 1) throw std::invalid_argument("n_jobs must be at least 1");
  return {{split_penalty, max_depth, max_splits, min_samples_leaf, read_penalize(penalize), list},
          time_limit,
          memory_limit,
          std::move(observer),
          n_jobs};
}

SparseOptions sparse_options(const nb::dict& switches, std::string kernel, const std::string& fault,
                             bool helpers_at_once, std::string proof_log, std::string checkpoint,
                             double checkpoint_pause, std::uint64_t key_seed,
                             std::optional<Cost> cutoff) {
  SparseOptions options;
  options.engine.switches = read_sparse_switches(switches);
  options.engine.kernel = std::move(kernel);
  options.engine.fault = read_fault(fault);
  options.engine.helpers_at_once = helpers_at_once;
  options.engine.checkpoint_pause = checkpoint_pause;
  options.proof_log = std::move(proof_log);
  options.checkpoint = std::move(checkpoint);
  options.key_seed = key_seed;
  if (cutoff) options.engine.cutoff = *cutoff;
  return options;
}

}  // namespace

void bind_records(nb::module_& m) {
  nb::class_<EncodedTable>(m, "EncodedTable",
                           "An encoded table: the codes of all rows, one column after the other, "
                           "the weights, and the labels or targets.")
      .def_static("with_labels", &with_labels, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
                  "weights"_a, "labels"_a, "n_classes"_a, "The table of a classification problem.")
      .def_static("with_targets", &with_targets, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
                  "weights"_a, "targets"_a, "n_outputs"_a = 1, "criterion"_a = "squared_error",
                  "smoothing"_a = 0.0, "quantiles"_a = std::vector<double>(),
                  "lines"_a = nb::none(), "ridge"_a = 0.0, "merge"_a = false,
                  "The table of a regression problem; with `merge`, equal rows become one.")
      .def_prop_ro("n_rows", &EncodedTable::n_rows);
  nb::class_<SearchOptions>(m, "SearchOptions",
                            "The limits on the trees, the limits of the search, and its observer.")
      .def(nb::new_(&search_options), nb::kw_only(), "split_penalty"_a = 0.0,
           "penalize"_a = "splits", "max_depth"_a = -1, "max_splits"_a = -1,
           "min_samples_leaf"_a = 1, "list"_a = false, "time_limit"_a = 0.0, "memory_limit"_a = 0,
           "observer"_a = nb::none(), "n_jobs"_a = 1);
  nb::class_<SparseOptions>(m, "SparseOptions", "Options of the sparse engine alone.")
      .def(nb::new_(&sparse_options), nb::kw_only(), "switches"_a = nb::dict(), "kernel"_a = "",
           "fault"_a = "none", "helpers_at_once"_a = false, "proof_log"_a = "", "checkpoint"_a = "",
           "checkpoint_pause"_a = 0.5, "key_seed"_a = 0, "cutoff"_a = nb::none());
}

}  // namespace treeproof::bindings
