// Bindings of searches on one table at many split costs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/observer.hpp"
#include "bindings/search_options.hpp"
#include "search/sparse/path.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

std::unique_ptr<sparse::PathSearch> make_path(const EncodedTable& table,
                                              const SearchOptions& options, bool reuse_trees,
                                              bool reuse_facts) {
  TreeLimits trees = options.trees;
  trees.split_penalty = 0.0;  // each search gets its own split cost
  trees.max_splits = -1;
  return std::make_unique<sparse::PathSearch>(
      make_problem(table.features(), view(table.codes), table.row_labels(), table.n_classes,
                   view(table.weights)),
      trees, sparse::Reuse{reuse_trees, reuse_facts});
}

nb::dict solve_at(sparse::PathSearch& path, Cost split_cost, Cost root_lower, double time_limit,
                  std::uint64_t memory_limit, std::optional<nb::callable> observer) {
  const auto unit = static_cast<double>(cost_of(path.problem().total_weight));
  bool interrupted = false;
  const Observer notify = observer_for(observer, unit, interrupted);
  Limits limits(time_limit, memory_limit, interrupted_or(interrupted));
  SearchResult result;
  {
    nb::gil_scoped_release unlocked;
    result = path.solve(split_cost, root_lower, limits, notify);
  }
  return search_answer(path.problem(), result, split_cost, limits);
}

}  // namespace

void bind_path(nb::module_& m) {
  nb::class_<sparse::PathSearch>(m, "PathSearch",
                                 "A table that is searched at one split cost after the other.")
      .def(nb::new_(&make_path), "table"_a, "options"_a, nb::kw_only(), "reuse_trees"_a = true,
           "reuse_facts"_a = true)
      .def_prop_ro("unit",
                   [](const sparse::PathSearch& p) { return cost_of(p.problem().total_weight); })
      .def("solve", &solve_at, nb::kw_only(), "split_cost"_a, "root_lower"_a = 0,
           "time_limit"_a = 0.0, "memory_limit"_a = 0, "observer"_a = nb::none(),
           "Search for an optimal tree at this split cost, in units of `unit`.");
}

}  // namespace treeproof::bindings
