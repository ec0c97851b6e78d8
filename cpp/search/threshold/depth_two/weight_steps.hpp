// Cuts within a given weight of another cut, for the unit step.
#pragma once

#include <cstdint>

namespace treeproof::threshold {

// The first position that is more than `weight` beyond `from`, or `size`.
template <class Lanes, class Value>
std::uint32_t advance(const Lanes& lanes, std::uint32_t from, std::uint32_t size, Value weight) {
  std::uint32_t low = from, high = size;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (lanes.weight_between(from, middle) > weight) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The last position that is more than `weight` before `from`, or 0.
template <class Lanes, class Value>
std::uint32_t retreat(const Lanes& lanes, std::uint32_t from, Value weight) {
  std::uint32_t low = 0, high = from;
  while (low < high) {
    const std::uint32_t middle = low + (high - low + 1) / 2;
    if (lanes.weight_between(middle, from) > weight) low = middle;
    else high = middle - 1;
  }
  return low;
}

}  // namespace treeproof::threshold
