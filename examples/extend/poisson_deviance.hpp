// A loss of one's own for leaves that predict a number: rates, such as claims in a year.
//
// Rows have a rate v >= 0 and a weight w, say the years that a policy was held, so w v claims. A
// leaf predicts the rate m = sum(w v) / sum(w), and its rows lose the Poisson deviance
//
//   2 * sum(w (v log(v / m) - (v - m))) = 2 * (sum(w v log(v)) - sum(w v) log(m)),
//
// which is zero if every row has the leaf's rate. It sums over rows, and the best rate for a union
// does no better on a part than the part's own, which is all the searches need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "loss/loss.hpp"

namespace treeproof {

class PoissonDeviance {
 public:
  using Value = double;
  // One row can change a deviance by more than its weight.
  static constexpr bool kUnitStep = false;

  struct Tally {
    double weight = 0.0, count = 0.0;
    double own = 0.0;  // sum of w v log(v)
  };

  PoissonDeviance(std::span<const double> rates, std::span<const double> weights)
      : rates_(rates), weights_(weights) {}

  Tally tally() const { return {}; }
  void clear(Tally& t) const { t = {}; }
  void add(Tally& t, std::uint32_t row) const { change(t, row, 1.0); }
  void remove(Tally& t, std::uint32_t row) const { change(t, row, -1.0); }

  // The deviance of the best rate for the rows tallied.
  Value value(const Tally& t) const {
    if (t.count <= 0.0) return 0.0;
    return std::max(0.0, 2.0 * (t.own - t.count * std::log(t.count / t.weight)));
  }

  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return bound >= best - 1e-9 * std::abs(best); }
  Value weight(std::uint32_t row) const { return weights_[row]; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  void change(Tally& t, std::uint32_t row, double sign) const {
    const double v = rates_[row], w = weights_[row];
    t.weight += sign * w;
    t.count += sign * w * v;
    if (v > 0.0) t.own += sign * w * v * std::log(v);
  }

  std::span<const double> rates_;
  std::span<const double> weights_;
};

static_assert(Loss<PoissonDeviance>);

}  // namespace treeproof
