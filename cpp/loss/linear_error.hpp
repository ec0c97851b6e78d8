// Squared error of leaves that hold a line: a leaf chooses one of some columns, a slope and an
// intercept.
//
// A row of weight w loses w ((y - a - b x)^2 + ridge b^2), with every column scaled to variance 1
// over the whole table. The ridge counts for each row. A leaf's loss is therefore the least sum of
// its rows' losses over the actions (column, slope, intercept), which is all that superadditivity
// needs; a term for each leaf instead would break it. With the sums of a leaf, centred,
//
//   loss = Syy - max over columns of Sxy^2 / (Sxx + ridge W),
//
// where a slope of 0 is the constant. The ridge is positive, so that no denominator vanishes and
// rounding errors of Sxx do not matter. Sums are kept in extended precision: rows are added and
// removed one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "loss/centred_targets.hpp"
#include "loss/loss.hpp"
#include "loss/tolerance.hpp"

namespace treeproof {

class LinearError {
 public:
  using Value = double;
  using Real = long double;
  static constexpr bool kUnitStep = false;  // an outlying row can change a loss by any amount

  struct Tally {
    Real weight = 0, y = 0, yy = 0;
    std::vector<Real> sums;  // for each column: x, xx, xy
    std::int64_t rows = 0;
  };

  // `columns`: column-major, what lines may depend on. Targets are scaled such that a single leaf
  // loses 1, unless it loses nothing (`constant`).
  LinearError(const CentredTargets& centred, std::span<const double> columns, double ridge)
      : weights_(centred.weights.begin(), centred.weights.end()),
        y_(centred.values.begin(), centred.values.end()),
        n_columns_(weights_.empty() ? 0 : columns.size() / weights_.size()), ridge_(ridge),
        tolerance_(Tolerance::relative_to(1.0)) {
    standardise(columns);
    Tally all = tally();
    for (std::uint32_t r = 0; r < weights_.size(); ++r) add(all, r);
    const double loss = value(all);
    constant_ = centred.constant || !(loss > kNothing);
    if (constant_) return;
    for (double& y : y_) y /= std::sqrt(loss);
  }

  // Whether a single leaf loses nothing.
  bool constant() const { return constant_; }

  Tally tally() const { return {0, 0, 0, std::vector<Real>(3 * n_columns_), 0}; }
  void clear(Tally& t) const {
    t.weight = t.y = t.yy = 0;
    std::ranges::fill(t.sums, Real{0});
    t.rows = 0;
  }
  void add(Tally& t, std::uint32_t row) const { move(t, row, weights_[row], 1); }
  void remove(Tally& t, std::uint32_t row) const { move(t, row, -weights_[row], -1); }
  Value value(const Tally& t) const {
    if (t.rows <= 1) return 0.0;  // exactly, whatever rounding has left in the sums
    Real gain = 0;
    const Real mean = t.y / t.weight;
    for (std::size_t c = 0; c < n_columns_; ++c) {
      const Real* s = &t.sums[3 * c];
      const Real sxy = s[2] - s[0] * mean;
      const Real sxx = std::max(s[1] - s[0] * (s[0] / t.weight), Real{0});
      gain = std::max(gain, sxy * sxy / (sxx + ridge_ * t.weight));
    }
    const Real loss = t.yy - t.y * mean - gain;
    return loss > 0 ? static_cast<Value>(loss) : 0.0;
  }
  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return tolerance_.closes(bound, best); }
  Value weight(std::uint32_t) const { return 0.0; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  static constexpr double kNothing = 1e-15;  // part of the loss of a constant

  void move(Tally& t, std::uint32_t row, Real w, std::int64_t count) const {
    const Real y = y_[row];
    t.weight += w;
    t.y += w * y;
    t.yy += w * y * y;
    const double* x = &x_[row * n_columns_];
    for (std::size_t c = 0; c < n_columns_; ++c) {
      Real* s = &t.sums[3 * c];
      const Real wx = w * x[c];
      s[0] += wx;
      s[1] += wx * x[c];
      s[2] += wx * y;
    }
    t.rows += count;
  }

  // Columns with mean 0 and variance 1; a constant one becomes 0.
  void standardise(std::span<const double> columns) {
    const std::size_t n = weights_.size();
    x_.assign(n * n_columns_, 0.0);
    Real total = 0;
    for (const double w : weights_) total += w;
    for (std::size_t c = 0; c < n_columns_; ++c) {
      const std::span<const double> column = columns.subspan(c * n, n);
      Real mean = 0, square = 0;
      for (std::size_t r = 0; r < n; ++r) mean += weights_[r] * Real{column[r]};
      mean /= total;
      for (std::size_t r = 0; r < n; ++r)
        square += weights_[r] * (column[r] - mean) * (column[r] - mean);
      const Real deviation = std::sqrt(square / total);
      if (!(deviation > 0)) continue;
      for (std::size_t r = 0; r < n; ++r)
        x_[r * n_columns_ + c] = static_cast<double>((column[r] - mean) / deviation);
    }
  }

  std::vector<double> weights_;
  std::vector<double> y_;
  std::vector<double> x_;  // row-major
  std::size_t n_columns_;
  Real ridge_;
  Tolerance tolerance_;
  bool constant_ = true;
};

static_assert(Loss<LinearError>);

}  // namespace treeproof
