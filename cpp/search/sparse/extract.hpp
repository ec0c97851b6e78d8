// Rebuilding the best tree from the memo.
#pragma once

#include <functional>

#include "search/sparse/layout.hpp"
#include "search/memo.hpp"
#include "search/sparse/settings.hpp"
#include "tree/tree.hpp"

namespace treeproof::sparse {

// What the search knows about a set of rows (their key is given too) with a number of
// levels left.
using Known = std::function<Bounds(const std::vector<std::int32_t>& rows, const Key& key,
                                   int depth_left)>;

Tree extract(const Layout& layout, const Settings& settings, const Known& known);

}  // namespace treeproof::sparse
