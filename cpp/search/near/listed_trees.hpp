// Answers questions about trees with any choice of the leaves' actions (sum_counts.hpp). These
// questions depend on the paths to the leaves, so all trees of some entries are visited one after
// the other.
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
  std::int64_t value = 0;  // the answer to the question
};

// For each distinct function, the first tree that computes it. Fewer are returned if a limit was
// reached.
std::vector<NumberedTree> distinct_functions(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             Limits& limits);
// The first tree with the least or the greatest cost if the values of a column are shuffled. Values
// are products of integer costs and weights (question_reliance.hpp). Returns nothing if a limit was
// reached.
std::optional<NumberedTree> extreme_reliance(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             std::int32_t column,
                                             const std::vector<std::int64_t>& weights,
                                             bool greatest, Limits& limits);
// The first tree with the least total price of the columns that are tested on the rows' paths.
std::optional<NumberedTree> least_asking(const Graph& graph, const SumCounts& counts,
                                         const std::vector<std::size_t>& entries,
                                         const ColumnPrices& prices, Limits& limits);

}  // namespace treeproof::near
