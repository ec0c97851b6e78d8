// Targets and weights of a regression, ready for stable sums.
//
// A tree's shape does not change when a constant is added to an output, when all outputs are
// multiplied by a constant, or when all weights are. So every output is centred on its mean
// (squared error) or median (absolute error), and everything is scaled such that a single
// leaf loses exactly 1: costs are then fractions of that loss, and neither large offsets nor
// extreme units cost digits.
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
  std::vector<double> weights;  // largest 1
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
  template <class Centre, class Loss, class Scale>
  static CentredTargets make(std::span<const double> targets, std::int32_t n_outputs,
                             std::span<const double> weights, Centre centre, Loss loss,
                             Scale scale) {
    const auto outputs = static_cast<std::size_t>(n_outputs);
    const std::size_t n = weights.size();
    CentredTargets out;
    const double heaviest = *std::ranges::max_element(weights);
    for (const double w : weights) out.weights.push_back(w / heaviest);
    double largest = 0.0;
    for (const double y : targets) largest = std::max(largest, std::abs(y));
    out.values.assign(targets.size(), 0.0);
    if (largest == 0.0) return out;
    std::vector<double> column(n);
    double total = 0.0;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t r = 0; r < n; ++r) column[r] = targets[r * outputs + k] / largest;
      // Centring twice removes what rounding left of a large offset.
      for (int round = 0; round < 2; ++round) {
        const double middle = centre(column, std::span<const double>(out.weights));
        for (double& y : column) y -= middle;
      }
      const auto [low, high] = std::ranges::minmax_element(column);
      const bool flat = *low == *high;
      for (std::size_t r = 0; r < n && !flat; ++r) {
        out.values[r * outputs + k] = column[r];
        total += out.weights[r] * loss(column[r]);
      }
    }
    if (!(total > 0.0)) return out;
    out.constant = false;
    const double factor = scale(total);
    for (double& y : out.values) y /= factor;
    return out;
  }
};

}  // namespace treeproof
