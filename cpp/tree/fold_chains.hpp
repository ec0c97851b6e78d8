// Folds splits that separate the categories of a column one by one into one multiway split.
//
// If every additional leaf costs a penalty, a split with a child for each of c categories costs as
// much as the c - 1 splits that separate them one after the other, and it has the same leaves. A
// search may return either; the multiway split is easier to read and less deep.
#pragma once

#include <cstdint>
#include <span>

#include "data/problem.hpp"
#include "tree/split_tree.hpp"

namespace treeproof {

// Folds the chains of a tree on columns that occur twice: as a multiway column and, right after it,
// as a column split one against the rest. `codes` is column-major.
void fold_chains(SplitTree& tree, std::span<const Feature> features,
                 std::span<const std::int32_t> codes);

}  // namespace treeproof
