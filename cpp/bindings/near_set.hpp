// The graph of all trees within a budget, as an object in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

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

// Adds up numbers of the table's rows for each row of the problem: rows with the same codes are
// merged.
std::vector<std::int64_t> of_problem_rows(const NearSet& set, const IntArray& codes,
                                          const LongArray& values, std::size_t per_row);
near::RowSums read_sums(const NearSet& set, const IntArray& codes, const LongArray& values,
                        std::size_t n_sums, Cost split_cost, const std::string& penalize);
// `next` and `prices` are arrays over states of paths, [state][column]; `pays` has one number for
// each row of the table.
near::Prices read_prices(const NearSet& set, const IntArray& codes, const LongArray& pays,
                         std::size_t n_states, const IntArray& next, const LongArray& prices);

// Binds the questions as methods of the class of such sets.
void bind_near_questions(nanobind::module_& m, nanobind::class_<NearSet>& set);
// Binds the counts of trees by cost and sums.
void bind_near_sums(nanobind::module_& m, nanobind::class_<NearSet>& set);

}  // namespace treeproof::bindings
