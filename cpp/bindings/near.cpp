// Python's way to all trees within a budget.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "search/near/counts.hpp"
#include "search/near/graph.hpp"
#include "search/portfolio/near_set.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using portfolio::NearSet;

// Counts are handed over as lists of 64-bit words, the lowest first.
nb::list to_words(const near::BigCount& count) {
  nb::list out;
  for (const std::uint64_t word : count.words()) out.append(word);
  return out;
}

near::BigCount from_words(const std::vector<std::uint64_t>& words) {
  near::BigCount::Words all{};
  for (std::size_t k = 0; k < words.size() && k < all.size(); ++k) all[k] = words[k];
  return near::BigCount(all);
}

const char* ended(StopReason reason) {
  return reason == StopReason::none ? "complete" : name_of(reason);
}

// The column of the table of each of the problem's columns: from 0 on, never falling.
void check_columns(const IntArray& columns, std::size_t n_features) {
  const auto given = view(columns);
  if (given.size() != n_features || !std::ranges::is_sorted(given) ||
      (!given.empty() && given.front() < 0))
    throw std::invalid_argument("columns must hold a number from 0 on for each column, in order");
}

portfolio::NearBounds read_bounds(const std::string& name) {
  if (name == "auto") return portfolio::NearBounds::chosen;
  if (name == "sparse") return portfolio::NearBounds::sparse;
  if (name == "threshold") return portfolio::NearBounds::threshold;
  throw std::invalid_argument("bounds must be auto, sparse or threshold, not " + name);
}

std::unique_ptr<NearSet> make_set(const IntArray& kinds, const IntArray& n_values,
                                  const IntArray& codes, const IntArray& columns,
                                  const IntArray& labels, int n_classes,
                                  const DoubleArray& weights, Cost split_cost, Cost budget,
                                  int max_depth, std::int64_t min_samples_leaf,
                                  double time_limit, std::uint64_t memory_limit,
                                  const std::string& penalize, const std::string& bounds) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  check_columns(columns, kinds.size());
  Limits limits(time_limit, memory_limit, python_interrupted);
  const portfolio::NearBounds whose = read_bounds(bounds);
  nb::gil_scoped_release unlocked;
  return std::make_unique<NearSet>(
      make_problem(read_features(kinds, n_values), view(codes), view(labels), n_classes,
                   view(weights)),
      std::vector<std::int32_t>(view(columns).begin(), view(columns).end()), split_cost, budget,
      TreeLimits{0.0, max_depth, -1, min_samples_leaf, read_penalize(penalize)}, whose, limits);
}

// The counts of a set under a filter, with a name for how the counting ended.
struct NearCounts {
  near::Counts counts;
  StopReason reason;
};

std::unique_ptr<NearCounts> count(const NearSet& set,
                                  const std::vector<std::int32_t>& required,
                                  const std::vector<std::int32_t>& banned, double time_limit) {
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  auto out = std::make_unique<NearCounts>(
      NearCounts{near::Counts(set.graph(), {required, banned}), StopReason::none});
  out->counts.count(limits);
  out->reason = limits.reason();
  return out;
}

nb::list by_cost(const NearCounts& c) {
  nb::list out;
  for (const near::Entry& e : c.counts.by_cost())
    out.append(nb::make_tuple(e.cost, to_words(e.count)));
  return out;
}

}  // namespace

void bind_near(nb::module_& m) {
  nb::class_<NearSet>(m, "NearSet", "The subproblems of all trees within a budget.")
      .def(nb::new_(&make_set), nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a, "columns"_a,
           "labels"_a, "n_classes"_a, "weights"_a, "split_cost"_a, "budget"_a, "max_depth"_a = -1,
           "min_samples_leaf"_a = 1, "time_limit"_a = 0.0, "memory_limit"_a = 0,
           "penalize"_a = "splits", "bounds"_a = "auto")
      .def_prop_ro("status", [](const NearSet& s) { return ended(s.reason()); })
      .def_prop_ro("n_subproblems", [](const NearSet& s) { return s.graph().nodes().size(); })
      .def_prop_ro("n_skipped", [](const NearSet& s) { return s.graph().n_skipped(); })
      .def_prop_ro("n_edges", [](const NearSet& s) { return s.graph().n_edges(); })
      .def("count", &count, nb::kw_only(), "required"_a = std::vector<std::int32_t>{},
           "banned"_a = std::vector<std::int32_t>{}, "time_limit"_a = 0.0,
           nb::keep_alive<0, 1>(), "Count the trees that use some features and not others.");
  nb::class_<NearCounts>(m, "NearCounts", "How many trees there are, and each of them.")
      .def_prop_ro("status", [](const NearCounts& c) { return ended(c.reason); })
      .def_prop_ro("total", [](const NearCounts& c) { return to_words(c.counts.total()); })
      .def_prop_ro("n_entries", [](const NearCounts& c) { return c.counts.n_entries(); })
      .def("by_cost", &by_cost, "Pairs of cost and number of trees.")
      .def(
          "tree",
          [](const NearCounts& c, const NearSet& set, const std::vector<std::uint64_t>& i) {
            return tree_to_dict(set.problem(), flatten(c.counts.tree(from_words(i))));
          },
          "set"_a, "number"_a, "The tree of this number, the cheapest first.");
}

}  // namespace treeproof::bindings
