// Python's way into the regression searches: arrays in, a plain dictionary out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/observer.hpp"
#include "bindings/solved_problem.hpp"
#include "bindings/threshold_switches.hpp"
#include "data/columns.hpp"
#include "search/threshold/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

nb::dict solve_targets(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                       const DoubleArray& targets, int n_outputs, const std::string& criterion,
                       const DoubleArray& weights, double split_penalty, int max_depth,
                       int max_splits, std::int64_t min_samples_leaf, double time_limit,
                       std::uint64_t memory_limit, std::optional<nb::callable> observer,
                       const nb::dict& switches, int n_jobs, bool record,
                       const std::string& penalize, double smoothing,
                       const std::vector<double>& quantiles, bool list,
                       const std::optional<DoubleArray>& lines, double ridge) {
  const std::size_t n_rows = weights.size();
  check_codes(kinds, n_values, codes, n_rows, weights);
  check_targets(targets, n_outputs, n_rows);
  const Criterion chosen = read_criterion(criterion, view(targets));
  const Targets given = read_targets(targets, n_outputs, weights, smoothing, quantiles,
                                     lines ? view(*lines) : std::span<const double>(), ridge);
  if (chosen == Criterion::linear && (given.lines.empty() || record))
    throw std::invalid_argument("lines need columns, and have no record");
  const threshold::Switches read = read_switches(switches, n_jobs);
  std::vector<Feature> features = read_features(kinds, n_values);
  const double event_unit = 1e15;
  bool interrupted = false;
  const Observer notify = observer_for(observer, event_unit, interrupted);
  Limits limits(time_limit, memory_limit, interrupted_or(interrupted));
  threshold::Result<double> result;
  SolvedTargets solved{};
  {
    nb::gil_scoped_release unlocked;
    solved.columns =
        sort_columns(std::move(features), view(codes), static_cast<std::int32_t>(n_rows));
    solved.tree_limits = {split_penalty,           max_depth, max_splits, min_samples_leaf,
                          read_penalize(penalize), list};
    result = threshold::solve_targets(chosen, solved.columns, given, solved.tree_limits, read,
                                      limits, notify, record ? &solved.record : nullptr);
    if (record) {
      solved.targets.assign(view(targets).begin(), view(targets).end());
      solved.weights.assign(view(weights).begin(), view(weights).end());
      solved.n_outputs = n_outputs;
      solved.smoothing = smoothing;
      solved.quantiles = quantiles;
      solved.criterion = chosen;
    }
  }
  nb::dict answer = split_answer(result, 1.0, limits, n_rows);
  if (record) answer["record"] = nb::cast(std::move(solved));
  return answer;
}

}  // namespace

void bind_regression(nb::module_& m) {
  m.def("solve_targets", &solve_targets, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "targets"_a, "n_outputs"_a = 1, "criterion"_a = "squared_error", "weights"_a,
        "split_penalty"_a, "max_depth"_a = -1, "max_splits"_a = -1, "min_samples_leaf"_a = 1,
        "time_limit"_a = 0.0, "memory_limit"_a = 0, "observer"_a = nb::none(),
        "switches"_a = nb::dict(), "n_jobs"_a = 1, "record"_a = false, "penalize"_a = "splits",
        "smoothing"_a = 0.0, "quantiles"_a = std::vector<double>(), "list"_a = false,
        "lines"_a = nb::none(), "ridge"_a = 0.0,
        "Search for an optimal regression tree over every threshold; with `record`, the answer "
        "has a `SolvedTargets` from which a proof can be derived.");
}

}  // namespace treeproof::bindings
