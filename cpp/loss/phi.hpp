// The convex functions of the losses that are sums and one convex function.
//
// With weights w and targets v, a leaf loses sum w phi(v) - W phi(sum w v / W), W its weight: what
// the best constant loses under the Bregman divergence of phi. Adding an affine function to phi
// changes no loss. So phi is replaced by its distance to its tangent at a centre c of the
// targets, and targets by their differences z = v - c: then sums stay small however large the
// targets are, and no digits are lost. `spread(W, s, c)` is that function in homogeneous form,
// W phi(c + s / W) less the tangent, with s the weighted sum of the differences; the term of a
// row of weight w is `w * spread(1, z, c)`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace treeproof {

// phi(v) = v^2: squared error, and the Brier score (Gini impurity) of class probabilities.
struct Squares {
  static double spread(double weight, double sum, double) { return sum * sum / weight; }
};

// phi(v) = v log v with 0 log 0 = 0: Poisson deviance (one half of it), log loss of class
// probabilities, and the deviance of proportional hazards.
//
// With a = W c and x = a + s, spread is x log(x / a) - s. The power of two next to x / a is
// taken off first, and the logarithm of the rest is 2 artanh f with f = (x - a) / (x + a), one
// division. Where nothing was taken off, x - a is s itself, and 2 x f - s is s f: the small
// result of targets near their centre keeps its digits. |f| is at most 1/5. There,
// (artanh(f) / f - 1) / f^2 is approximated by a polynomial in f^2 of degree 6 that interpolates it
// at Chebyshev's points. The error is below 6e-17 of the logarithm, half a unit in the last place.
struct Logs {
  static constexpr double kArtanh[] = {
      0.3333333333333347,  0.19999999999667778, 0.14285714418022774, 0.11111091388337241,
      0.09092305123147032, 0.07641851876201573, 0.07559243554362285};
  static constexpr double kLeast = 0x1p-60;  // x log x below this part of a counts as 0 log 0
  static constexpr double kLn2 = 0.69314718055994530942;

  static double spread(double weight, double sum, double centre) {
    const double a = weight * centre;
    const double x = std::max(a + sum, a * kLeast);
    const std::uint64_t difference = std::bit_cast<std::uint64_t>(x) -
                                     std::bit_cast<std::uint64_t>(a) + (std::uint64_t{1} << 51) +
                                     (std::uint64_t{1} << 62);
    const auto exponent = static_cast<std::int64_t>(difference >> 52) - 1024;
    const double e = static_cast<double>(exponent);
    const double reduced = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) -
                                                 (static_cast<std::uint64_t>(exponent) << 52));
    const double f = (exponent == 0 ? sum : reduced - a) / (reduced + a);
    const double z = f * f;
    double series = kArtanh[6];
    for (int k = 5; k >= 0; --k) series = series * z + kArtanh[k];
    const double first = exponent == 0 ? sum * f : 2 * x * f - sum;
    return x * (e * kLn2) + first + 2 * x * f * (z * series);
  }
};

}  // namespace treeproof
