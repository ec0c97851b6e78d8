// Integers with a fixed number of bits, for sums and products that must not be rounded.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace checker {

__extension__ using Twice = unsigned __int128;

// An integer in two's complement, in N words of 64 bits. The caller has to ensure that nothing
// overflows.
template <std::size_t N>
class LongInt {
 public:
  LongInt() : words_{} {}
  LongInt(std::int64_t value) {  // NOLINT: a number is a number
    words_.fill(value < 0 ? ~std::uint64_t{0} : 0);
    words_[0] = static_cast<std::uint64_t>(value);
  }
  // The same number with more words, or with fewer if it fits.
  template <std::size_t M>
  explicit LongInt(const LongInt<M>& other) {
    words_.fill(other.negative() ? ~std::uint64_t{0} : 0);
    for (std::size_t i = 0; i < std::min(N, M); ++i) words_[i] = other.word(i);
  }

  std::uint64_t word(std::size_t i) const { return words_[i]; }
  bool negative() const { return words_[N - 1] >> 63 != 0; }
  bool positive() const {
    return !negative() && std::any_of(words_.begin(), words_.end(), [](auto w) { return w != 0; });
  }

  friend LongInt operator+(LongInt a, const LongInt& b) {
    Twice carry = 0;
    for (std::size_t i = 0; i < N; ++i) {
      carry += Twice{a.words_[i]} + b.words_[i];
      a.words_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return a;
  }
  LongInt operator-() const {
    LongInt out = *this;
    for (auto& word : out.words_) word = ~word;
    return out + LongInt(1);
  }
  friend LongInt operator-(const LongInt& a, const LongInt& b) { return a + -b; }
  LongInt magnitude() const { return negative() ? -*this : *this; }

  template <std::size_t M>
  LongInt<N + M> operator*(const LongInt<M>& other) const {
    const LongInt a = magnitude();
    const LongInt<M> b = other.magnitude();
    LongInt<N + M> out;
    for (std::size_t i = 0; i < N; ++i) {
      Twice carry = 0;
      if (a.words_[i] == 0) continue;
      for (std::size_t j = 0; j < M; ++j) {
        carry += Twice{a.words_[i]} * b.word(j) + out.word(i + j);
        out.set(i + j, static_cast<std::uint64_t>(carry));
        carry >>= 64;
      }
      out.set(i + M, static_cast<std::uint64_t>(carry));
    }
    return negative() != other.negative() ? -out : out;
  }

  // The number times 2^power, rounded down. The bits that are shifted out at the top must be copies
  // of the sign.
  LongInt shifted(int power) const {
    LongInt out(negative() ? -1 : 0);
    const int words = power >= 0 ? power / 64 : -((63 - power) / 64), bits = power - 64 * words;
    for (int i = 0; i < static_cast<int>(N); ++i) {
      const Twice both = Twice{at(i - words)} << 64 | at(i - words - 1);
      out.words_[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(both << bits >> 64);
    }
    return out;
  }

  void set(std::size_t i, std::uint64_t word) { words_[i] = word; }

  // A nonnegative number as `part` times 2^power. Its relative error is below 2^-62, plus the
  // rounding error of a double.
  struct Scaled {
    double part;
    int power;
  };
  Scaled scaled() const {
    std::size_t top = N;
    while (top > 1 && words_[top - 1] == 0) --top;
    double part = 0;
    const std::size_t low = top > 2 ? top - 2 : 0;
    for (std::size_t i = top; i-- > low;) part = part * 0x1p64 + static_cast<double>(words_[i]);
    return {part, 64 * static_cast<int>(low)};
  }

 private:
  // One of the words. Words beyond the ends are zero, or copies of the sign.
  std::uint64_t at(int i) const {
    if (i < 0) return 0;
    if (i >= static_cast<int>(N)) return negative() ? ~std::uint64_t{0} : 0;
    return words_[static_cast<std::size_t>(i)];
  }

  std::array<std::uint64_t, N> words_;
};

}  // namespace checker
