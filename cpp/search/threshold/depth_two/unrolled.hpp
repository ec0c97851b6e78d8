// A short loop whose length is the same for all rows of a table.
//
// One counter for each feature is changed whenever a row moves to the other side of a cut. A
// generic loop takes as long for its own bookkeeping as for the counters.
#pragma once

#include <cstddef>

namespace treeproof::threshold {

// Calls `step(k)` for k = 0 .. n - 1. The branches depend on `n` alone, so that they are predicted.
template <class Step>
[[gnu::always_inline]] inline void for_each_unrolled(std::size_t n, Step step) {
  std::size_t k = 0;
  for (; k + 16 <= n; k += 16) {
#pragma GCC unroll 16
    for (std::size_t at = 0; at < 16; ++at) step(k + at);
  }
  if ((n & 8) != 0) {
#pragma GCC unroll 8
    for (std::size_t at = 0; at < 8; ++at) step(k + at);
    k += 8;
  }
  if ((n & 4) != 0) {
#pragma GCC unroll 4
    for (std::size_t at = 0; at < 4; ++at) step(k + at);
    k += 4;
  }
  if ((n & 2) != 0) {
    step(k);
    step(k + 1);
    k += 2;
  }
  if ((n & 1) != 0) step(k);
}

}  // namespace treeproof::threshold
