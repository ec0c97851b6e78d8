// Weight of the rows that the majority of their leaf does not predict. Exact: costs are
// integers (core/cost.hpp).
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

  Misclassification(std::span<const std::int32_t> labels, std::span<const Weight> weights,
                    std::int32_t n_classes)
      : labels_(labels), weights_(weights), n_classes_(n_classes) {}

  std::int32_t n_classes() const { return n_classes_; }
  std::int32_t label(std::uint32_t row) const { return labels_[row]; }
  Weight row_weight(std::uint32_t row) const { return weights_[row]; }

  // Asks for what adding the row will need.
  void prefetch(std::uint32_t row) const {
    treeproof::prefetch(&labels_[row]);
    treeproof::prefetch(&weights_[row]);
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
    t.total += weights_[row];
  }
  void remove(Tally& t, std::uint32_t row) const {
    t.counts[static_cast<std::size_t>(labels_[row])] -= weights_[row];
    t.total -= weights_[row];
  }
  Value value(const Tally& t) const {
    return cost_of(t.total - *std::ranges::max_element(t.counts));
  }
  // Gini impurity times weight.
  double impurity(const Tally& t) const {
    if (t.total == 0) return 0.0;
    double squares = 0.0;
    for (const std::int64_t c : t.counts)
      squares += static_cast<double>(c) * static_cast<double>(c);
    return static_cast<double>(t.total) - squares / static_cast<double>(t.total);
  }
  // Entropy times weight.
  double entropy(const Tally& t) const {
    double sum = 0.0;
    for (const std::int64_t c : t.counts)
      if (c > 0)
        sum -= static_cast<double>(c) *
               std::log2(static_cast<double>(c) / static_cast<double>(t.total));
    return sum;
  }
  // The best constant for the rows tallied, and what it costs on one row.
  std::int32_t constant(const Tally& t) const {
    return static_cast<std::int32_t>(std::ranges::max_element(t.counts) - t.counts.begin());
  }
  Value row_loss(std::int32_t constant, std::uint32_t row) const {
    return labels_[row] == constant ? 0 : weight(row);
  }
  bool closes(Value bound, Value best) const { return bound >= best; }
  Value weight(std::uint32_t row) const { return cost_of(weights_[row]); }
  Value infinite() const { return kInfiniteCost; }

 private:
  std::span<const std::int32_t> labels_;
  std::span<const Weight> weights_;
  std::int32_t n_classes_;
};

static_assert(Loss<Misclassification>);

}  // namespace treeproof
