#include "search/rules/determinant.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "search/rules/big_integer.hpp"

namespace treeproof::rules {
namespace {

// Laplace expansion over subsets of columns: minors[S] is the determinant of the first
// |S| rows on the columns in S, so every minor is computed once. No division, so whole
// numbers stay whole.
template <class Number, class Entry, class Accumulate>
Number expand(std::size_t n, const Entry& entry, const Accumulate& accumulate) {
  std::vector<Number> minors(std::size_t{1} << n);
  minors[0] = entry.one();
  for (std::size_t columns = 1; columns < minors.size(); ++columns) {
    const auto row = static_cast<std::size_t>(std::popcount(columns)) - 1;
    std::size_t after = row;  // columns of the subset that come after column c
    for (std::size_t c = 0; c < n; ++c) {
      const std::size_t bit = std::size_t{1} << c;
      if ((columns & bit) == 0) continue;
      accumulate(minors[columns], entry(row, c), minors[columns ^ bit], after % 2 == 1);
      --after;
    }
  }
  return minors.back();
}

struct Sum {
  double value = 0.0;
  double size = 0.0;  // the same sum with absolute values, for the error
};

struct DoubleEntry {
  std::span<const double> entries;
  std::size_t n;
  static Sum one() { return {1.0, 1.0}; }
  double operator()(std::size_t r, std::size_t c) const { return entries[r * n + c]; }
};

struct BigEntry {
  const std::vector<BigInteger>& entries;
  std::size_t n;
  static BigInteger one() { return {1, 0}; }
  const BigInteger& operator()(std::size_t r, std::size_t c) const { return entries[r * n + c]; }
};

}  // namespace

Approximate determinant(std::span<const double> entries, std::size_t n, bool exact) {
  const Sum sum = expand<Sum>(n, DoubleEntry{entries, n},
                              [](Sum& into, double entry, const Sum& minor, bool negative) {
                                into.value += (negative ? -entry : entry) * minor.value;
                                into.size += std::abs(entry) * minor.size;
                              });
  if (exact) return {sum.value, 0.0};
  // A term goes through at most n products and n sums per level, and each entry carries
  // one rounding of its own; (n + 2)^2 roundings are more than that.
  const double roundings = static_cast<double>((n + 2) * (n + 2));
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  return {sum.value, roundings * kUnit * sum.size + std::numeric_limits<double>::min()};
}

int exact_sign(const Points& points, std::size_t origin, std::span<const std::size_t> p,
               std::span<const std::size_t> c) {
  const std::size_t n = p.size();
  std::vector<BigInteger> entries(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    // mantissa * 2^exponent with 53-bit mantissas; the least exponent of the column is 0.
    constexpr int kBits = std::numeric_limits<double>::digits;
    int least = std::numeric_limits<int>::max();
    const auto value = [&](std::size_t i) { return points.at(i == n ? origin : p[i], c[j]); };
    for (std::size_t i = 0; i <= n; ++i) {
      int exponent = 0;
      if (std::frexp(value(i), &exponent) != 0.0) least = std::min(least, exponent - kBits);
    }
    const auto whole = [&](std::size_t i) -> BigInteger {
      int exponent = 0;
      const double fraction = std::frexp(value(i), &exponent);
      if (fraction == 0.0) return {};
      const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, kBits));
      return {mantissa, exponent - kBits - least};
    };
    const BigInteger base = whole(n);
    for (std::size_t i = 0; i < n; ++i) entries[i * n + j] = whole(i) - base;
  }
  return expand<BigInteger>(n, BigEntry{entries, n},
                            [](BigInteger& into, const BigInteger& entry, const BigInteger& minor,
                               bool negative) { into += (negative ? -entry : entry) * minor; })
      .sign();
}

}  // namespace treeproof::rules
