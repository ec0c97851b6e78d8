// Weighted sum of distances to (weighted) quantiles of the leaf, summed over one or more outputs
// and over one or more quantiles: of quantile q, a target above it counts 2 q times its distance
// and one below it 2 (1 - q) times (twice the pinball loss). For the median alone that is the
// absolute error.
//
// A quantile of a set that gains and loses rows comes from a Fenwick tree over the ranks of
// the targets, one for each output: adding a row and asking for the loss each take O(log n).
// A tally remembers the rows it saw, so that clearing it costs as much as filling it did, not
// as much as the table is long.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "loss/loss.hpp"
#include "loss/tolerance.hpp"

namespace treeproof {

class AbsoluteError {
 public:
  using Value = double;
  static constexpr bool kUnitStep = false;  // an outlying row can change a loss by any amount

  struct Sums {
    double weight = 0.0;
    double moment = 0.0;  // of weight * target
  };
  struct Tally {
    std::vector<Sums> sums;  // Fenwick trees of all outputs by rank, one after the other
    std::vector<Sums> total;
    std::vector<std::uint32_t> seen;
    std::int64_t rows = 0;
  };

  // `targets` is row-major, n_rows * n_outputs; `quantiles` are from 0 to 1, none for the median.
  AbsoluteError(std::span<const double> targets, std::int32_t n_outputs,
                std::span<const double> weights, std::span<const double> quantiles,
                Tolerance tolerance)
      : weights_(weights), n_outputs_(static_cast<std::size_t>(n_outputs)), tolerance_(tolerance),
        quantiles_(quantiles.begin(), quantiles.end()), rank_(targets.size()) {
    if (quantiles_.empty()) quantiles_ = {0.5};
    std::vector<std::pair<double, std::uint32_t>> sorted(weights.size());
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      for (std::size_t r = 0; r < sorted.size(); ++r)
        sorted[r] = {targets[r * n_outputs_ + k], static_cast<std::uint32_t>(r)};
      std::ranges::sort(sorted);
      std::vector<double> levels;
      for (const auto& [target, row] : sorted) {
        if (levels.empty() || levels.back() != target) levels.push_back(target);
        rank_[row * n_outputs_ + k] = static_cast<std::uint32_t>(levels.size() - 1);
      }
      start_.push_back(size_);
      size_ += levels.size() + 1;
      levels_.push_back(std::move(levels));
    }
  }

  Tally tally() const { return {std::vector<Sums>(size_), std::vector<Sums>(n_outputs_), {}, 0}; }
  void clear(Tally& t) const {
    constexpr std::size_t kPath = 8;  // places that a row changes, on average
    if (t.seen.size() * kPath > size_) {
      std::ranges::fill(t.sums, Sums{});
      t.seen.clear();
    }
    for (const std::uint32_t row : t.seen)
      for (std::size_t k = 0; k < n_outputs_; ++k)
        for_path(row, k, [&](std::size_t at) { t.sums[at] = {}; });
    std::ranges::fill(t.total, Sums{});
    t.seen.clear();
    t.rows = 0;
  }
  void add(Tally& t, std::uint32_t row) const {
    t.seen.push_back(row);
    move(t, row, weights_[row], 1);
  }
  void remove(Tally& t, std::uint32_t row) const { move(t, row, -weights_[row], -1); }

  Value value(const Tally& t) const {
    if (t.rows <= 1) return 0.0;
    double loss = 0.0;
    for (std::size_t k = 0; k < n_outputs_; ++k)
      for (const double quantile : quantiles_) loss += value_of_output(t, k, quantile);
    return loss;
  }
  double impurity(const Tally& t) const { return value(t); }
  bool closes(Value bound, Value best) const { return tolerance_.closes(bound, best); }
  Value weight(std::uint32_t) const { return 0.0; }
  Value infinite() const { return std::numeric_limits<double>::infinity(); }

 private:
  template <class Visit>
  void for_path(std::uint32_t row, std::size_t k, Visit visit) const {
    const std::size_t n = levels_[k].size();
    for (std::size_t i = rank_[row * n_outputs_ + k] + 1u; i <= n; i += i & (~i + 1))
      visit(start_[k] + i);
  }

  void move(Tally& t, std::uint32_t row, double w, std::int64_t count) const {
    for (std::size_t k = 0; k < n_outputs_; ++k) {
      const double moment = w * levels_[k][rank_[row * n_outputs_ + k]];
      for_path(row, k, [&](std::size_t at) {
        t.sums[at].weight += w;
        t.sums[at].moment += moment;
      });
      t.total[k].weight += w;
      t.total[k].moment += moment;
    }
    t.rows += count;
  }

  double value_of_output(const Tally& t, std::size_t k, double quantile) const {
    // Descend to the last level with no more than the quantile's share of the weight below or at
    // it; the next one is a quantile.
    const std::vector<double>& levels = levels_[k];
    const Sums* sums = t.sums.data() + start_[k];
    std::size_t level = 0;
    Sums below;
    const double share = t.total[k].weight * quantile;
    for (std::size_t step = std::bit_floor(levels.size()); step > 0; step /= 2) {
      if (level + step > levels.size() || below.weight + sums[level + step].weight > share)
        continue;
      level += step;
      below.weight += sums[level].weight;
      below.moment += sums[level].moment;
    }
    const double at = levels[std::min(level, levels.size() - 1)];
    const double low = at * below.weight - below.moment;
    const double high =
        (t.total[k].moment - below.moment) - at * (t.total[k].weight - below.weight);
    const double loss = 2 * (1 - quantile) * low + 2 * quantile * high;
    return loss > 0.0 ? loss : 0.0;
  }

  std::span<const double> weights_;
  std::size_t n_outputs_;
  Tolerance tolerance_;
  std::vector<double> quantiles_;
  std::vector<std::uint32_t> rank_;  // row-major
  std::vector<std::vector<double>> levels_;
  std::vector<std::size_t> start_;
  std::size_t size_ = 0;
};

static_assert(Loss<AbsoluteError>);

}  // namespace treeproof
