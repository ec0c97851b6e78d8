#include "data/weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace treeproof {

namespace {

constexpr double kLargestScale = 0x1p1000;  // for weights near the smallest positive double

}  // namespace

double weight_scale(std::span<const double> weights) {
  double total = 0.0;
  bool whole = true;
  for (const double w : weights) {
    total += w;
    whole = whole && w == std::floor(w);
  }
  const double cap =
      static_cast<double>(kMaxTotalWeight) - static_cast<double>(weights.size()) - 1.0;
  if (whole && total < cap) return 1.0;
  return std::exp2(std::ilogb(std::min(cap / total, kLargestScale)));
}

Weight whole_weight(double weight, double scale) {
  if (weight == 0.0) return 0;
  return std::max(static_cast<Weight>(std::llround(weight * scale)), Weight{1});
}

std::vector<Weight> whole_weights(std::span<const double> weights, bool divide) {
  const double scale = weight_scale(weights);
  std::vector<Weight> rounded(weights.size());
  Weight divisor = divide ? 0 : 1;
  for (std::size_t r = 0; r < weights.size(); ++r) {
    rounded[r] = whole_weight(weights[r], scale);
    if (divisor != 1) divisor = std::gcd(divisor, rounded[r]);
  }
  if (divisor > 1)
    for (Weight& w : rounded) w /= divisor;
  return rounded;
}

}  // namespace treeproof
