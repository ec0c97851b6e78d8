// Losses that are sums and one convex function (loss/phi.hpp), one or more outputs:
//
//   squared error       MomentLoss<Squares>, any targets
//   Gini (Brier score)  MomentLoss<Squares>, one output for each class, 1 for a row's own
//   Poisson deviance    MomentLoss<Logs>, targets that are not negative
//   log loss            MomentLoss<Logs>, one output for each class, 1 for a row's own
//   survival            MomentLoss<Logs>, weight = cumulative hazard, target = events / weight
//
// Targets come centred and scaled (loss/centred_targets.hpp), so that the sums below lose no
// digits to a large offset; sums of centred values keep about 13 digits over a million rows.
// Bounds are compared with a relative tolerance that leaves the final answer within 1e-9 of the
// optimum (docs/numeric.md).
//
// *Smoothing* adds imaginary rows to every leaf, the same ones to each. A leaf's loss is then
// still the least sum of its rows' losses over all constants plus a term of the constant alone, so
// fewer rows never lose more (monotone), which is all that the search needs. Only the bound of
// partitions needs more; its comment says what.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "core/prefetch.hpp"
#include "loss/centred_targets.hpp"
#include "loss/class_counts.hpp"
#include "loss/loss.hpp"
#include "loss/phi.hpp"
#include "loss/tolerance.hpp"

namespace treeproof {

template <class P>
class MomentLoss {
 public:
  using Phi = P;
  using Value = double;
  static constexpr bool kUnitStep = false;  // one outlying row can change a loss by any amount
  static constexpr bool kSquares = std::same_as<Phi, Squares>;

  struct Tally {
    double weight = 0.0;
    double own = 0.0;  // sum of the rows' own terms
    std::vector<double> sums;
    std::int64_t rows = 0;
  };

  // The targets must outlive the loss.
  MomentLoss(const CentredTargets& targets, std::int32_t n_outputs, Tolerance tolerance)
      : targets_(targets.values), weights_(targets.weights), centres_(targets.centres),
        prior_(targets.prior), n_outputs_(static_cast<std::size_t>(n_outputs)),
        tolerance_(tolerance) {
    if constexpr (!kSquares) {
      own_.resize(targets_.size());
      for (std::size_t at = 0; at < own_.size(); ++at)
        own_[at] =
            weights_[at / n_outputs_] * Phi::spread(1.0, targets_[at], centres_[at % n_outputs_]);
    }
    if (smoothed()) prior_explained_ = plain_explained(prior_[0], prior_.data() + 1);
  }

  std::size_t n_outputs() const { return n_outputs_; }
  const double* target(std::uint32_t row) const { return targets_.data() + row * n_outputs_; }
  double row_weight(std::uint32_t row) const { return weights_[row]; }
  const double* centres() const { return centres_.data(); }
  // What the row itself adds to the first sum, for one output and for all.
  double own(std::uint32_t row, std::size_t output) const {
    if constexpr (kSquares) {
      const double y = target(row)[output];
      return weights_[row] * y * y;
    } else {
      return own_[row * n_outputs_ + output];
    }
  }
  double own(std::uint32_t row) const {
    double sum = 0.0;
    if constexpr (kSquares) {
      const double* y = target(row);
      for (std::size_t k = 0; k < n_outputs_; ++k) sum += y[k] * y[k];
      return weights_[row] * sum;
    } else {
      for (std::size_t k = 0; k < n_outputs_; ++k) sum += own_[row * n_outputs_ + k];
      return sum;
    }
  }

  // Two classes of whole weights, if the loss is that of such classes; otherwise null. `unit` is
  // the weight of one count in the centred targets, and the counts must outlive the loss.
  const ClassCounts* counts() const { return counts_; }
  void set_counts(const ClassCounts* counts, double unit) {
    counts_ = counts;
    per_unit_ = 1.0 / unit;
    for (std::size_t k = 0; k < 2; ++k) {
      const double share = centres_[k] / (centres_[0] + centres_[1]);
      per_count_[k] = std::log(share) * counts->table[2] / (2 * std::numbers::ln2);
      share_[k] = share;
    }
    per_sum_ = per_unit_ / (centres_[0] + centres_[1]);
  }

  // Moments of the imaginary rows in every leaf: weight, sums, own terms; empty without smoothing.
  const std::vector<double>& prior() const { return prior_; }
  bool smoothed() const { return !prior_.empty(); }
  // What a leaf without rows loses: every leaf loses that much at least.
  double empty_leaf() const { return smoothed() ? prior_[n_outputs_ + 1] - prior_explained_ : 0.0; }

  // What the best constant explains of rows of this weight and these sums: a leaf loses its rows'
  // own terms less this.
  double explained(double weight, const double* sums) const {
    return smoothed() ? smoothed_explained(weight, sums) : plain_explained(weight, sums);
  }

  void prefetch(std::uint32_t row) const {
    treeproof::prefetch(target(row));
    treeproof::prefetch(&weights_[row]);
  }

  Tally tally() const { return {0.0, 0.0, std::vector<double>(n_outputs_), 0}; }
  void clear(Tally& t) const { t = tally(); }
  void add(Tally& t, std::uint32_t row) const { move(t, row, weights_[row], 1); }
  void remove(Tally& t, std::uint32_t row) const { move(t, row, -weights_[row], -1); }
  Value value(const Tally& t) const {
    if (t.rows <= 1 && !smoothed()) return 0.0;  // exactly, whatever rounding has left in the sums
    const double loss = t.own - explained(t.weight, t.sums.data());
    return loss > 0.0 ? loss : 0.0;
  }
  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return tolerance_.closes(bound, best); }
  Value weight(std::uint32_t) const { return 0.0; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  double plain_explained(double weight, const double* sums) const {
    double sum = 0.0;
    if constexpr (kSquares) {
      for (std::size_t k = 0; k < n_outputs_; ++k) sum += sums[k] * sums[k];
      return sum / weight;
    } else {
      if (counts_ != nullptr) return counted(weight, sums);
      for (std::size_t k = 0; k < n_outputs_; ++k) sum += Phi::spread(weight, sums[k], centres_[k]);
      return sum;
    }
  }
  // The same from the counts of two classes: the sum of n_k log(n_k / n) - n_k log c_k, where c_k
  // are the shares of the classes at the centre.
  double counted(double weight, const double* sums) const {
    const double n = std::round(weight * per_unit_);
    const double n1 =
        std::clamp(std::round(weight * per_unit_ * share_[1] + sums[1] * per_sum_), 0.0, n);
    const auto second = static_cast<std::uint32_t>(n1), first = static_cast<std::uint32_t>(n - n1);
    return -counts_->loss(first, second) - (n - n1) * per_count_[0] - n1 * per_count_[1];
  }
  double smoothed_explained(double weight, const double* sums) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_outputs_; ++k)
      sum += Phi::spread(weight + prior_[0], sums[k] + prior_[1 + k], centres_[k]);
    return sum - prior_[n_outputs_ + 1];
  }

  void move(Tally& t, std::uint32_t row, double w, std::int64_t count) const {
    const double* y = target(row);
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      t.sums[k] += w * y[k];
      if constexpr (kSquares) t.own += w * y[k] * y[k];
      else t.own += count > 0 ? own_[row * n_outputs_ + k] : -own_[row * n_outputs_ + k];
    }
    t.weight += w;
    t.rows += count;
  }

  std::span<const double> targets_;  // row-major, n_rows * n_outputs, centred
  std::span<const double> weights_;
  std::vector<double> centres_;
  std::vector<double> prior_;
  double prior_explained_ = 0.0;
  std::size_t n_outputs_;
  Tolerance tolerance_;
  std::vector<double> own_;  // row-major; not kept where it is a mere square
  const ClassCounts* counts_ = nullptr;
  double per_unit_ = 1.0, per_sum_ = 1.0;  // counts of a weight, and of a sum of the second class
  double share_[2] = {0.5, 0.5};           // of the classes at the centre
  double per_count_[2] = {0.0, 0.0};       // their logarithms, in the unit of the loss
};

using SquaredError = MomentLoss<Squares>;
using PoissonDeviance = MomentLoss<Logs>;

static_assert(Loss<SquaredError>);
static_assert(Loss<PoissonDeviance>);

}  // namespace treeproof
