// Targets and weights, ready for stable sums.
//
// A tree's shape does not change when all outputs are multiplied by a constant, or when all
// weights are; and its losses do not change when every target is replaced by its difference to a
// centre (for sums and a convex function: loss/phi.hpp; for order statistics: obviously). So every
// output is centred on its mean or median, and only then scaled such that a single leaf loses
// exactly 1: costs are then fractions of that loss, and neither large offsets nor extreme units
// cost digits. What is multiplied before centring is multiplied by powers of two, which rounds
// nothing: of targets near 1e14 that differ by ones, every digit counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "loss/phi.hpp"
#include "loss/targets.hpp"

namespace treeproof {

struct CentredTargets {
  std::vector<double> values;   // row-major
  std::vector<double> weights;  // largest from 1/2 to 1
  std::vector<double> centres;  // of each output, in the unit of the values
  // Weight, sums and own terms of the imaginary rows in every leaf; empty if there are none.
  std::vector<double> prior;
  bool constant = true;  // a single leaf loses nothing

  static CentredTargets for_squared_error(const Targets& targets) {
    CentredTargets out(targets, mean);
    double total = 0.0;
    for (std::size_t at = 0; at < out.values.size(); ++at)
      total += out.weight_at(at) * (out.values[at] * out.values[at]);
    if (out.scale(total, std::sqrt(total)))
      out.take_off_prior([](double, double y) { return y * y; });
    return out;
  }

  // Targets must not be negative.
  static CentredTargets for_poisson(const Targets& targets) {
    CentredTargets out(targets, mean);
    // An output of zeros has no logarithm, and loses nothing about any centre.
    for (double& centre : out.centres)
      if (!(centre > 0.0)) centre = 1.0;
    double total = 0.0;
    for (std::size_t at = 0; at < out.values.size(); ++at)
      total += out.weight_at(at) * Logs::spread(1.0, out.values[at], out.centre_at(at));
    if (out.scale(total, total))
      out.take_off_prior([](double centre, double y) { return Logs::spread(1.0, y, centre); });
    return out;
  }

  static CentredTargets for_absolute_error(const Targets& targets) {
    CentredTargets out(targets, median);
    const double total = out.pinball(targets.quantiles);
    out.scale(total, total);
    return out;
  }

 private:
  using Column = std::span<const double>;

  static double mean(Column y, Column w) {
    double sum = 0.0, total = 0.0;
    for (std::size_t r = 0; r < y.size(); ++r) {
      sum += w[r] * y[r];
      total += w[r];
    }
    return sum / total;
  }
  static double median(Column y, Column w) { return quantile(y, w, 0.5); }
  // The least value such that those up to it have the level's share of the weight. Half of the
  // values that are left are ruled out in each round, which is faster than sorting them.
  static double quantile(Column y, Column w, double level) {
    struct Weighted {
      double value, weight;
    };
    std::vector<Weighted> all(y.size());
    for (std::size_t r = 0; r < y.size(); ++r) all[r] = {y[r], w[r]};
    const double reach = std::accumulate(w.begin(), w.end(), 0.0) * level;
    double below = 0.0;
    auto first = all.begin(), last = all.end();
    while (last - first > 1) {
      const auto middle = first + (last - first) / 2;
      std::ranges::nth_element(first, middle, last, {}, &Weighted::value);
      const double lower = std::accumulate(first, middle, 0.0,
                                           [](double sum, Weighted v) { return sum + v.weight; });
      if (below + lower >= reach) {
        last = middle;
      } else {
        below += lower;
        first = middle;
      }
    }
    return first->value;
  }

  // Multiplies by the power of two that brings the largest magnitude below 1; returns its exponent.
  static int scale_to_one(std::vector<double>& values) {
    double largest = 0.0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (double& v : values) v = std::ldexp(v, -exponent);
    return exponent;
  }

  template <class Centre>
  CentredTargets(const Targets& targets, Centre centre)
      : outputs_(static_cast<std::size_t>(targets.n_outputs)) {
    weights.assign(targets.weights.begin(), targets.weights.end());
    values.assign(targets.values.begin(), targets.values.end());
    if (targets.smoothing > 0.0) {
      imaginary_ = outputs_;
      for (std::size_t k = 0; k < outputs_; ++k) {
        weights.push_back(targets.smoothing);
        for (std::size_t j = 0; j < outputs_; ++j) values.push_back(j == k ? 1.0 : 0.0);
      }
    }
    scale_to_one(weights);
    scale_to_one(values);
    centres.assign(outputs_, 0.0);
    const std::size_t n = weights.size();
    std::vector<double> column(n);
    for (std::size_t k = 0; k < outputs_; ++k) {
      for (std::size_t r = 0; r < n; ++r) column[r] = values[r * outputs_ + k];
      const auto [low, high] = std::ranges::minmax_element(column);
      const bool flat = *low == *high;
      // Centring twice removes what rounding left of a large offset.
      for (int round = 0; round < 2; ++round) {
        const double middle = centre(column, Column(weights));
        for (double& y : column) y -= middle;
        centres[k] += middle;
      }
      for (std::size_t r = 0; r < n; ++r) values[r * outputs_ + k] = flat ? 0.0 : column[r];
    }
    const int exponent = scale_to_one(values);  // so that squares do not vanish
    for (double& c : centres) c = std::ldexp(c, -exponent);
  }

  double weight_at(std::size_t at) const { return weights[at / outputs_]; }
  double centre_at(std::size_t at) const { return centres[at % outputs_]; }

  // Divides the targets by what makes a single leaf lose 1; false if it loses nothing.
  bool scale(double total, double factor) {
    if (!(total > 0.0)) return false;
    constant = false;
    for (double& y : values) y /= factor;
    for (double& c : centres) c /= factor;
    return true;
  }

  // Makes the prior of the imaginary rows, which are the last ones.
  template <class Own>
  void take_off_prior(Own own) {
    if (imaginary_ == 0) return;
    const std::size_t n = weights.size() - imaginary_;
    prior.assign(outputs_ + 2, 0.0);
    for (std::size_t r = n; r < weights.size(); ++r) {
      prior[0] += weights[r];
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double y = values[r * outputs_ + k];
        prior[1 + k] += weights[r] * y;
        prior[1 + outputs_] += weights[r] * own(centres[k], y);
      }
    }
    weights.resize(n);
    values.resize(n * outputs_);
  }

  // What a single leaf loses, twice the weighted distances to each quantile.
  double pinball(std::span<const double> quantiles) const {
    const double half = 0.5;
    const auto levels = quantiles.empty() ? std::span(&half, 1) : quantiles;
    std::vector<double> column(weights.size());
    double total = 0.0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      for (std::size_t r = 0; r < column.size(); ++r) column[r] = values[r * outputs_ + k];
      for (const double level : levels) {
        const double at = quantile(column, weights, level);
        for (std::size_t r = 0; r < column.size(); ++r)
          total += weights[r] * (column[r] > at ? 2 * level * (column[r] - at)
                                                : 2 * (1 - level) * (at - column[r]));
      }
    }
    return total;
  }

  std::size_t outputs_;
  std::size_t imaginary_ = 0;  // rows at the end
};

}  // namespace treeproof
