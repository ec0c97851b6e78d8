// The least loss of a quantile on a growing set of weighted numbers, rounded down.

#pragma once

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "centred.hpp"

namespace checker {

// The loss of a target above a constant is `level` times the distance, that of a target below it 1
// - `level` times the distance. The lower part of the set ends with the quantile; the upper part is
// stored with changed signs.
//
// Rounding errors. Each number that is added or moved rounds each sum once, by less than one
// rounding of the distances to the centre. If sums of weights have such an error, the quantile may
// be wrong, too: its loss is then too large by at most this weight times the distance between the
// two quantiles; and the weight of the set times the distance of either to the centre is at most
// the distances to the centre divided by the smaller of level and 1 - level.
class QuantileLoss {
 public:
  explicit QuantileLoss(double level) : level_(level) {}

  void add(double value, double weight) {
    ++n_operations_;
    distances_ += weight * std::abs(value);
    if (low_.items.empty() || value <= low_.items.top().first) low_.add(value, weight);
    else high_.add(-value, weight);
    while (low_.items.size() > 1 && low_.weight - low_.items.top().second >= share()) {
      low_.move_top_to(high_);
      ++n_operations_;
    }
    while (!high_.items.empty() && low_.weight < share()) {
      high_.move_top_to(low_);
      ++n_operations_;
    }
  }
  double loss() const {
    if (low_.items.empty()) return 0;
    const double at = low_.items.top().first;
    const double below = at * low_.weight - low_.sum;
    const double above = -high_.sum - at * high_.weight;
    const double loss = (1 - level_) * below + level_ * above;
    const double parts = 4 + 2 / std::min(level_, 1 - level_);
    return std::max(0.0, loss - parts * in_doubt(n_operations_, 1, distances_));
  }

 private:
  // A part of the set, with the largest number on top.
  struct Part {
    std::priority_queue<std::pair<double, double>> items;
    double weight = 0, sum = 0;

    void add(double value, double own) {
      items.emplace(value, own);
      weight += own;
      sum += own * value;
    }
    void move_top_to(Part& other) {
      const auto [value, own] = items.top();
      items.pop();
      weight -= own;
      sum -= own * value;
      other.add(-value, own);
    }
  };
  double share() const { return level_ * (low_.weight + high_.weight); }

  double level_;
  Part low_, high_;
  double distances_ = 0;  // the sum of the distances to the centre
  double n_operations_ = 0;
};

}  // namespace checker
