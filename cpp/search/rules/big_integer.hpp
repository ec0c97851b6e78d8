// Integers of any size, with the operations that exact signs of determinants need: add, subtract,
// multiply, sign. A number is a sign and a magnitude in 32-bit digits, least significant first.
// They are used only if floating point cannot decide, so plain school arithmetic is sufficient.
#pragma once

#include <cstdint>
#include <vector>

namespace treeproof::rules {

class BigInteger {
 public:
  BigInteger() = default;
  // mantissa * 2^shift, shift >= 0
  BigInteger(std::int64_t mantissa, int shift);

  int sign() const { return sign_; }
  BigInteger operator-() const;
  BigInteger& operator+=(const BigInteger& other);
  friend BigInteger operator-(const BigInteger& a, const BigInteger& b);
  friend BigInteger operator*(const BigInteger& a, const BigInteger& b);

 private:
  using Digits = std::vector<std::uint32_t>;

  static int compare(const Digits& a, const Digits& b);
  static Digits sum(const Digits& a, const Digits& b);
  static Digits difference(const Digits& larger, const Digits& smaller);

  int sign_ = 0;
  Digits digits_;
};

}  // namespace treeproof::rules
