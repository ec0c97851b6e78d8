// Prefetching of memory before it is used.
//
// A table of 10^6 rows does not fit into the caches, and in the order of a sorted column its rows
// are scattered over memory: each access waits for memory unless the row was prefetched a few rows
// earlier. (For depth two on 10^6 rows, such waiting was about half of the time.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace treeproof {

// How many rows ahead to prefetch: enough for the memory to arrive in time, and few enough that it
// is still in the cache when it is used.
inline constexpr std::uint32_t kRowsAhead = 16;

inline void prefetch(const void* where) { __builtin_prefetch(where); }

// The position in a list of `size` rows up to which it pays off to prefetch the row `ahead`
// positions further on; 0 if the caches hold all rows anyway.
inline std::uint32_t prefetch_until(std::uint32_t size, std::uint32_t ahead = kRowsAhead) {
  constexpr std::uint32_t kSmall = 1 << 14;
  return size > kSmall ? size - ahead : 0;
}

}  // namespace treeproof
