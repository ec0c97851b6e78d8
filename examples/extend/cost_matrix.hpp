// A loss of one's own: errors that cost differently.
//
// cost[k][c] is what predicting class c costs for a row of class k, in hundredths of the row's
// weight. A leaf predicts the class of least total cost. The loss sums over rows, so it is
// superadditive, which is all the searches need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "loss/loss.hpp"

namespace treeproof {

class CostMatrix {
 public:
  using Value = Cost;
  // A row may cost more than its weight, so leaving it out may lower a cost by more.
  static constexpr bool kUnitStep = false;

  struct Tally {
    std::vector<std::int64_t> counts;  // weight of each class
  };

  CostMatrix(std::span<const std::int32_t> labels, std::span<const Weight> weights,
             std::vector<std::vector<std::int64_t>> cost)
      : labels_(labels), weights_(weights), cost_(std::move(cost)) {}

  Tally tally() const { return {std::vector<std::int64_t>(cost_.size())}; }
  void clear(Tally& t) const { std::ranges::fill(t.counts, 0); }
  void add(Tally& t, std::uint32_t row) const { t.counts[label(row)] += weights_[row]; }
  void remove(Tally& t, std::uint32_t row) const { t.counts[label(row)] -= weights_[row]; }

  // The cost of the best class for the rows tallied.
  Value value(const Tally& t) const {
    Value best = infinite();
    for (std::size_t c = 0; c < cost_.size(); ++c) {
      Value total = 0;
      for (std::size_t k = 0; k < cost_.size(); ++k) total += t.counts[k] * cost_[k][c];
      best = std::min(best, cost_of(total) / 100);
    }
    return best;
  }

  // What a greedy search minimises: Gini impurity times weight.
  double impurity(const Tally& t) const {
    double total = 0.0, squares = 0.0;
    for (const std::int64_t n : t.counts) {
      total += static_cast<double>(n);
      squares += static_cast<double>(n) * static_cast<double>(n);
    }
    return total > 0 ? total - squares / total : 0.0;
  }

  bool closes(Value bound, Value best) const { return bound >= best; }
  Value weight(std::uint32_t row) const { return cost_of(weights_[row]); }
  Value infinite() const { return kInfiniteCost; }

 private:
  std::size_t label(std::uint32_t row) const {
    return static_cast<std::size_t>(labels_[row]);
  }

  std::span<const std::int32_t> labels_;
  std::span<const Weight> weights_;
  std::vector<std::vector<std::int64_t>> cost_;
};

static_assert(Loss<CostMatrix>);

}  // namespace treeproof
