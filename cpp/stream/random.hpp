// The random numbers of the online learners: xoshiro256** (Blackman and Vigna), seeded by
// splitmix64. Own code, so that a seed gives the same run on every platform and the state
// can be pickled.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/split_mix.hpp"

namespace treeproof::stream {

class Random {
 public:
  explicit Random(std::uint64_t seed = 0) {
    for (auto& word : state_) word = split_mix(seed++);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform in 0 .. n - 1; n > 0.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(uniform() * static_cast<double>(n));
  }

  // Standard Normal, by Marsaglia's polar method.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      const double u = 2.0 * uniform() - 1.0;
      const double v = 2.0 * uniform() - 1.0;
      const double s = u * u + v * v;
      if (s >= 1.0 || s == 0.0) continue;
      const double scale = std::sqrt(-2.0 * std::log(s) / s);
      spare_ = v * scale;
      has_spare_ = true;
      return u * scale;
    }
  }

  template <class Archive>
  void archive(Archive& a) {
    a(state_[0], state_[1], state_[2], state_[3], spare_, has_spare_);
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace treeproof::stream
