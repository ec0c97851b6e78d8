// Weighted sum of squared distances to the mean of the leaf, one or more outputs.
//
// Targets are centred on their overall mean by whoever reads the table, so that the sums
// below lose no digits to a large offset; sums of centred values keep about 13 digits over a
// million rows. Bounds are compared with a relative tolerance that leaves the final answer
// within 1e-9 of the optimum (docs/numeric.md).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/prefetch.hpp"
#include "loss/loss.hpp"
#include "loss/tolerance.hpp"

namespace treeproof {

class SquaredError {
 public:
  using Value = double;
  static constexpr bool kUnitStep = false;  // one far row can change a loss at will

  struct Tally {
    double weight = 0.0;
    double squares = 0.0;
    std::vector<double> sums;
    std::int64_t rows = 0;
  };

  // `targets` is row-major, n_rows * n_outputs, centred.
  SquaredError(std::span<const double> targets, std::int32_t n_outputs,
               std::span<const double> weights, Tolerance tolerance)
      : targets_(targets), weights_(weights), n_outputs_(static_cast<std::size_t>(n_outputs)),
        tolerance_(tolerance) {}

  std::size_t n_outputs() const { return n_outputs_; }
  const double* target(std::uint32_t row) const { return targets_.data() + row * n_outputs_; }
  double row_weight(std::uint32_t row) const { return weights_[row]; }
  // Asks for what adding the row will need.
  void prefetch(std::uint32_t row) const {
    treeproof::prefetch(target(row));
    treeproof::prefetch(&weights_[row]);
  }

  Tally tally() const { return {0.0, 0.0, std::vector<double>(n_outputs_), 0}; }
  void clear(Tally& t) const { t = tally(); }
  void add(Tally& t, std::uint32_t row) const { move(t, row, weights_[row], 1); }
  void remove(Tally& t, std::uint32_t row) const { move(t, row, -weights_[row], -1); }
  Value value(const Tally& t) const {
    if (t.rows <= 1) return 0.0;  // exactly, whatever rounding has left in the sums
    double explained = 0.0;
    for (const double s : t.sums) explained += s * s;
    const double loss = t.squares - explained / t.weight;
    return loss > 0.0 ? loss : 0.0;
  }
  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return tolerance_.closes(bound, best); }
  Value weight(std::uint32_t) const { return 0.0; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  void move(Tally& t, std::uint32_t row, double w, std::int64_t count) const {
    const double* y = target(row);
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      t.sums[k] += w * y[k];
      t.squares += w * y[k] * y[k];
    }
    t.weight += w;
    t.rows += count;
  }

  std::span<const double> targets_;
  std::span<const double> weights_;
  std::size_t n_outputs_;
  Tolerance tolerance_;
};

static_assert(Loss<SquaredError>);

}  // namespace treeproof
