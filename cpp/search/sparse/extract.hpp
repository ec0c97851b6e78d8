// Rebuilding the best tree from the memo.
#pragma once

#include <functional>

#include "search/memo.hpp"
#include "search/sparse/layout.hpp"
#include "search/sparse/settings.hpp"
#include "tree/tree.hpp"

namespace treeproof::sparse {

// The bounds of the search for a set of rows (whose key is given too) with a number of levels left.
// Lowers that number to the depth of the tree that has the upper bound.
using Known =
    std::function<Bounds(const std::vector<std::int32_t>& rows, const Key& key, int& depth_left)>;

// The same from a search, which also tries one level less. The bound of the tree below was found
// with yet one level less, so that looking it up with the levels of the caller would miss it: every
// step goes down to the depth at which the tree is stored.
template <class Searched>
Bounds known_with_depth(const Searched& search, const Key& key, int& depth_left) {
  Bounds b = search.known(key, depth_left);
  if (depth_left >= kUnlimited || b.upper >= kInfiniteCost) return b;
  while (depth_left > 1) {
    const Bounds less = search.known(key, depth_left - 1);
    if (less.upper > b.upper) break;
    b.test = less.test;
    b.upper = less.upper;
    --depth_left;
  }
  return b;
}

Tree extract(const Layout& layout, const Settings& settings, const Known& known);

}  // namespace treeproof::sparse
