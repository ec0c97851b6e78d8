// The targets of a regression, centred and scaled so that sums of doubles can be believed:
// section 5 of docs/proof-format.md.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "problem.hpp"

namespace checker {

// What rounding can do to a loss: so many roundings of the sum of squares (or of distances to the
// centre) of its rows. It is taken off every loss, so that losses are rounded down.
inline double in_doubt(double n_rows, std::size_t n_outputs, double sum) {
  return (4 * n_rows + 8 * static_cast<double>(n_outputs) + 300) * 0x1p-53 * sum;
}

// Everything is multiplied by powers of two, which rounds nothing, so that no weight and no
// centred target is above 1.
class Centred {
 public:
  // The problem's targets and weights are replaced.
  explicit Centred(Problem& problem) : problem_(problem), given_(problem.targets) {
    const int own = exponent({problem.weights});
    for (double& weight : problem.weights) weight = std::ldexp(weight, -own);
    shift_ = exponent(problem.targets);
    const double total = std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
    for (auto& target : problem.targets) centre(target, total);
    spread_ = exponent(problem.targets);
    for (auto& target : problem.targets) {
      for (double& value : target) value = std::ldexp(value, -spread_);
    }
    power_ = (shift_ + spread_) * (problem.squared ? 2 : 1) + own;
  }

  bool constant() const { return constant_; }
  std::size_t n_outputs() const { return given_.size(); }
  // A loss in the unit of the proof, and back.
  double unscaled(double loss) const { return std::ldexp(loss, power_); }
  double scaled(double loss) const { return std::ldexp(loss, -power_); }

  // The loss of a leaf with a prediction, scaled. A prediction that is as near to the mean as
  // doubles can say counts as the mean.
  double leaf_loss(const Rows& rows, const Json& prediction) const {
    std::vector<double> values;
    if (const auto* list = prediction.get<Json::Array>()) {
      for (const Json& value : *list) values.push_back(value.real("a prediction"));
    } else {
      values.push_back(prediction.real("a prediction"));
    }
    require(values.size() == n_outputs(), "a leaf does not predict a number for each target");
    double sum = 0;
    for (std::size_t o = 0; o < values.size(); ++o) sum += output_loss(rows, o, values[o]);
    return sum;
  }

 private:
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
    for (int round = 0; round < 2; ++round) {  // what rounding left of a large offset
      const auto& weights = problem_.weights;
      centres.push_back(std::inner_product(target.begin(), target.end(), weights.begin(), 0.0) /
                        total);
      for (double& value : target) value -= centres.back();
    }
    if (flat) std::fill(target.begin(), target.end(), 0.0);
    constant_ = constant_ && flat;
  }

  double output_loss(const Rows& rows, std::size_t o, double prediction) const {
    double p = std::ldexp(prediction, -shift_);
    for (const double centre : centres_[o]) p -= centre;
    p = std::ldexp(p, -spread_);
    if (problem_.squared) {
      double weight = 0, sum = 0, largest = 0;
      for (const std::uint32_t row : rows) {
        weight += problem_.weights[row];
        sum += problem_.weights[row] * problem_.targets[o][row];
        largest = std::max(largest, std::abs(given_[o][row]));
      }
      const double near = std::ldexp(largest, -50 - shift_ - spread_);
      if (std::abs(p - sum / weight) <= near) p = sum / weight;
    }
    double loss = 0;
    for (const std::uint32_t row : rows) {
      const double off = std::abs(problem_.targets[o][row] - p);
      loss += problem_.weights[row] * (problem_.squared ? off * off : off);
    }
    return loss;
  }

  Problem& problem_;
  std::vector<std::vector<double>> given_, centres_;  // of each output
  int shift_ = 0, spread_ = 0, power_ = 0;
  bool constant_ = true;
};

}  // namespace checker
