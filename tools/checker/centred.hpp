// The targets of a regression, centred and scaled so that the rounding errors of sums of doubles
// are known: section 5 of docs/proof-format.md.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "errors.hpp"
#include "problem.hpp"

namespace checker {

// A bound on the rounding error of a loss: a number of roundings of the sum of squares (or of
// distances to the centre) of its rows. It is subtracted from every loss, so that losses are
// rounded down.
inline double in_doubt(double n_rows, std::size_t n_outputs, double sum) {
  return (4 * n_rows + 8 * static_cast<double>(n_outputs) + 300) * 0x1p-53 * sum;
}

// Everything is multiplied by powers of two, which causes no rounding, so that no weight and no
// centred target is above 1.
class Centred {
 public:
  // Replaces the problem's targets and weights. With smoothing, every leaf has imaginary rows,
  // which are appended: one for each output, whose target is 1 for this output and 0 for the
  // others.
  explicit Centred(Problem& problem) : problem_(problem), n_rows_(problem.n_rows()) {
    given_weight_ = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    if (problem.smoothing > 0) add_imaginary_rows();
    given_ = problem.targets;
    const int own = exponent({problem.weights});
    for (double& weight : problem.weights) weight = std::ldexp(weight, -own);
    shift_ = exponent(problem.targets);
    const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    for (auto& target : problem.targets) centre(target, total);
    spread_ = exponent(problem.targets);
    for (auto& target : problem.targets) {
      for (double& value : target) value = std::ldexp(value, -spread_);
    }
    power_ = (shift_ + spread_) * (problem.family == Family::kSquares ? 2 : 1) + own;
  }

  bool constant() const { return constant_; }
  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_outputs() const { return given_.size(); }
  double given_weight() const { return given_weight_; }
  // Converts a scaled loss to the unit of the proof.
  double unscaled(double loss) const { return std::ldexp(loss, power_); }
  double scaled(double loss) const { return std::ldexp(loss, -power_); }
  // The centre of an output, scaled like the targets.
  double centre(std::size_t o) const {
    return std::ldexp(centres_[o][0] + centres_[o][1], -spread_);
  }

  // A prediction as its difference from the centre, scaled like the targets.
  double in_unit(double prediction, std::size_t o) const {
    double p = std::ldexp(prediction, -shift_);
    for (const double centre : centres_[o]) p -= centre;
    return std::ldexp(p, -spread_);
  }
  // Replaces a prediction by the mean if it is as close to the mean as doubles can represent.
  double near_mean(const Rows& rows, std::size_t o, double p) const {
    double weight = 0, sum = 0, largest = 0;
    for (const std::uint32_t row : rows) {
      weight += problem_.weights[row];
      sum += problem_.weights[row] * problem_.targets[o][row];
      largest = std::max(largest, std::abs(given_[o][row]));
    }
    const double near = std::ldexp(largest, -50 - shift_ - spread_);
    return std::abs(p - sum / weight) <= near ? sum / weight : p;
  }
  bool all_zero(const Rows& rows, std::size_t o) const {
    return std::all_of(rows.begin(), rows.end(),
                       [&](std::uint32_t row) { return given_[o][row] == 0; });
  }
  // The rows of a leaf, together with the imaginary rows.
  Rows with_imaginary(const Rows& rows) const {
    Rows all = rows;
    for (std::size_t row = n_rows_; row < problem_.weights.size(); ++row) {
      all.push_back(static_cast<std::uint32_t>(row));
    }
    return all;
  }

 private:
  void add_imaginary_rows() {
    for (std::size_t k = 0; k < problem_.targets.size(); ++k) {
      problem_.weights.push_back(problem_.smoothing);
      for (std::size_t o = 0; o < problem_.targets.size(); ++o) {
        problem_.targets[o].push_back(o == k ? 1.0 : 0.0);
      }
    }
  }

  // The power of two above the largest magnitude.
  static int exponent(const std::vector<std::vector<double>>& lists) {
    double most = 0;
    for (const auto& list : lists) {
      for (const double value : list) most = std::max(most, std::abs(value));
    }
    int power = 0;
    std::frexp(most, &power);
    return power;
  }

  void centre(std::vector<double>& target, double total) {
    const auto [low, high] = std::minmax_element(target.begin(), target.end());
    const bool flat = *low == *high;
    for (double& value : target) value = std::ldexp(value, -shift_);
    auto& centres = centres_.emplace_back();
    // The second round removes what rounding left of a large offset.
    for (int round = 0; round < 2; ++round) {
      const auto& weights = problem_.weights;
      centres.push_back(std::inner_product(target.begin(), target.end(), weights.begin(), 0.0) /
                        total);
      for (double& value : target) value -= centres.back();
    }
    if (flat) std::fill(target.begin(), target.end(), 0.0);
    constant_ = constant_ && flat;
  }

  Problem& problem_;
  const std::size_t n_rows_;                          // without the imaginary rows
  double given_weight_ = 0;                           // the sum of the given weights
  std::vector<std::vector<double>> given_, centres_;  // for each output
  int shift_ = 0, spread_ = 0, power_ = 0;
  bool constant_ = true;
};

}  // namespace checker
