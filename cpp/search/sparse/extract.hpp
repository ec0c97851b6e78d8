// Rebuilding the best tree from the memo.
#pragma once

#include <functional>

#include "search/memo.hpp"
#include "search/sparse/layout.hpp"
#include "search/sparse/settings.hpp"
#include "tree/tree.hpp"

namespace treeproof::sparse {

// What the search knows about a set of rows (their key is given too) with a number of
// levels left. It lowers that number to the depth of the tree that the upper bound is of.
using Known = std::function<Bounds(const std::vector<std::int32_t>& rows, const Key& key,
                                   int& depth_left)>;

// The same from a search, which looks at one level less too. Its bound for the tree below was
// found with one level less again, so that looking with the levels of the caller would miss
// it: every step goes down to the depth that knows the tree.
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
