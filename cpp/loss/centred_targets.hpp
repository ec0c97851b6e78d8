// Targets and weights of a regression, ready for stable sums.
//
// A tree's shape does not change when a constant is added to an output, when all outputs are
// multiplied by a constant, or when all weights are. So every output is centred on its mean
// (squared error) or median (absolute error), and only then scaled such that a single
// leaf loses exactly 1: costs are then fractions of that loss, and neither large offsets nor
// extreme units cost digits. What is multiplied before centring is multiplied by powers of
// two, which rounds nothing: of targets near 1e14 that differ by ones, every digit counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace treeproof {

struct CentredTargets {
  std::vector<double> values;   // row-major
  std::vector<double> weights;  // largest from 1/2 to 1
  bool constant = true;         // a single leaf loses nothing

  static CentredTargets for_squared_error(std::span<const double> targets, std::int32_t outputs,
                                          std::span<const double> weights) {
    return make(targets, outputs, weights, [](std::span<const double> y, auto w) {
      double sum = 0.0, total = 0.0;
      for (std::size_t r = 0; r < y.size(); ++r) {
        sum += w[r] * y[r];
        total += w[r];
      }
      return sum / total;
    }, [](double y) { return y * y; }, [](double loss) { return std::sqrt(loss); });
  }

  static CentredTargets for_absolute_error(std::span<const double> targets,
                                           std::int32_t outputs,
                                           std::span<const double> weights) {
    return make(targets, outputs, weights, [](std::span<const double> y, auto w) {
      std::vector<std::size_t> order(y.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return y[a] < y[b]; });
      const double half = std::accumulate(w.begin(), w.end(), 0.0) / 2;
      double below = 0.0;
      for (const std::size_t r : order)
        if ((below += w[r]) >= half) return y[r];
      return y[order.back()];
    }, [](double y) { return std::abs(y); }, [](double loss) { return loss; });
  }

 private:
  // Multiplies by the power of two that brings the largest magnitude below 1.
  static void scale_to_one(std::vector<double>& values) {
    double largest = 0.0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (double& v : values) v = std::ldexp(v, -exponent);
  }

  template <class Centre, class Loss, class Scale>
  static CentredTargets make(std::span<const double> targets, std::int32_t n_outputs,
                             std::span<const double> weights, Centre centre, Loss loss,
                             Scale scale) {
    const auto outputs = static_cast<std::size_t>(n_outputs);
    const std::size_t n = weights.size();
    CentredTargets out;
    out.weights.assign(weights.begin(), weights.end());
    scale_to_one(out.weights);
    out.values.assign(targets.begin(), targets.end());
    scale_to_one(out.values);
    std::vector<double> column(n);
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t r = 0; r < n; ++r) column[r] = out.values[r * outputs + k];
      const auto [low, high] = std::ranges::minmax_element(column);
      const bool flat = *low == *high;
      // Centring twice removes what rounding left of a large offset.
      for (int round = 0; round < 2; ++round) {
        const double middle = centre(column, std::span<const double>(out.weights));
        for (double& y : column) y -= middle;
      }
      for (std::size_t r = 0; r < n; ++r) out.values[r * outputs + k] = flat ? 0.0 : column[r];
    }
    scale_to_one(out.values);  // so that squares do not vanish
    double total = 0.0;
    for (std::size_t at = 0; at < out.values.size(); ++at)
      total += out.weights[at / outputs] * loss(out.values[at]);
    if (!(total > 0.0)) return out;
    out.constant = false;
    const double factor = scale(total);
    for (double& y : out.values) y /= factor;
    return out;
  }
};

}  // namespace treeproof
