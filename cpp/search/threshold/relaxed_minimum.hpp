// The minimum leaf size for bounds that neighbouring cuts share.
//
// Lemma. A tree whose leaves have at least k rows each, restricted to a set that lacks at most
// `gap` of the rows, has leaves of at least k - gap rows (or empty ones, which are contracted). So
// the optimum of a side under the relaxed minimum bounds the same side, under the true minimum k,
// of every cut that moves at most `gap` further rows into it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace treeproof::threshold {

inline std::uint32_t relaxed_minimum(std::uint32_t min_leaf, std::uint32_t gap) {
  return min_leaf > gap ? std::max(1u, min_leaf - gap) : 1u;
}

}  // namespace treeproof::threshold
