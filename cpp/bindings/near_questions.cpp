// Bindings of the questions about all trees within a budget.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/encoded_table.hpp"
#include "bindings/near_set.hpp"
#include "search/near/answers.hpp"
#include "search/near/frontier.hpp"
#include "search/near/questions.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

// Asks a question. Returns its value, the cost of a tree that has this value, and the tree; or the
// name of the limit that was reached; or None if there is no tree.
template <class Ask>
nb::object answer(const NearSet& set, double time_limit, const Ask& ask) {
  Limits limits(time_limit, 0, python_interrupted);
  std::optional<near::Extreme> found;
  {
    nb::gil_scoped_release unlocked;
    found = ask(limits);
  }
  if (limits.reason() != StopReason::none) return nb::cast(std::string(ended(limits.reason())));
  if (!found) return nb::none();
  return nb::make_tuple(found->value, found->cost,
                        tree_to_dict(set.problem(), flatten(found->tree)));
}

// `values` has a number for each class of a row; it is empty if rows have no values.
nb::object least_sum(const NearSet& set, const near::Filter& filter, const RowNumbers& values,
                     std::int64_t of_split, bool nearest_zero, double time_limit) {
  near::Sums sums{of_problem_rows(set, values, static_cast<std::size_t>(set.problem().n_classes)),
                  of_split};
  return answer(set, time_limit, [&](Limits& limits) {
    return nearest_zero ? near::smallest_sum(*set.graph, filter, std::move(sums), limits)
                        : near::least_sum(*set.graph, filter, std::move(sums), limits);
  });
}

// `weights` are those of the table's rows; they are the weights of the rows' values, too.
nb::object reliance(const NearSet& set, const near::Filter& filter, const RowNumbers& weights,
                    std::int32_t column, bool greatest, double time_limit) {
  if (column < 0) throw std::invalid_argument("there is no such column");
  const std::vector<std::int64_t> drawn = of_problem_rows(set, weights, 1);
  return answer(set, time_limit, [&](Limits& limits) {
    return near::extreme_reliance(*set.graph, filter, column, drawn, greatest, limits);
  });
}

nb::object least_asking(const NearSet& set, const near::Filter& filter, const ColumnPrices& prices,
                        double time_limit) {
  near::ColumnPrices given = read_prices(set, prices);
  return answer(set, time_limit, [&](Limits& limits) {
    return near::least_asking(*set.graph, filter, std::move(given), limits);
  });
}

// For each row of the table, and for each class, the least cost of a tree that predicts this class
// for this row; -1 if none does. Or the name of the limit that was reached.
nb::object answers(const NearSet& set, const near::Filter& filter, const IntArray& codes,
                   double time_limit) {
  const Problem& problem = set.problem();
  if (codes.size() % problem.features.size() != 0)
    throw std::invalid_argument("the length of codes must be a multiple of the number of columns");
  Limits limits(time_limit, 0, python_interrupted);
  near::Answers found(*set.graph, filter);
  std::vector<Cost> out;
  {
    nb::gil_scoped_release unlocked;
    if (found.build(limits)) {
      std::vector<std::int32_t> numbers(static_cast<std::size_t>(problem.n_rows()));
      for (std::size_t r = 0; r < numbers.size(); ++r) numbers[r] = static_cast<std::int32_t>(r);
      const auto n_classes = static_cast<std::size_t>(problem.n_classes);
      for (const std::int32_t row : near::of_table_rows(problem, view(codes), numbers))
        for (std::size_t k = 0; k < n_classes; ++k) {
          const Cost cost = found.least()[static_cast<std::size_t>(row) * n_classes + k];
          out.push_back(cost < kInfiniteCost ? cost : -1);
        }
    }
  }
  if (limits.reason() != StopReason::none) return nb::cast(std::string(ended(limits.reason())));
  return nb::cast(out);
}

// One tree for each of the predictions, or functions, that occur. `status` says how listing them
// ended.
struct NearListing {
  std::unique_ptr<near::Listing> listing;
  StopReason reason;
};

std::unique_ptr<NearListing> distinct(const NearSet& set, const near::Filter& filter,
                                      const std::string& by, double time_limit) {
  if (by != "predictions" && by != "functions")
    throw std::invalid_argument("by must be predictions or functions, not " + by);
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  auto listing = by == "predictions" ? near::list_predictions(*set.graph, filter)
                                     : near::list_functions(*set.graph, filter);
  listing->build(limits);
  return std::make_unique<NearListing>(NearListing{std::move(listing), limits.reason()});
}

nb::list costs(const NearListing& l) {
  nb::list out;
  for (std::size_t i = 0; i < l.listing->size(); ++i) out.append(l.listing->cost(i));
  return out;
}

}  // namespace

std::vector<std::int64_t> of_problem_rows(const NearSet& set, const RowNumbers& rows,
                                          std::size_t per_row) {
  const Problem& problem = set.problem();
  const std::span<const std::int64_t> numbers = view(rows.numbers);
  if (numbers.size() % per_row != 0 ||
      rows.codes.size() != numbers.size() / per_row * problem.features.size())
    throw std::invalid_argument("codes and numbers must have the same number of rows");
  if (numbers.empty()) return {};
  return near::on_merged_rows(problem, view(rows.codes), numbers, per_row);
}

near::ColumnPrices read_prices(const NearSet& set, const ColumnPrices& given) {
  const auto next = view(given.next);
  const auto prices = view(given.prices);
  const std::size_t n_columns = given.n_states > 0 ? next.size() / given.n_states : 0;
  const auto known = [&](std::int32_t state) {
    return state >= 0 && static_cast<std::size_t>(state) < given.n_states;
  };
  if (next.size() != given.n_states * n_columns || prices.size() != next.size() ||
      n_columns < static_cast<std::size_t>(set.graph->n_columns()) ||
      !std::ranges::all_of(next, known))
    throw std::invalid_argument("next and prices must have the same states and columns");
  return {n_columns,
          {next.begin(), next.end()},
          {prices.begin(), prices.end()},
          of_problem_rows(set, given.pays, 1)};
}

void bind_near_questions(nb::module_& m, nb::class_<NearSet>& set) {
  nb::class_<RowNumbers>(m, "RowNumbers",
                         "The codes of the rows of a table, one column after the other, and one or "
                         "more numbers for each row.")
      .def(nb::init<IntArray, LongArray>(), "codes"_a, "numbers"_a);
  nb::class_<ColumnPrices>(m, "ColumnPrices",
                           "The price of each column in each state of a path, and the factors by "
                           "which rows pay it.")
      .def(nb::init<RowNumbers, std::size_t, IntArray, LongArray>(), "pays"_a, nb::kw_only(),
           "n_states"_a, "next"_a, "prices"_a);
  set.def("least_sum", &least_sum, "filter"_a, "values"_a, nb::kw_only(), "of_split"_a = 0,
          "nearest_zero"_a = false, "time_limit"_a = 0.0,
          "The least sum of numbers of rows and splits, or the one nearest to 0, and a tree that "
          "has it.")
      .def("reliance", &reliance, "filter"_a, "weights"_a, nb::kw_only(), "column"_a, "greatest"_a,
           "time_limit"_a = 0.0,
           "The least or greatest error if a column is shuffled, as a product of two weights.")
      .def("least_asking", &least_asking, "filter"_a, "prices"_a, nb::kw_only(),
           "time_limit"_a = 0.0,
           "The least total price of the columns that are tested on the rows' paths.")
      .def("answers", &answers, "filter"_a, "codes"_a, nb::kw_only(), "time_limit"_a = 0.0,
           "For each row and class, the least cost of a tree that predicts it; -1 if none does.")
      .def("distinct", &distinct, "filter"_a, nb::kw_only(), "by"_a, "time_limit"_a = 0.0,
           nb::keep_alive<0, 1>(), "One tree for all trees with the same predictions.");
  nb::class_<NearListing>(m, "NearListing",
                          "One tree for each of the predictions, or functions, that occur.")
      .def_prop_ro("status", [](const NearListing& l) { return ended(l.reason); })
      .def("costs", &costs, "The costs of the trees, in increasing order.")
      .def(
          "tree",
          [](const NearListing& l, const NearSet& of, std::size_t i) {
            return tree_to_dict(of.problem(), flatten(l.listing->tree(i)));
          },
          "set"_a, "number"_a, "The tree with this number; trees are sorted by cost.");
}

}  // namespace treeproof::bindings
