// A loss of one's own for leaves that predict a number: amounts, such as the cost of a claim.
//
// Rows have a positive amount y and a weight w. A leaf predicts the mean m of its rows, and its
// rows lose the Gamma deviance
//
//   2 * sum(w (log(m / y) + y / m - 1)) = 2 * (sum(w) log(m) - sum(w log(y))),
//
// in which an error of ten per cent costs the same for large and for small amounts. It is a sum
// over rows, and the best prediction for a union of rows is no better on a part than the part's
// own, which is all that the searches need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "loss/loss.hpp"

namespace treeproof {

class GammaDeviance {
 public:
  using Value = double;
  // One row can change a deviance by more than its weight.
  static constexpr bool kUnitStep = false;

  struct Tally {
    double weight = 0.0, amount = 0.0;
    double logs = 0.0;  // sum of w log(y)
    std::int64_t rows = 0;
  };

  GammaDeviance(std::span<const double> amounts, std::span<const double> weights)
      : amounts_(amounts), weights_(weights) {}

  Tally tally() const { return {}; }
  void clear(Tally& t) const { t = {}; }
  void add(Tally& t, std::uint32_t row) const { change(t, row, 1); }
  void remove(Tally& t, std::uint32_t row) const { change(t, row, -1); }

  // The deviance of the best prediction for the rows tallied.
  Value value(const Tally& t) const {
    if (t.rows <= 1) return 0.0;  // exactly, whatever rounding has left in the sums
    return std::max(0.0, 2.0 * (t.weight * std::log(t.amount / t.weight) - t.logs));
  }

  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return bound >= best - 1e-9 * std::abs(best); }
  Value weight(std::uint32_t row) const { return weights_[row]; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  void change(Tally& t, std::uint32_t row, int sign) const {
    const double w = sign * weights_[row], y = amounts_[row];
    t.weight += w;
    t.amount += w * y;
    t.logs += w * std::log(y);
    t.rows += sign;
  }

  std::span<const double> amounts_;
  std::span<const double> weights_;
};

static_assert(Loss<GammaDeviance>);

}  // namespace treeproof
