#include "search/rules/big_integer.hpp"

#include <algorithm>

namespace treeproof::rules {
namespace {

void trim(std::vector<std::uint32_t>& digits) {
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
}

}  // namespace

BigInteger::BigInteger(std::int64_t mantissa, int shift) {
  if (mantissa == 0) return;
  sign_ = mantissa < 0 ? -1 : 1;
  const std::uint64_t size = mantissa < 0 ? 0 - static_cast<std::uint64_t>(mantissa)
                                          : static_cast<std::uint64_t>(mantissa);
  digits_.assign(static_cast<std::size_t>(shift / 32), 0);
  const int bits = shift % 32;
  const std::uint64_t low = size << bits;
  digits_.push_back(static_cast<std::uint32_t>(low));
  digits_.push_back(static_cast<std::uint32_t>(low >> 32));
  digits_.push_back(bits == 0 ? 0 : static_cast<std::uint32_t>(size >> (64 - bits)));
  trim(digits_);
}

int BigInteger::compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t i = a.size(); i-- > 0;)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

BigInteger::Digits BigInteger::sum(const Digits& a, const Digits& b) {
  const std::size_t n = std::max(a.size(), b.size());
  Digits out(n + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < n; ++i) {
    carry += (i < a.size() ? a[i] : 0ULL) + (i < b.size() ? b[i] : 0ULL);
    out[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  out[n] = static_cast<std::uint32_t>(carry);
  trim(out);
  return out;
}

BigInteger::Digits BigInteger::difference(const Digits& larger, const Digits& smaller) {
  Digits out(larger.size());
  std::int64_t carry = 0;
  for (std::size_t i = 0; i < larger.size(); ++i) {
    carry += static_cast<std::int64_t>(larger[i]) -
             static_cast<std::int64_t>(i < smaller.size() ? smaller[i] : 0);
    out[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;  // arithmetic: borrows stay -1
  }
  trim(out);
  return out;
}

BigInteger BigInteger::operator-() const {
  BigInteger out = *this;
  out.sign_ = -sign_;
  return out;
}

BigInteger& BigInteger::operator+=(const BigInteger& other) {
  if (other.sign_ == 0) return *this;
  if (sign_ == 0) return *this = other;
  if (sign_ == other.sign_) {
    digits_ = sum(digits_, other.digits_);
    return *this;
  }
  const int order = compare(digits_, other.digits_);
  if (order == 0) return *this = BigInteger();
  digits_ = order > 0 ? difference(digits_, other.digits_) : difference(other.digits_, digits_);
  if (order < 0) sign_ = other.sign_;
  return *this;
}

BigInteger operator-(const BigInteger& a, const BigInteger& b) {
  BigInteger out = a;
  return out += -b;
}

BigInteger operator*(const BigInteger& a, const BigInteger& b) {
  BigInteger out;
  if (a.sign_ == 0 || b.sign_ == 0) return out;
  out.sign_ = a.sign_ * b.sign_;
  out.digits_.assign(a.digits_.size() + b.digits_.size(), 0);
  for (std::size_t i = 0; i < a.digits_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.digits_.size(); ++j) {
      carry += static_cast<std::uint64_t>(a.digits_[i]) * b.digits_[j] + out.digits_[i + j];
      out.digits_[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    out.digits_[i + b.digits_.size()] = static_cast<std::uint32_t>(carry);
  }
  trim(out.digits_);
  return out;
}

}  // namespace treeproof::rules
