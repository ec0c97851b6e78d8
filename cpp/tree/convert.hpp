// Trees of one search as trees of another: by the number of a test, or by feature and value.
#pragma once

#include <optional>

#include "tree/split_tree.hpp"
#include "tree/tree.hpp"

namespace treeproof {

SplitTree to_split_tree(const Problem& problem, const Tree& tree);

// Nothing if the problem lacks one of the tests.
std::optional<Tree> to_tree(const Problem& problem, const SplitTree& tree);

}  // namespace treeproof
