// Questions to trees with any actions of their leaves (sum_counts.hpp) that depend on the paths to
// the leaves. They are answered for one tree after the other, of all trees of some entries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/near/graph.hpp"
#include "search/near/question_sums.hpp"
#include "search/near/sum_counts.hpp"

namespace treeproof::near {

struct NumberedTree {
  std::size_t entry = 0;
  std::uint64_t number = 0;
  std::int64_t value = 0;  // of the question
};

// The first of all trees that are the same function. Fewer are returned if a limit was reached.
std::vector<NumberedTree> distinct_functions(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             Limits& limits);
// The first tree of the least cost, or of the greatest, when a column is shuffled, in products of
// whole costs and weights (question_reliance.hpp). Nothing if a limit was reached.
std::optional<NumberedTree> extreme_reliance(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             std::int32_t column,
                                             const std::vector<std::int64_t>& weights,
                                             bool greatest, Limits& limits);
// The first tree of the least sum of what rows pay for the columns on their path.
std::optional<NumberedTree> least_asking(const Graph& graph, const SumCounts& counts,
                                         const std::vector<std::size_t>& entries,
                                         const Prices& prices, Limits& limits);

}  // namespace treeproof::near
