// Fetching memory ahead of its use.
//
// A table of 10^6 rows does not fit the caches, and a column in sorted order visits its rows at
// random: each visit waits for memory unless it was asked for some rows before. (Depth two on
// 10^6 rows: about half of the time was such waiting.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace treeproof {

// How many rows ahead to ask: enough for the memory to answer in time, few enough for what came
// to be still there.
inline constexpr std::uint32_t kRowsAhead = 16;

inline void prefetch(const void* where) { __builtin_prefetch(where); }

// Up to which position of a list of `size` rows it pays to ask for the row `ahead` further on;
// 0 where the caches hold all of them anyway.
inline std::uint32_t prefetch_until(std::uint32_t size, std::uint32_t ahead = kRowsAhead) {
  constexpr std::uint32_t kSmall = 1 << 14;
  return size > kSmall ? size - ahead : 0;
}

}  // namespace treeproof
