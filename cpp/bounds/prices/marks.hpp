// Marks of points. They have 16 bits, as the codes of the points do, so that the loops vectorise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bounds/prices/fuzzy_box.hpp"

namespace treeproof::prices {

// Marks the points whose codes lie outside [low, high], in addition to those that are marked.
inline void mark_outside(const std::uint16_t* __restrict code, std::size_t n, Word low, Word high,
                         std::uint16_t* __restrict marks) {
  for (std::size_t i = 0; i < n; ++i)
    marks[i] =
        static_cast<std::uint16_t>(marks[i] | (code[i] < low ? 1 : 0) | (code[i] > high ? 1 : 0));
}

// Does the same without keeping earlier marks.
inline void mark_outside_anew(const std::uint16_t* __restrict code, std::size_t n, Word low,
                              Word high, std::uint16_t* __restrict marks) {
  for (std::size_t i = 0; i < n; ++i)
    marks[i] = static_cast<std::uint16_t>((code[i] < low ? 1 : 0) | (code[i] > high ? 1 : 0));
}

// After the marks of a column have changed, updates for each point the number of columns that mark
// it and the sum of the numbers of these columns, both modulo 2^16.
inline void add_change(const std::uint16_t* __restrict now, const std::uint16_t* __restrict before,
                       std::size_t n, std::uint16_t column, std::uint16_t* __restrict number,
                       std::uint16_t* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto change = static_cast<std::uint16_t>(now[i] - before[i]);
    number[i] = static_cast<std::uint16_t>(number[i] + change);
    sum[i] = static_cast<std::uint16_t>(sum[i] + change * column);
  }
}

}  // namespace treeproof::prices
