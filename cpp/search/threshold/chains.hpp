// Trees without multiway splits that cost as much as trees with them.
//
// If every child is paid for, a split into c categories costs as much as a chain of c - 1 splits
// that separate one category from the others, and the chain has the same leaves. So if a column may
// be split in both ways and the depth is not limited, its multiway splits are not needed. If the
// depth is limited, or a column may only be split multiway, the best tree of any depth with such
// chains is still a lower bound for all trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "data/columns.hpp"
#include "search/threshold/doubles.hpp"

namespace treeproof::threshold {

// Whether a chain costs no more than the multiway split it stands for.
inline bool chains_cost_the_same(const Columns& columns, const TreeLimits& tree_limits) {
  return tree_limits.penalize == Penalize::leaves && tree_limits.max_splits < 0 &&
         !tree_limits.list && has_wide(columns.features);
}

// Whether chains are allowed in place of all multiway splits.
inline bool chains_serve(const Columns& columns, const TreeLimits& tree_limits) {
  if (tree_limits.max_depth >= 0 || !chains_cost_the_same(columns, tree_limits)) return false;
  const std::vector<std::int32_t> doubles = find_doubles(columns);
  for (std::int32_t f = 0; f < columns.n_features(); ++f)
    if (columns.kind(f) == FeatureKind::multiway && doubles[static_cast<std::size_t>(f)] < 0)
      return false;
  return true;
}

// The same columns without multiway splits. Columns that were split in both ways are constant where
// they were split multiway, so that the numbers of columns stay the same and trees can be
// exchanged; columns that were split multiway only are now split one against the rest.
inline Columns without_multiway(const Columns& columns) {
  const std::vector<std::int32_t> doubles = find_doubles(columns);
  Columns out = columns;
  std::vector<std::uint32_t> rank(columns.rank.begin(), columns.rank.end());
  const auto n_rows = static_cast<std::size_t>(columns.n_rows);
  for (std::size_t f = 0; f < out.features.size(); ++f) {
    if (out.features[f].kind != FeatureKind::multiway) continue;
    out.features[f].kind = FeatureKind::one_vs_rest;
    if (doubles[f] < 0) continue;
    out.features[f].n_values = 1;
    std::fill_n(rank.begin() + static_cast<std::ptrdiff_t>(f * n_rows), n_rows, 0u);
  }
  out.own_rank = std::make_shared<const std::vector<std::uint32_t>>(std::move(rank));
  out.rank = *out.own_rank;
  return out;
}

}  // namespace treeproof::threshold
