// Sets of rows as plain lists, for work that is done once in a fit and not at every node:
// evaluating, pruning and rebuilding trees.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"

namespace treeproof {

using Rows = std::vector<std::int32_t>;

Rows all_rows(const Problem& problem);

// The rows for which the test has this outcome.
Rows rows_with(const Problem& problem, const Rows& rows, const Test& test, std::int32_t outcome);

// The cost of a leaf with these rows: the weight that does not belong to its heaviest class.
Cost leaf_cost(const Problem& problem, const Rows& rows);

}  // namespace treeproof
