// Bindings of the regression searches.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "bindings/solved_problem.hpp"
#include "bindings/threshold_switches.hpp"
#include "data/columns.hpp"
#include "search/threshold/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

nb::dict solve_targets(const EncodedTable& table, const SearchOptions& options,
                       const nb::dict& switches, bool record, bool search) {
  const Targets given = table.row_targets();
  const threshold::Switches read = read_switches(switches, options.n_jobs);
  const double event_unit = 1e15;
  bool interrupted = false;
  const Observer notify = observer_for(options.observer, event_unit, interrupted);
  Limits limits = options.limits(interrupted);
  threshold::Result<double> result;
  SolvedTargets solved{};
  {
    nb::gil_scoped_release unlocked;
    solved.columns = sort_columns(table.features(), view(table.codes), table.n_rows_32());
    solved.tree_limits = options.trees;
    if (search)
      result = threshold::solve_targets(table.criterion, solved.columns, given, solved.tree_limits,
                                        read, limits, notify, record ? &solved.record : nullptr);
    if (record) {
      solved.targets.assign(given.values.begin(), given.values.end());
      solved.weights.assign(given.weights.begin(), given.weights.end());
      solved.n_outputs = table.n_outputs;
      solved.smoothing = table.smoothing;
      solved.quantiles = table.quantiles;
      solved.lines.assign(given.lines.begin(), given.lines.end());
      solved.ridge = given.ridge;
      solved.criterion = table.criterion;
    }
  }
  nb::dict answer = split_answer(result, 1.0, limits, table.n_rows());
  if (record) answer["record"] = nb::cast(std::move(solved));
  return answer;
}

}  // namespace

void bind_regression(nb::module_& m) {
  m.def("solve_targets", &solve_targets, "table"_a, "options"_a, nb::kw_only(),
        "switches"_a = nb::dict(), "record"_a = false, "search"_a = true,
        "Search for an optimal regression tree over every threshold; with `record`, the answer "
        "has a `SolvedTargets` from which a proof can be derived. Without `search`, nothing is "
        "searched, and the answer has only this record.");
}

}  // namespace treeproof::bindings
