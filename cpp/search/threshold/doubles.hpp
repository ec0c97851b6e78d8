// Columns that are split in two ways: one child for each category, and one category against the
// rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/columns.hpp"

namespace treeproof::threshold {

// See Context::doubles.
inline std::vector<std::int32_t> find_doubles(const Columns& columns) {
  const std::int32_t n = columns.n_features();
  std::vector<std::int32_t> doubles(static_cast<std::size_t>(n), -1);
  for (std::int32_t f = 0; f < n; ++f) {
    if (columns.kind(f) != FeatureKind::multiway) continue;
    for (std::int32_t g = 0; g < n; ++g)
      if (columns.kind(g) == FeatureKind::one_vs_rest &&
          std::ranges::equal(columns.rank_of(f), columns.rank_of(g)))
        doubles[static_cast<std::size_t>(f)] = g;
  }
  return doubles;
}

}  // namespace treeproof::threshold
