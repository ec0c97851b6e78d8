// The best tree with few splits that can be obtained by pruning a larger tree.
#pragma once

#include "tree/tree.hpp"

namespace treeproof {

// Among all prunings of `tree` with at most `max_splits` splits, the cheapest on the
// problem (a dynamic programme over the tree's nodes).
Tree prune_to_size(const Problem& problem, const Tree& tree, SplitPrice<Cost> price,
                   int max_splits);

}  // namespace treeproof
