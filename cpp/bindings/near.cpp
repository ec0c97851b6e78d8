// Bindings of the search for all trees within a budget.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/near_set.hpp"
#include "search/near/counts.hpp"
#include "search/near/frontier.hpp"
#include "search/near/graph.hpp"
#include "search/portfolio/near_set.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using portfolio::NearSearch;

// For each column of the problem, the number of the column of the table that it stands for; the
// numbers start at 0 and never decrease.
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

portfolio::NearRules read_rules(Cost split_cost, int max_depth, std::int64_t min_samples_leaf,
                                const std::string& penalize, const std::string& bounds,
                                bool expand_last, std::int32_t root_column) {
  portfolio::NearRules rules;
  rules.split_cost = split_cost;
  rules.tree_limits = {0.0, max_depth, -1, min_samples_leaf, read_penalize(penalize)};
  rules.bounds = read_bounds(bounds);
  rules.expand_last = expand_last;
  rules.root_column = root_column;
  return rules;
}

std::vector<std::int32_t> to_vector(const IntArray& array) {
  return {view(array).begin(), view(array).end()};
}

std::unique_ptr<NearSearch> make_search(const IntArray& kinds, const IntArray& n_values,
                                        const IntArray& codes, const IntArray& columns,
                                        const IntArray& labels, int n_classes,
                                        const DoubleArray& weights, Cost split_cost, int max_depth,
                                        std::int64_t min_samples_leaf, std::uint64_t memory_limit,
                                        const std::string& penalize, const std::string& bounds,
                                        bool expand_last, std::int32_t root_column) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  check_columns(columns, kinds.size());
  const portfolio::NearRules rules = read_rules(split_cost, max_depth, min_samples_leaf, penalize,
                                                bounds, expand_last, root_column);
  nb::gil_scoped_release unlocked;
  return std::make_unique<NearSearch>(make_problem(read_features(kinds, n_values), view(codes),
                                                   view(labels), n_classes, view(weights)),
                                      to_vector(columns), rules, memory_limit);
}

std::unique_ptr<NearSearch> make_target_search(
    const IntArray& kinds, const IntArray& n_values, const IntArray& codes, const IntArray& columns,
    const DoubleArray& targets, int n_outputs, const DoubleArray& weights,
    const std::string& criterion, double split_penalty, int max_depth,
    std::int64_t min_samples_leaf, std::uint64_t memory_limit, const std::string& penalize,
    std::int32_t root_column) {
  check_codes(kinds, n_values, codes, weights.size(), weights);
  check_targets(targets, n_outputs, weights.size());
  check_columns(columns, kinds.size());
  if (max_depth < 0) throw std::invalid_argument("regressions need a limit on the depth");
  const Criterion chosen = read_criterion(criterion, view(targets));
  const Cost split_cost = std::llround(split_penalty * near::kTargetUnit);
  const portfolio::NearRules rules =
      read_rules(split_cost, max_depth, min_samples_leaf, penalize, "auto", false, root_column);
  nb::gil_scoped_release unlocked;
  return std::make_unique<NearSearch>(
      portfolio::unlabelled_problem(read_features(kinds, n_values), view(codes),
                                    static_cast<std::int32_t>(weights.size())),
      to_vector(columns), rules, memory_limit, chosen,
      std::vector<double>(view(targets).begin(), view(targets).end()), n_outputs,
      std::vector<double>(view(weights).begin(), view(weights).end()));
}

std::unique_ptr<NearSet> build(NearSearch& search, Cost budget, double time_limit,
                               std::uint64_t memory_limit) {
  Limits limits(time_limit, memory_limit, python_interrupted);
  nb::gil_scoped_release unlocked;
  auto graph = search.build(budget, limits);
  return std::make_unique<NearSet>(NearSet{&search, std::move(graph), limits.reason()});
}

// The counts of a set under a filter. `status` says how the counting ended.
struct NearCounts {
  near::Counts counts;
  StopReason reason;
  bool bounded;  // false if there is no upper bound
};

std::unique_ptr<NearCounts> count(const NearSet& set, const std::vector<std::int32_t>& required,
                                  const std::vector<std::int32_t>& banned, std::int32_t max_splits,
                                  bool at_most, double time_limit) {
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  const auto counting = at_most ? near::Counting::at_most : near::Counting::known;
  near::Counts counts(*set.graph, {required, banned, max_splits}, counting);
  auto out = std::make_unique<NearCounts>(NearCounts{std::move(counts), StopReason::none, true});
  out->bounded = out->counts.count(limits);
  out->reason = limits.reason();
  return out;
}

// The frontier of a set. `status` says how its construction ended.
struct NearFrontier {
  std::unique_ptr<near::Frontier> frontier;
  StopReason reason;
};

std::unique_ptr<NearFrontier> frontier_of(const NearSet& set, const IntArray& codes,
                                          const LongArray& values, std::size_t n_sums,
                                          Cost split_cost, bool less_is_better,
                                          const std::string& penalize, double time_limit) {
  near::RowSums sums = read_sums(set, codes, values, n_sums, split_cost, penalize);
  sums.less_is_better = less_is_better;
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  auto out = std::make_unique<NearFrontier>(
      NearFrontier{near::make_frontier(*set.graph, std::move(sums)), StopReason::none});
  out->frontier->build(limits);
  out->reason = limits.reason();
  return out;
}

nb::list points(const NearFrontier& f) {
  nb::list out;
  for (std::size_t i = 0; i < f.frontier->size(); ++i) {
    nb::list point;
    for (const std::int64_t number : f.frontier->point(i)) point.append(number);
    out.append(point);
  }
  return out;
}

// The tree of a point, and the action of each row of the table.
nb::tuple frontier_tree(const NearFrontier& f, const NearSet& set, std::size_t i,
                        const IntArray& codes) {
  const Problem& problem = set.problem();
  std::vector<std::int32_t> of_merged;
  const Tree tree = flatten(f.frontier->tree(i, of_merged));
  nb::list actions;
  for (const std::int32_t action : near::of_table_rows(problem, view(codes), of_merged))
    actions.append(action);
  return nb::make_tuple(tree_to_dict(problem, tree), actions);
}

nb::list by_cost(const NearCounts& c) {
  nb::list out;
  for (const near::Entry& e : c.counts.by_cost())
    out.append(nb::make_tuple(e.cost, to_words(e.count)));
  return out;
}

// For each row of the table, the number of the merged row of the problem that has its codes.
nb::list groups(const NearSearch& search, const IntArray& codes) {
  const Problem& problem = search.problem();
  nb::list out;
  for (const std::int32_t group : near::of_table_rows(problem, view(codes), problem.group))
    out.append(group);
  return out;
}

// A lower bound on the trees of the merged rows with these numbers.
Cost lower_of_groups(NearSearch& search, const std::vector<std::int32_t>& groups, int depth,
                     Cost enough) {
  const Problem& problem = search.problem();
  std::vector<std::uint8_t> wanted(static_cast<std::size_t>(problem.n_groups), 0);
  for (const std::int32_t group : groups) wanted.at(static_cast<std::size_t>(group)) = 1;
  std::vector<std::int32_t> rows;
  for (std::int32_t r = 0; r < problem.n_rows(); ++r)
    if (wanted[static_cast<std::size_t>(problem.group[static_cast<std::size_t>(r)])] != 0)
      rows.push_back(r);
  Limits limits(0.0, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  return search.lower(rows, depth, enough, limits);
}

void bind_search(nb::module_& m) {
  nb::class_<NearSearch>(m, "NearSearch",
                         "A table for which all trees within a budget can be found.")
      .def(nb::new_(&make_search), nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a, "columns"_a,
           "labels"_a, "n_classes"_a, "weights"_a, "split_cost"_a, "max_depth"_a = -1,
           "min_samples_leaf"_a = 1, "memory_limit"_a = 0, "penalize"_a = "splits",
           "bounds"_a = "auto", "expand_last"_a = false, "root_column"_a = -1)
      .def_static("of_targets", &make_target_search, nb::kw_only(), "kinds"_a, "n_values"_a,
                  "codes"_a, "columns"_a, "targets"_a, "n_outputs"_a, "weights"_a, "criterion"_a,
                  "split_penalty"_a, "max_depth"_a, "min_samples_leaf"_a = 1, "memory_limit"_a = 0,
                  "penalize"_a = "splits", "root_column"_a = -1,
                  "The same for regression. A loss of 1 is 2^40 units of cost.")
      .def("build", &build, "budget"_a, nb::kw_only(), "time_limit"_a = 0.0, "memory_limit"_a = 0,
           nb::keep_alive<0, 1>(),
           "Find the subproblems of all trees that cost at most the budget.")
      .def("groups", &groups, "codes"_a,
           "For each row, the number of the merged row with its codes.")
      .def("lower", &lower_of_groups, "groups"_a, "depth"_a, "enough"_a,
           "A lower bound on the cost of all trees on some merged rows; not raised beyond "
           "`enough`.");
}

}  // namespace

void bind_near(nb::module_& m) {
  bind_search(m);
  nb::class_<NearSet> sets(m, "NearSet", "The subproblems of all trees within a budget.");
  sets.def_prop_ro("status", [](const NearSet& s) { return ended(s.reason); })
      .def_prop_ro("n_subproblems", [](const NearSet& s) { return s.graph->nodes().size(); })
      .def_prop_ro("n_skipped", [](const NearSet& s) { return s.graph->n_skipped(); })
      .def_prop_ro("n_bounded", [](const NearSet& s) { return s.graph->n_bounded(); })
      .def_prop_ro("n_edges", [](const NearSet& s) { return s.graph->n_edges(); })
      .def("count", &count, nb::kw_only(), "required"_a = std::vector<std::int32_t>{},
           "banned"_a = std::vector<std::int32_t>{}, "max_splits"_a = -1, "at_most"_a = false,
           "time_limit"_a = 0.0, nb::keep_alive<0, 1>(),
           "Count the trees that test all required and no banned features. If a limit has stopped "
           "the search, count the trees that are known or, with `at_most`, return an upper bound.")
      .def("frontier", &frontier_of, nb::kw_only(), "codes"_a, "values"_a, "n_sums"_a,
           "split_cost"_a, "less_is_better"_a = false, "penalize"_a = "splits",
           "time_limit"_a = 0.0, nb::keep_alive<0, 1>(),
           "Find the trees of least cost for each value of sums over rows.");
  bind_near_questions(m, sets);
  bind_near_sums(m, sets);
  nb::class_<NearFrontier>(m, "NearFrontier",
                           "The trees of least cost for each value of sums over rows.")
      .def_prop_ro("status", [](const NearFrontier& f) { return ended(f.reason); })
      .def_prop_ro("n_points", [](const NearFrontier& f) { return f.frontier->n_points(); })
      .def("points", &points, "One list for each tree: its cost, then its sums.")
      .def("tree", &frontier_tree, "set"_a, "number"_a, "codes"_a,
           "The tree of a point, and the action of each row.");
  nb::class_<NearCounts>(m, "NearCounts",
                         "The number of trees at each cost, and each of the trees.")
      .def_prop_ro("status", [](const NearCounts& c) { return ended(c.reason); })
      .def_prop_ro("bounded", [](const NearCounts& c) { return c.bounded; })
      .def_prop_ro("total", [](const NearCounts& c) { return to_words(c.counts.total()); })
      .def_prop_ro("n_entries", [](const NearCounts& c) { return c.counts.n_entries(); })
      .def("by_cost", &by_cost, "Pairs of a cost and the number of trees at this cost.")
      .def(
          "tree",
          [](const NearCounts& c, const NearSet& set, const std::vector<std::uint64_t>& i) {
            return tree_to_dict(set.problem(), flatten(c.counts.tree(from_words(i))));
          },
          "set"_a, "number"_a, "The tree with this number; trees are sorted by cost.");
}

}  // namespace treeproof::bindings
