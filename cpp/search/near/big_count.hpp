// Integers of up to 256 bits, for counts of trees. A larger count throws an exception.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace treeproof::near {

class BigCount {
 public:
  static constexpr std::size_t kWords = 4;
  using Words = std::array<std::uint64_t, kWords>;  // least significant word first

  constexpr BigCount(std::uint64_t value = 0) : words_{value} {}  // NOLINT: a number
  explicit BigCount(const Words& words) : words_(words) {}

  const Words& words() const { return words_; }
  bool zero() const { return words_ == Words{}; }

  BigCount& operator+=(const BigCount& other) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      const Wide sum = static_cast<Wide>(words_[i]) + other.words_[i] + carry;
      words_[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    if (carry != 0) overflow();
    return *this;
  }

  // `other` must not be larger.
  BigCount& operator-=(const BigCount& other) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      const Wide take = static_cast<Wide>(other.words_[i]) + borrow;
      borrow = static_cast<Wide>(words_[i]) < take ? 1 : 0;
      words_[i] -= static_cast<std::uint64_t>(take);
    }
    return *this;
  }

  friend BigCount operator*(const BigCount& a, const BigCount& b) {
    BigCount out;
    for (std::size_t i = 0; i < kWords; ++i) {
      if (a.words_[i] == 0) continue;
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < kWords; ++j) {
        const Wide product = static_cast<Wide>(a.words_[i]) * b.words_[j] + carry +
                             (i + j < kWords ? out.words_[i + j] : 0);
        carry = static_cast<std::uint64_t>(product >> 64);
        const auto low = static_cast<std::uint64_t>(product);
        if (i + j < kWords) out.words_[i + j] = low;
        else if (low != 0) overflow();
      }
      if (carry != 0) overflow();
    }
    return out;
  }

  // Quotient and remainder; the divisor must not be zero.
  friend std::pair<BigCount, BigCount> divide(const BigCount& a, const BigCount& b) {
    BigCount quotient, rest;
    for (std::size_t bit = 64 * kWords; bit-- > 0;) {
      rest.shift_in((a.words_[bit / 64] >> (bit % 64)) & 1);
      if (rest < b) continue;
      rest -= b;
      quotient.words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    return {quotient, rest};
  }

  friend bool operator==(const BigCount&, const BigCount&) = default;
  friend std::strong_ordering operator<=>(const BigCount& a, const BigCount& b) {
    for (std::size_t i = kWords; i-- > 0;)
      if (a.words_[i] != b.words_[i]) return a.words_[i] <=> b.words_[i];
    return std::strong_ordering::equal;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  [[noreturn]] static void overflow() {
    throw std::overflow_error("there are more than 2^256 trees");
  }

  void shift_in(std::uint64_t bit) {
    for (std::uint64_t& word : words_) {
      const std::uint64_t top = word >> 63;
      word = (word << 1) | bit;
      bit = top;
    }
  }

  Words words_;
};

}  // namespace treeproof::near
