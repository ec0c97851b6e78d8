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
#include "bindings/search_options.hpp"
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

std::vector<std::int32_t> to_vector(const IntArray& array) {
  return {view(array).begin(), view(array).end()};
}

// `split_cost` is for labels; the cost of a split of a regression follows from its penalty.
std::unique_ptr<NearSearch> make_search(const EncodedTable& table, const SearchOptions& options,
                                        const IntArray& columns, Cost split_cost,
                                        const std::string& bounds, bool expand_last,
                                        std::int32_t root_column) {
  check_columns(columns, table.kinds.size());
  portfolio::NearRules rules{split_cost, options.trees, read_bounds(bounds), expand_last,
                             root_column};
  rules.tree_limits.split_penalty = 0.0;
  rules.tree_limits.max_splits = -1;
  if (table.labels) {
    nb::gil_scoped_release unlocked;
    return std::make_unique<NearSearch>(
        make_problem(table.features(), view(table.codes), table.row_labels(), table.n_classes,
                     view(table.weights)),
        to_vector(columns), rules, options.memory_limit);
  }
  if (options.trees.max_depth < 0)
    throw std::invalid_argument("regressions need a limit on the depth");
  rules.split_cost = std::llround(options.trees.split_penalty * near::kTargetUnit);
  nb::gil_scoped_release unlocked;
  const Targets targets = table.row_targets();
  return std::make_unique<NearSearch>(
      portfolio::unlabelled_problem(table.features(), view(table.codes), table.n_rows_32()),
      to_vector(columns), rules, options.memory_limit, table.criterion,
      std::vector<double>(targets.values.begin(), targets.values.end()), table.n_outputs,
      std::vector<double>(targets.weights.begin(), targets.weights.end()));
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

std::unique_ptr<NearCounts> count(const NearSet& set, const near::Filter& filter, bool at_most,
                                  double time_limit) {
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  const auto counting = at_most ? near::Counting::at_most : near::Counting::known;
  near::Counts counts(*set.graph, filter, counting);
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

std::unique_ptr<NearFrontier> frontier_of(const NearSet& set, const NearSums& given,
                                          bool less_is_better, double time_limit) {
  near::RowSums sums = read_sums(set, given);
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
      .def(nb::new_(&make_search), "table"_a, "options"_a, nb::kw_only(), "columns"_a,
           "split_cost"_a = 0, "bounds"_a = "auto", "expand_last"_a = false, "root_column"_a = -1)
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
  using Columns = std::vector<std::int32_t>;
  nb::class_<near::Filter>(m, "NearFilter", "Which of the trees within a budget are asked about.")
      .def(nb::init<Columns, Columns, std::int32_t>(), nb::kw_only(), "required"_a = Columns{},
           "banned"_a = Columns{}, "max_splits"_a = -1);
  nb::class_<NearSet> sets(m, "NearSet", "The subproblems of all trees within a budget.");
  sets.def_prop_ro("status", [](const NearSet& s) { return ended(s.reason); })
      .def_prop_ro("n_subproblems", [](const NearSet& s) { return s.graph->nodes().size(); })
      .def_prop_ro("n_skipped", [](const NearSet& s) { return s.graph->n_skipped(); })
      .def_prop_ro("n_bounded", [](const NearSet& s) { return s.graph->n_bounded(); })
      .def_prop_ro("n_edges", [](const NearSet& s) { return s.graph->n_edges(); })
      .def("count", &count, "filter"_a, nb::kw_only(), "at_most"_a = false, "time_limit"_a = 0.0,
           nb::keep_alive<0, 1>(),
           "Count the trees that test all required and no banned features. If a limit has stopped "
           "the search, count the trees that are known or, with `at_most`, return an upper bound.")
      .def("frontier", &frontier_of, "sums"_a, nb::kw_only(), "less_is_better"_a = false,
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
