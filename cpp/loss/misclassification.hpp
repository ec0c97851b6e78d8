// The weight of the rows that are not of the class that their leaf predicts. Exact: costs are
// integers (core/cost.hpp).
//
// Rows of different classes with equal values in all columns share a leaf in every tree, so all
// of them but those of one class are errors in every tree (equivalent points). With
// *swings* (data/problem.hpp) these errors are left out of every cost: a group of such rows costs
// its heaviest class at most, and nothing if that class is predicted. Bounds that start from zero
// then see what a tree can still change, and leaving out a group lowers a cost by its swing at
// most, not by its weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "core/prefetch.hpp"
#include "loss/loss.hpp"

namespace treeproof {

class Misclassification {
 public:
  using Value = Cost;
  static constexpr bool kUnitStep = true;  // an added row adds at most its own weight

  struct Tally {
    std::vector<std::int64_t> counts;
    std::int64_t total = 0;
  };

  // `swings`: for each row; empty if they are the weights. `pair_gains` (data/problem.hpp): empty
  // if they are not known.
  Misclassification(std::span<const std::int32_t> labels, std::span<const Weight> weights,
                    std::int32_t n_classes, std::span<const Weight> swings = {},
                    std::span<const Weight> pair_gains = {},
                    std::span<const std::int32_t> directions = {})
      : labels_(labels), weights_(weights), swings_(swings.empty() ? weights : swings),
        pair_gains_(pair_gains), directions_(directions), n_classes_(n_classes) {}

  std::int32_t n_classes() const { return n_classes_; }
  std::int32_t label(std::uint32_t row) const { return labels_[row]; }
  Weight row_weight(std::uint32_t row) const { return weights_[row]; }
  Weight swing(std::uint32_t row) const { return swings_[row]; }
  // The cost of the row in every tree, which is not included in any cost.
  Weight forced(std::uint32_t row) const { return weights_[row] - swings_[row]; }

  bool knows_pairs() const { return !pair_gains_.empty(); }
  const Weight* pair_gains(std::uint32_t row, std::size_t n_pairs) const {
    return pair_gains_.data() + row * n_pairs;
  }

  // The order of predictions along a feature, of two classes: 1 if no leaf left of a cut may
  // predict class 1 while one right of it predicts class 0, -1 for the reverse, 0 for any.
  std::int32_t direction(std::int32_t feature) const {
    return directions_.empty() ? 0 : directions_[static_cast<std::size_t>(feature)];
  }

  // Prefetch this row's label, weight and swing.
  void prefetch(std::uint32_t row) const {
    treeproof::prefetch(&labels_[row]);
    treeproof::prefetch(&weights_[row]);
    if (swings_.data() != weights_.data()) treeproof::prefetch(&swings_[row]);
  }

  Tally tally() const {
    return {std::vector<std::int64_t>(static_cast<std::size_t>(n_classes_)), 0};
  }
  void clear(Tally& t) const {
    std::ranges::fill(t.counts, 0);
    t.total = 0;
  }
  void add(Tally& t, std::uint32_t row) const {
    t.counts[static_cast<std::size_t>(labels_[row])] += weights_[row];
    t.total += swings_[row];
  }
  void remove(Tally& t, std::uint32_t row) const {
    t.counts[static_cast<std::size_t>(labels_[row])] -= weights_[row];
    t.total -= swings_[row];
  }
  Value value(const Tally& t) const {
    return cost_of(t.total - *std::ranges::max_element(t.counts));
  }
  // The cost of a leaf that predicts this class.
  Value value_saying(const Tally& t, std::int32_t says) const {
    return cost_of(t.total - t.counts[static_cast<std::size_t>(says)]);
  }
  // Gini impurity times weight.
  double impurity(const Tally& t) const {
    double sum = 0.0;
    double squares = 0.0;
    for (const std::int64_t c : t.counts) {
      sum += static_cast<double>(c);
      squares += static_cast<double>(c) * static_cast<double>(c);
    }
    return sum > 0.0 ? sum - squares / sum : 0.0;
  }
  // Entropy times weight.
  double entropy(const Tally& t) const {
    double weight = 0.0;
    for (const std::int64_t c : t.counts) weight += static_cast<double>(c);
    double sum = 0.0;
    for (const std::int64_t c : t.counts)
      if (c > 0) sum -= static_cast<double>(c) * std::log2(static_cast<double>(c) / weight);
    return sum;
  }
  // The best constant for the rows tallied, and what it costs on one row.
  std::int32_t constant(const Tally& t) const {
    return static_cast<std::int32_t>(std::ranges::max_element(t.counts) - t.counts.begin());
  }
  Value row_loss(std::int32_t constant, std::uint32_t row) const {
    return cost_of(swings_[row]) - (labels_[row] == constant ? cost_of(weights_[row]) : 0);
  }
  bool closes(Value bound, Value best) const { return bound >= best; }
  // Leaving out rows lowers an optimal cost by at most the sum of these weights, if rows with equal
  // values are left out together.
  Value weight(std::uint32_t row) const { return cost_of(swings_[row]); }
  Value infinite() const { return kInfiniteCost; }

 private:
  std::span<const std::int32_t> labels_;
  std::span<const Weight> weights_;
  std::span<const Weight> swings_;
  std::span<const Weight> pair_gains_;
  std::span<const std::int32_t> directions_;
  std::int32_t n_classes_;
};

static_assert(Loss<Misclassification>);

}  // namespace treeproof
