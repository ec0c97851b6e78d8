// Weighted sum of absolute distances to the (weighted) median of the leaf, one output.
//
// The median of a set that gains and loses rows comes from a Fenwick tree over the ranks of
// the targets: adding a row and asking for the loss each take O(log n).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "loss/loss.hpp"
#include "loss/tolerance.hpp"

namespace treeproof {

class AbsoluteError {
 public:
  using Value = double;
  static constexpr bool kUnitStep = false;

  struct Tally {
    std::vector<double> weight;  // Fenwick sums by rank of target
    std::vector<double> moment;  // the same of weight * target
    double total_weight = 0.0;
    double total_moment = 0.0;
    std::int64_t rows = 0;
  };

  // `levels`: the distinct targets, increasing; `rank`: of each row's target among them.
  AbsoluteError(std::span<const double> levels, std::span<const std::uint32_t> rank,
                std::span<const double> weights, Tolerance tolerance)
      : levels_(levels), rank_(rank), weights_(weights), tolerance_(tolerance) {}

  Tally tally() const {
    return {std::vector<double>(levels_.size() + 1), std::vector<double>(levels_.size() + 1),
            0.0, 0.0, 0};
  }
  void clear(Tally& t) const { t = tally(); }
  void add(Tally& t, std::uint32_t row) const { move(t, row, weights_[row], 1); }
  void remove(Tally& t, std::uint32_t row) const { move(t, row, -weights_[row], -1); }

  Value value(const Tally& t) const {
    if (t.rows <= 1) return 0.0;
    // Descend to the last level with no more than half of the weight below or at it.
    std::size_t level = 0;
    double below = 0.0;
    double moment = 0.0;
    const double half = t.total_weight / 2;
    for (std::size_t step = std::bit_floor(levels_.size()); step > 0; step /= 2) {
      if (level + step > levels_.size() || below + t.weight[level + step] > half) continue;
      level += step;
      below += t.weight[level];
      moment += t.moment[level];
    }
    const double median = levels_[level < levels_.size() ? level : levels_.size() - 1];
    const double loss = median * below - moment + (t.total_moment - moment) -
                        median * (t.total_weight - below);
    return loss > 0.0 ? loss : 0.0;
  }
  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return tolerance_.closes(bound, best); }
  Value weight(std::uint32_t) const { return 0.0; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  void move(Tally& t, std::uint32_t row, double w, std::int64_t count) const {
    const double moment = w * levels_[rank_[row]];
    for (std::size_t k = rank_[row] + 1; k <= levels_.size(); k += k & (~k + 1)) {
      t.weight[k] += w;
      t.moment[k] += moment;
    }
    t.total_weight += w;
    t.total_moment += moment;
    t.rows += count;
  }

  std::span<const double> levels_;
  std::span<const std::uint32_t> rank_;
  std::span<const double> weights_;
  Tolerance tolerance_;
};

static_assert(Loss<AbsoluteError>);

}  // namespace treeproof
