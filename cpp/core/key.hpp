// 128-bit keys of sets. The key of a set is the sum of the random keys of its members, so that the
// key of one side of a split can be computed from the keys of the set and of the other side.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "core/split_mix.hpp"

namespace treeproof {

struct Key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend auto operator<=>(const Key&, const Key&) = default;
  Key& operator+=(const Key& other) {
    const std::uint64_t before = low;
    low += other.low;
    high += other.high + (low < before ? 1 : 0);
    return *this;
  }
  Key& operator-=(const Key& other) {
    const std::uint64_t before = low;
    low -= other.low;
    high -= other.high + (low > before ? 1 : 0);
    return *this;
  }
};

struct KeyHash {
  std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
};

// The n-th of a fixed sequence of random keys.
inline Key random_key(std::uint64_t n) { return {split_mix(2 * n + 1), split_mix(~(2 * n))}; }

}  // namespace treeproof
