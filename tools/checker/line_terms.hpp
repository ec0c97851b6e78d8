// Products of targets and columns of lines, for every row, that can be added up without rounding:
// section 5 of docs/proof-format.md, *Lines*.
//
// Let 1, y and the columns x be vectors over the rows. Each is centred about some double and
// multiplied by a power of two, such that no w v^2 is above 1. By the inequality of Cauchy and
// Schwarz, no product w u v of two of them is above 1 either. Each product is computed as a sum of
// at most four terms, each of which is rounded down to a multiple of 2^-90; the error is below 4 of
// these units. It is stored as three doubles of 30 bits each. With fewer than 2^22 rows, all sums
// of these doubles are integers below 2^53, and so without rounding errors.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "errors.hpp"
#include "long_int.hpp"

namespace checker {

inline constexpr int kTermBits = 90, kSliceBits = 30;
inline constexpr std::int64_t kTermUnits = 4;  // the error of a term is below this
inline constexpr std::size_t kMostLineRows = std::size_t{1} << 22;

// Numbers for all rows, each the sum of two doubles, and the power of two by which they are
// divided.
struct LineVector {
  std::vector<double> high, low;
  double centre = 0;
  int scale = 0;
  bool constant = true;

  static LineVector ones(const std::vector<double>& weights) {
    LineVector out;
    out.high.assign(weights.size(), 1.0);
    out.low.assign(weights.size(), 0.0);
    out.fit(weights);
    return out;
  }

  // The differences from a double near the mean, without rounding: high + low is exactly the
  // difference, whatever the signs and magnitudes are, because numbers are below 2^1000.
  static LineVector centred(const std::vector<double>& values, const std::vector<double>& weights) {
    LineVector out;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    require(std::max(-*least, *most) < 0x1p1000, "a number is too large for lines");
    out.constant = *least == *most;
    const double heaviest = *std::max_element(weights.begin(), weights.end());
    double weight = 0, sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      weight += weights[i] / heaviest;
      sum += values[i] / static_cast<double>(values.size()) * (weights[i] / heaviest);
    }
    const double mean = sum / (weight / static_cast<double>(values.size()));
    out.centre = std::clamp(mean, *least, *most);
    for (const double value : values) {
      const double difference = value - out.centre, back = difference - value;
      out.high.push_back(difference);
      out.low.push_back((value - (difference - back)) - (out.centre + back));
    }
    out.fit(weights);
    return out;
  }

 private:
  // Finds the least power of two s such that w v^2 < 4^s for all rows.
  void fit(const std::vector<double>& weights) {
    int most = std::numeric_limits<int>::min();
    for (std::size_t i = 0; i < high.size(); ++i) {
      if (high[i] == 0) continue;  // then the lower part is zero, too
      int of_weight = 0, of_value = 0;
      std::frexp(weights[i], &of_weight);
      std::frexp(high[i], &of_value);
      // With the lower part, the sum may reach the next power of two.
      most = std::max(most, of_weight + 2 * (of_value + (low[i] != 0 ? 1 : 0)));
    }
    if (most == std::numeric_limits<int>::min()) return;
    scale = most >= 0 ? (most + 1) / 2 : -(-most / 2);
  }
};

using LineTerm = std::array<double, 3>;

// The product of a weight and two numbers of a row, divided by the powers of two of both vectors.
inline LineTerm line_term(double weight, const LineVector& u, const LineVector& v, std::size_t i) {
  struct Parts {
    std::int64_t whole;
    int power;
  };
  const auto parts_of = [](double value) {
    int power = 0;
    const double fraction = std::frexp(value, &power);
    return Parts{static_cast<std::int64_t>(std::ldexp(fraction, 53)), power - 53};
  };
  const Parts w = parts_of(weight);
  LongInt<4> sum;
  for (const double left : {u.high[i], u.low[i]}) {
    for (const double right : {v.high[i], v.low[i]}) {
      if (left == 0 || right == 0) continue;
      const Parts a = parts_of(left), b = parts_of(right);
      const LongInt<3> product = LongInt<1>(w.whole) * LongInt<1>(a.whole) * LongInt<1>(b.whole);
      const int power = w.power + a.power + b.power - u.scale - v.scale + kTermBits;
      sum = sum + LongInt<4>(product).shifted(std::max(power, -255));
    }
  }
  const auto slice = [&](int from) {
    const std::uint64_t low = sum.shifted(-from).word(0);
    return static_cast<double>(low & ((std::uint64_t{1} << kSliceBits) - 1));
  };
  const auto top = static_cast<std::int64_t>(sum.shifted(-2 * kSliceBits).word(0));
  return {static_cast<double>(top), slice(kSliceBits), slice(0)};
}

}  // namespace checker
