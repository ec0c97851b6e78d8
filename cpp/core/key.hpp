// 128-bit keys of sets. A set is known by the sum of its members' random keys: sums make the
// key of one side of a split from the key of the other.
#pragma once

#include <cstdint>

namespace treeproof {

struct Key {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Key&, const Key&) = default;
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
inline Key random_key(std::uint64_t n) {
  const auto split_mix = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  };
  return {split_mix(2 * n + 1), split_mix(~(2 * n))};
}

}  // namespace treeproof
