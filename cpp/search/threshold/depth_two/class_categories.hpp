// The best splits of both sides of a moving cut on categorical second features, for labels.
//
// Features with the most categories come first, and the cells of the first category of all features
// are neighbours, then those of the second category of all features that have two, and so on, so
// that one vector instruction works on several features.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "data/columns.hpp"
#include "data/row_subset.hpp"
#include "search/threshold/depth_two/unrolled.hpp"
#include "search/threshold/doubles.hpp"
#include "search/threshold/multiway_cost.hpp"

namespace treeproof::threshold {

template <class T>
class ClassCategories {
 public:
  // What is known of one side of the cut.
  struct OneSide {
    const T* sums;       // weights of the classes
    std::int64_t swing;  // the maximum cost of its rows
    T rows;              // the number of rows
    T min_rows;          // that a leaf needs
  };

  ClassCategories(const Columns& columns, std::size_t classes, bool count_rows,
                  const MultiwayCost<Cost>& children)
      : columns_(&columns), classes_(classes), count_rows_(count_rows), children_(children) {
    // A column that is split in both ways has one histogram.
    const std::vector<std::int32_t> doubles = find_doubles(columns);
    for (std::int32_t f = 0; f < columns.n_features(); ++f)
      if (columns.kind(f) != FeatureKind::ordered && doubles[static_cast<std::size_t>(f)] < 0)
        features_.push_back(f);
    std::ranges::stable_sort(features_, [&](std::int32_t a, std::int32_t b) {
      return columns.n_values(a) > columns.n_values(b);
    });
    apart_.resize(whole_vectors(features_.size()));
    for (std::size_t g = 0; g < features_.size(); ++g) {
      const std::int32_t f = features_[g];
      const bool twice = std::ranges::find(doubles, f) != doubles.end();
      const bool apart = columns.kind(f) == FeatureKind::one_vs_rest;
      if (apart) apart_[g] = T{-1};
      // With two categories, both ways to split are the same.
      const bool differs = !apart || columns.n_values(f) > 2;
      if ((twice || columns.kind(f) == FeatureKind::multiway) && differs) multiway_.push_back(g);
    }
    const std::int32_t most = features_.empty() ? 0 : columns.n_values(features_.front());
    for (std::int32_t k = 0; k < most; ++k) {
      start_.push_back(n_cells_);
      const auto wide =
          std::ranges::count_if(features_, [&](std::int32_t f) { return columns.n_values(f) > k; });
      n_cells_ += whole_vectors(static_cast<std::size_t>(wide));
    }
    start_.push_back(n_cells_);
    for (Best* best : {&best_left_, &best_right_})
      best->seen.resize(whole_vectors(features_.size()) / kLanes);
  }

  // Starts with empty histograms for these rows.
  void load(const RowSubset& rows) {
    const std::size_t n = features_.size();
    cell_.resize(rows.size() * n);
    for (std::size_t g = 0; g < n; ++g) {
      const auto rank = columns_->rank_of(features_[g]);
      for (std::uint32_t r = 0; r < rows.size(); ++r)
        cell_[r * n + g] = static_cast<std::uint32_t>(start_[rank[rows.row(r)]] + g);
    }
    const std::size_t size = n_cells_ * (classes_ + (count_rows_ ? 1 : 0));
    left_.assign(size, T{});
    total_.assign(size, T{});
  }

  // Takes what is on the left now as the totals.
  void keep_totals() { std::ranges::copy(left_, total_.begin()); }
  void reset(bool full) {
    if (full) std::ranges::copy(total_, left_.begin());
    else std::ranges::fill(left_, T{0});
  }

  // Adds a local row to the left side, or removes it.
  void add_weight(std::uint32_t r, std::size_t label, T weight) { add(r, label, weight); }
  void add_row(std::uint32_t r, T sign) { add(r, classes_, sign); }

  // Computes the exact losses of the best splits of both sides, including the costs of further
  // children; the loss of a leaf where there is no split.
  void solve(const OneSide& left, const OneSide& right) {
    if (features_.empty()) return;
    if (count_rows_) {
      scan<true, false>(left, best_left_);
      scan<true, true>(right, best_right_);
    } else {
      scan<false, false>(left, best_left_);
      scan<false, true>(right, best_right_);
    }
    settle(left, best_left_);
    settle(right, best_right_);
  }
  bool empty() const { return features_.empty(); }
  Cost least_left() const { return best_left_.least; }
  Cost least_right() const { return best_right_.least; }

 private:
  // A vector of cells; sixteen bytes are known to all processors.
  typedef T Cells __attribute__((vector_size(16), may_alias, aligned(alignof(T))));
  static constexpr std::size_t kLanes = sizeof(Cells) / sizeof(T);

  static std::size_t whole_vectors(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }
  static Cells larger(const Cells& a, const Cells& b) { return a > b ? a : b; }
  static Cells smaller(const Cells& a, const Cells& b) { return a < b ? a : b; }

  // What is known of some features after some of their categories.
  struct Seen {
    Cells both{};             // the most that two leaves, in a category and outside, get right
    Cells first{}, second{};  // the largest weights of a class in a category
    Cells sum{}, number{};    // of those weights that are worth a child
    Cells refused{};          // all bits set: a category has too few rows
  };
  struct Best {
    std::vector<Seen> seen;  // of kLanes features each
    Cost least = 0;          // the loss of the best split of any feature
  };

  void add(std::uint32_t r, std::size_t channel, T amount) {
    const std::size_t n = features_.size();
    T* const cells = left_.data() + channel * n_cells_;
    const std::uint32_t* const own = cell_.data() + r * n;
    for_each_unrolled(n, [cells, own, amount](std::size_t g) {
      T& cell = cells[own[g]];
      cell = static_cast<T>(cell + amount);
    });
  }

  // `kRight`: the side is what the left side lacks of the total.
  template <bool kRight>
  Cells cells(std::size_t at) const {
    const Cells left = *reinterpret_cast<const Cells*>(left_.data() + at);
    if constexpr (!kRight) return left;
    return *reinterpret_cast<const Cells*>(total_.data() + at) - left;
  }

  template <bool kCount, bool kRight>
  void scan(const OneSide& side, Best& best) {
    const bool relaxed = children_.may_leave_out();
    const Cells least = Cells{} + children_.template least_weight<T>();
    std::ranges::fill(best.seen, Seen{});
    for (std::size_t k = 0; k + 1 < start_.size(); ++k) {
      Seen* seen = best.seen.data();
      for (std::size_t at = start_[k]; at < start_[k + 1]; at += kLanes, ++seen) {
        Cells in{}, out{};
        for (std::size_t c = 0; c < classes_; ++c) {
          const Cells here = cells<kRight>(c * n_cells_ + at);
          in = larger(in, here);
          out = larger(out, side.sums[c] - here);
        }
        Cells two_leaves = in + out;
        Cells child = in > least;
        if constexpr (kCount) {
          const Cells rows = cells<kRight>(classes_ * n_cells_ + at);
          const Cells few = rows < side.min_rows;
          two_leaves &= ~(few | (side.rows - rows < side.min_rows));
          if (!relaxed) child = rows > 0;
          seen->refused |= few & (rows > 0);
        }
        seen->both = larger(seen->both, two_leaves);
        seen->second = larger(seen->second, smaller(seen->first, in));
        seen->first = larger(seen->first, in);
        seen->sum += in & child;
        seen->number -= child;  // all bits set: -1
      }
    }
  }

  void settle(const OneSide& side, Best& best) const {
    Cells right = Cells{} + *std::max_element(side.sums, side.sums + classes_);
    for (std::size_t k = 0; k < best.seen.size(); ++k) {
      const Cells may = *reinterpret_cast<const Cells*>(apart_.data() + k * kLanes);
      right = larger(right, best.seen[k].both & may);
    }
    T most = right[0];
    for (std::size_t lane = 1; lane < kLanes; ++lane) most = std::max(most, T{right[lane]});
    best.least = cost_of(side.swing - most);
    for (const std::size_t g : multiway_) {
      const Seen& seen = best.seen[g / kLanes];
      const std::size_t lane = g % kLanes;
      if (seen.refused[lane] != 0) continue;
      const Cost saved = children_.saving(cost_of(seen.sum[lane]), seen.number[lane],
                                          cost_of(seen.first[lane]), cost_of(seen.second[lane]));
      best.least = std::min(best.least, cost_of(side.swing) - saved);
    }
  }

  const Columns* columns_;
  std::size_t classes_;
  bool count_rows_;
  MultiwayCost<Cost> children_;         // sums up a multiway split
  std::vector<std::int32_t> features_;  // the categorical ones, those with most categories first
  std::vector<std::size_t> multiway_;   // of these: which are split into all categories
  std::vector<T> apart_;                // all bits set: one category may be split from the rest
  std::vector<std::size_t> start_;      // of each category's cells in a channel, and their end
  std::size_t n_cells_ = 0;             // of a channel
  std::vector<std::uint32_t> cell_;     // [local row * features + feature]
  std::vector<T> left_, total_;         // [channel * cells + cell]
  Best best_left_, best_right_;
};

}  // namespace treeproof::threshold
