// Bindings of the counts of trees by cost and sums, for any choice of the leaves' actions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/encoded_table.hpp"
#include "bindings/near_set.hpp"
#include "search/near/listed_trees.hpp"
#include "search/near/sum_counts.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

// The number of trees for each cost and sums in a set. `status` says how the counting ended.
struct NearSumCounts {
  std::unique_ptr<near::SumCounts> counts;
  StopReason reason = StopReason::none;
  bool bounded = true;             // false if there is no upper bound
  std::vector<std::int32_t> rows;  // for each row of the table, that of the problem
};

using Entries = std::vector<std::size_t>;

near::Keeping read_keeping(const std::string& name) {
  if (name == "trees") return near::Keeping::trees;
  if (name == "predictions") return near::Keeping::predictions;
  if (name == "least") return near::Keeping::least;
  throw std::invalid_argument("keeping must be trees, predictions or least, not " + name);
}

std::unique_ptr<NearSumCounts> sum_counts(const NearSet& set, const near::Filter& filter,
                                          const NearSums& given, const std::string& keeping,
                                          std::int64_t of_split, bool at_most, double time_limit) {
  near::RowSums sums = read_sums(set, given);
  const near::SumRules rules{read_keeping(keeping), of_split, at_most};
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  auto out = std::make_unique<NearSumCounts>();
  out->counts = near::make_sum_counts(*set.graph, filter, std::move(sums), rules);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(set.problem().n_rows()));
  std::iota(numbers.begin(), numbers.end(), 0);
  out->rows = near::of_table_rows(set.problem(), view(given.rows.codes), numbers);
  out->bounded = out->counts->count(limits);
  out->reason = limits.reason();
  return out;
}

// The entries of at most this cost, flattened: for each entry the cost, then the sums.
nb::object entries(const NearSumCounts& c, Cost most) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < c.counts->size(); ++i) {
    const std::vector<std::int64_t> entry = c.counts->entry(i);
    if (entry[0] > most) break;
    out.insert(out.end(), entry.begin(), entry.end());
  }
  return to_numpy(std::move(out));
}

// Pairs of an entry and a number of a tree, or the name of the limit that was reached.
nb::object sum_functions(const NearSumCounts& c, const NearSet& set, const Entries& entries,
                         double time_limit) {
  Limits limits(time_limit, 0, python_interrupted);
  std::vector<near::NumberedTree> found;
  {
    nb::gil_scoped_release unlocked;
    found = near::distinct_functions(*set.graph, *c.counts, entries, limits);
  }
  if (limits.reason() != StopReason::none) return nb::cast(std::string(ended(limits.reason())));
  nb::list out;
  for (const near::NumberedTree& tree : found) out.append(nb::make_tuple(tree.entry, tree.number));
  return out;
}

// Asks a question. Returns its value with the entry and the number of a tree that has it; or the
// name of the limit that was reached; or None if there is no tree.
template <class Ask>
nb::object listed(double time_limit, const Ask& ask) {
  Limits limits(time_limit, 0, python_interrupted);
  std::optional<near::NumberedTree> found;
  {
    nb::gil_scoped_release unlocked;
    found = ask(limits);
  }
  if (limits.reason() != StopReason::none) return nb::cast(std::string(ended(limits.reason())));
  if (!found) return nb::none();
  return nb::make_tuple(found->value, found->entry, found->number);
}

nb::object sum_reliance(const NearSumCounts& c, const NearSet& set, const Entries& entries,
                        const RowNumbers& weights, std::int32_t column, bool greatest,
                        double time_limit) {
  if (column < 0) throw std::invalid_argument("there is no such column");
  const std::vector<std::int64_t> drawn = of_problem_rows(set, weights, 1);
  return listed(time_limit, [&](Limits& limits) {
    return near::extreme_reliance(*set.graph, *c.counts, entries, column, drawn, greatest, limits);
  });
}

nb::object sum_asking(const NearSumCounts& c, const NearSet& set, const Entries& entries,
                      const ColumnPrices& prices, double time_limit) {
  const near::ColumnPrices given = read_prices(set, prices);
  return listed(time_limit, [&](Limits& limits) {
    return near::least_asking(*set.graph, *c.counts, entries, given, limits);
  });
}

// The table of splits of a tree, and the action of each row of the table.
nb::tuple sum_tree(const NearSumCounts& c, const NearSet& set, std::size_t i,
                   const std::vector<std::uint64_t>& number) {
  std::vector<std::int32_t> of_merged, actions;
  const TreeDraft draft = c.counts->tree(i, from_words(number), of_merged);
  for (const std::int32_t row : c.rows) actions.push_back(of_merged[static_cast<std::size_t>(row)]);
  return nb::make_tuple(tree_to_dict(set.problem(), flatten(draft)), to_numpy(std::move(actions)));
}

}  // namespace

near::RowSums read_sums(const NearSet& set, const NearSums& given) {
  const Problem& problem = set.problem();
  const std::size_t per_row = static_cast<std::size_t>(problem.n_classes) * (1 + given.n_sums);
  if (given.n_sums < 1 || given.n_sums > near::kMostSums)
    throw std::invalid_argument("there are too few or too many sums");
  const Cost further = given.penalize == Penalize::leaves ? given.split_cost : 0;
  return {
      given.n_sums, of_problem_rows(set, given.rows, per_row), {given.split_cost, further}, false};
}

void bind_near_sums(nb::module_& m, nb::class_<NearSet>& set) {
  nb::class_<NearSums>(m, "NearSums",
                       "Sums over rows. The numbers of a row are, for each action, its cost and "
                       "what it adds to each sum.")
      .def(nb::new_([](RowNumbers rows, std::size_t n_sums, Cost split_cost,
                       const std::string& penalize) {
             return NearSums{std::move(rows), n_sums, split_cost, read_penalize(penalize)};
           }),
           "rows"_a, nb::kw_only(), "n_sums"_a, "split_cost"_a, "penalize"_a = "splits");
  set.def(
      "sum_counts", &sum_counts, "filter"_a, "sums"_a, nb::kw_only(), "keeping"_a = "trees",
      "of_split"_a = 0, "at_most"_a = false, "time_limit"_a = 0.0, nb::keep_alive<0, 1>(),
      "Count the trees for each cost and sums over rows, for any choice of the leaves' actions.");
  nb::class_<NearSumCounts>(m, "NearSumCounts", "The number of trees for each cost and sums.")
      .def_prop_ro("status", [](const NearSumCounts& c) { return ended(c.reason); })
      .def_prop_ro("bounded", [](const NearSumCounts& c) { return c.bounded; })
      .def_prop_ro("n_entries", [](const NearSumCounts& c) { return c.counts->n_entries(); })
      .def("entries", &entries, "most"_a,
           "The entries up to a cost, the least cost first, as one list: each cost, then its sums.")
      .def(
          "number",
          [](const NearSumCounts& c, std::size_t i) { return to_words(c.counts->number(i)); },
          "entry"_a, "The number of trees of an entry.")
      .def("functions", &sum_functions, "set"_a, "entries"_a, nb::kw_only(), "time_limit"_a = 0.0,
           "Of the trees of some entries, the first for each distinct function.")
      .def("reliance", &sum_reliance, "set"_a, "entries"_a, "weights"_a, nb::kw_only(), "column"_a,
           "greatest"_a, "time_limit"_a = 0.0,
           "The least or greatest cost if a column is shuffled, as a product of two weights, and "
           "the tree of some entries that has it.")
      .def("least_asking", &sum_asking, "set"_a, "entries"_a, "prices"_a, nb::kw_only(),
           "time_limit"_a = 0.0,
           "The least total price of the columns that are tested on the rows' paths, and its tree.")
      .def("tree", &sum_tree, "set"_a, "entry"_a, "number"_a,
           "The tree with this number among those of an entry, and the action of each row.");
}

}  // namespace treeproof::bindings
