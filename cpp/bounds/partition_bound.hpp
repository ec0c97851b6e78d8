// What any partition of the targets into k leaves must lose.
//
// The leaves of a tree partition its rows; whichever way, they lose at least what the best
// partition of the targets alone into that many groups does. For one output and squared error
// that is k-means in one dimension: optimal groups are runs of the sorted targets (Fisher,
// 1958), so a table over (number of groups, prefix) holds the optimum. The cost of a run
// satisfies the quadrangle inequality, hence the best start of the last run never moves left
// as the prefix grows, and each row of the table is filled by divide and conquer in
// O(m log m). Several outputs are bounded one by one, and their bounds add up.
//
// A tree with k leaves has k - 1 splits at least where every split is two-way, so
//
//   cost >= min over k of (k - 1) * penalty + (loss of the best partition into k groups).
//
// With a penalty only a few k matter: more groups than the cost to beat affords are too dear.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/row_subset.hpp"
#include "loss/squared_error.hpp"

namespace treeproof::bounds {

class PartitionBound {
 public:
  explicit PartitionBound(const SquaredError& loss) : loss_(&loss) {}

  // Least cost of any tree on these rows with at most `leaves` leaves, bounded from below;
  // groups whose penalties alone reach `cutoff` are not tried (their bound is `cutoff`).
  double operator()(const RowSubset& rows, std::int64_t leaves, double penalty, double cutoff) {
    const std::size_t most = static_cast<std::size_t>(std::clamp<std::int64_t>(
        leaves, 1, std::min<std::int64_t>(kMostGroups, rows.size())));
    groups_.assign(most, 0.0);
    std::size_t filled = most;
    for (std::size_t output = 0; output < loss_->n_outputs(); ++output) {
      load(rows, output);
      std::size_t k = 0;
      for (; k < filled; ++k) {
        if (k > 0 && static_cast<double>(k) * penalty >= cutoff) break;
        k == 0 ? first_row() : next_row();
        groups_[k] += row_.back();
      }
      filled = k;
    }
    double bound = groups_[0];
    for (std::size_t k = 1; k < filled; ++k)
      bound = std::min(bound, static_cast<double>(k) * penalty + groups_[k]);
    // More leaves than the table has cost so many penalties at least.
    if (static_cast<std::int64_t>(filled) < leaves)
      bound = std::min(bound, static_cast<double>(filled) * penalty);
    return bound;
  }

 private:
  static constexpr std::int64_t kMostGroups = 16;

  void load(const RowSubset& rows, std::size_t output) {
    pairs_.resize(rows.size());
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      pairs_[r] = {loss_->target(rows.row(r))[output], loss_->row_weight(rows.row(r))};
    std::ranges::sort(pairs_, [](const Pair& a, const Pair& b) { return a.y < b.y; });
    prefix_.resize(rows.size() + 1);
    prefix_[0] = {};
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const auto [y, w] = pairs_[k];
      prefix_[k + 1] = {prefix_[k].weight + w, prefix_[k].sum + w * y,
                        prefix_[k].squares + w * y * y};
    }
  }

  // Loss of the sorted targets from .. to - 1 as one group.
  double run(std::size_t from, std::size_t to) const {
    if (to - from < 2) return 0.0;
    const double w = prefix_[to].weight - prefix_[from].weight;
    const double s = prefix_[to].sum - prefix_[from].sum;
    return std::max(0.0, prefix_[to].squares - prefix_[from].squares - s * s / w);
  }

  void first_row() {
    row_.resize(prefix_.size());
    for (std::size_t to = 0; to < row_.size(); ++to) row_[to] = run(0, to);
  }
  void next_row() {
    before_.swap(row_);
    row_.assign(before_.size(), 0.0);
    fill(1, row_.size() - 1, 0, row_.size() - 1);
  }
  // Entries low .. high, whose last run starts between `first` and `last`.
  void fill(std::size_t low, std::size_t high, std::size_t first, std::size_t last) {
    if (low > high) return;
    const std::size_t middle = low + (high - low) / 2;
    double best = before_[middle];  // no further group
    std::size_t start = std::min(last, middle);
    for (std::size_t from = first; from <= std::min(last, middle - 1); ++from)
      if (const double loss = before_[from] + run(from, middle); loss < best) {
        best = loss;
        start = from;
      }
    row_[middle] = best;
    if (middle > low) fill(low, middle - 1, first, start);
    fill(middle + 1, high, start, last);
  }

  struct Pair {
    double y, w;
  };
  struct Sums {
    double weight = 0.0, sum = 0.0, squares = 0.0;
  };
  const SquaredError* loss_;
  std::vector<Pair> pairs_;
  std::vector<Sums> prefix_;
  std::vector<double> row_, before_, groups_;
};

}  // namespace treeproof::bounds
