// Splits that separate the categories of a column one by one, folded into one multiway split.
//
// Where every further leaf costs a penalty, a split with a child for each of c categories costs
// as much as the c - 1 splits that separate them one after the other, and has the same leaves.
// A search may return either; the multiway split is easier to read and less deep.
#pragma once

#include <cstdint>
#include <span>

#include "data/problem.hpp"
#include "tree/split_tree.hpp"

namespace treeproof {

// Folds the chains of a tree, of columns that are there twice: with a child for each category,
// and right after it, one category against the rest. `codes` is column-major.
void fold_chains(SplitTree& tree, std::span<const Feature> features,
                 std::span<const std::int32_t> codes);

}  // namespace treeproof
