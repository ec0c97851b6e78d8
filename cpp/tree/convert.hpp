// Converts trees between searches: splits named by the number of a test, or by feature and value.
#pragma once

#include <optional>

#include "tree/split_tree.hpp"
#include "tree/tree.hpp"

namespace treeproof {

SplitTree to_split_tree(const Problem& problem, const Tree& tree);

// Returns no tree if the problem does not have one of the tests.
std::optional<Tree> to_tree(const Problem& problem, const SplitTree& tree);

}  // namespace treeproof
