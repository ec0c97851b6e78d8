// The distance of x log x from its tangent, computed here so that its rounding error is known.

#pragma once

#include <algorithm>
#include <cmath>

namespace checker {

struct LogSpread {
  double value;  // x log(x / a) - s, with x = a + s
  double log;    // log(x / a)
};

// The power of two nearest to x / a is taken out. The logarithm of the rest is 2 artanh f with f =
// (x - a) / (x + a), which is at most 1/5 in magnitude. An x below 2^-60 a is replaced by that.
//
// The error is below 600 roundings (2^-53) of the value: if no power of two was taken out, one of
// the two terms is at most a tenth of the other; otherwise the value is at least a tenth of the
// terms that it sums. The series ends when its terms are below a hundredth of a rounding.
inline LogSpread log_spread(double a, double s) {
  constexpr double kLn2 = 0.69314718055994530942;
  const double x = std::max(a + s, a * 0x1p-60);
  int e = 0;
  const double part = std::frexp(x / a, &e);
  if (part < 2.0 / 3) --e;
  const double reduced = std::ldexp(x, -e);
  const double f = (e == 0 ? s : reduced - a) / (reduced + a);
  const double z = f * f;
  double series = 1.0 / 27;
  for (int k = 25; k >= 3; k -= 2) series = series * z + 1.0 / k;
  const double beyond = 2 * f * (z * series);
  const double first = e == 0 ? s * f : 2 * x * f - s;
  return {x * (e * kLn2) + first + x * beyond, e * kLn2 + (2 * f + beyond)};
}

}  // namespace checker
