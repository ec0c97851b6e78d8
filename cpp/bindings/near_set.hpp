// The graph of all trees within a budget, as an object in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "search/near/frontier.hpp"
#include "search/near/graph.hpp"
#include "search/near/question_sums.hpp"
#include "search/portfolio/near_set.hpp"

namespace treeproof::bindings {

using LongArray = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                    nanobind::device::cpu>;

// The graph for a budget. `status` says how its construction ended.
struct NearSet {
  const portfolio::NearSearch* search;
  std::unique_ptr<near::Graph> graph;
  StopReason reason;

  const Problem& problem() const { return search->problem(); }
};

inline const char* ended(StopReason reason) {
  return reason == StopReason::none ? "complete" : name_of(reason);
}

// Passes a count to Python as a list of 64-bit words, the least significant first.
inline nanobind::list to_words(const near::BigCount& count) {
  nanobind::list out;
  for (const std::uint64_t word : count.words()) out.append(word);
  return out;
}

inline near::BigCount from_words(const std::vector<std::uint64_t>& words) {
  near::BigCount::Words all{};
  for (std::size_t k = 0; k < words.size() && k < all.size(); ++k) all[k] = words[k];
  return near::BigCount(all);
}

// Numbers of the rows of a table: the codes of the rows, and one or more numbers for each of them.
struct RowNumbers {
  IntArray codes;  // one column after the other
  LongArray numbers;
};

// Sums over the rows of a table: for each row and action its cost and what it adds to each sum.
struct NearSums {
  RowNumbers rows;
  std::size_t n_sums;
  Cost split_cost;
  Penalize penalize;
};

// The price of each column in each state of a path, and the factors of the rows. `next` and
// `prices` are arrays over states, [state][column].
struct ColumnPrices {
  RowNumbers pays;
  std::size_t n_states;
  IntArray next;
  LongArray prices;
};

// Adds up numbers of the table's rows for each row of the problem: rows with the same codes are
// merged.
std::vector<std::int64_t> of_problem_rows(const NearSet& set, const RowNumbers& rows,
                                          std::size_t per_row);
near::RowSums read_sums(const NearSet& set, const NearSums& sums);
near::ColumnPrices read_prices(const NearSet& set, const ColumnPrices& prices);

// Binds the questions as methods of the class of such sets.
void bind_near_questions(nanobind::module_& m, nanobind::class_<NearSet>& set);
// Binds the counts of trees by cost and sums.
void bind_near_sums(nanobind::module_& m, nanobind::class_<NearSet>& set);

}  // namespace treeproof::bindings
