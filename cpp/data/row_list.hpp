// Sets of rows as plain lists, for what is done once a fit and not once a node: evaluating,
// pruning and rebuilding trees.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"

namespace treeproof {

using Rows = std::vector<std::int32_t>;

Rows all_rows(const Problem& problem);

// Those for which the test has this outcome.
Rows rows_with(const Problem& problem, const Rows& rows, const Test& test, std::int32_t outcome);

// What a leaf with these rows costs: the weight that is not of its heaviest class.
Cost leaf_cost(const Problem& problem, const Rows& rows);

}  // namespace treeproof
