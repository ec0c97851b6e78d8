// The best splits of both sides of a moving cut on categorical second features, for labels.
//
// Each channel (the weight of one class, or the number of rows) is an array with a cell for each
// category of each feature, so that what the categories gain is computed for many of them at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "data/columns.hpp"
#include "data/row_subset.hpp"
#include "search/threshold/doubles.hpp"
#include "search/threshold/multiway_cost.hpp"

namespace treeproof::threshold {

template <class T>
class ClassCategories {
 public:
  using Count = std::int64_t;

  // What is known of one side of the cut.
  struct OneSide {
    const T* sums;   // weights of the classes
    Count swing;     // the maximum cost of its rows
    Count rows;      // the number of rows
    Count min_rows;  // that a leaf needs
  };

  ClassCategories(const Columns& columns, std::size_t classes, bool count_rows,
                  const MultiwayCost<Cost>& children)
      : columns_(&columns), classes_(classes), count_rows_(count_rows), children_(children) {
    // A column that is split in both ways has one histogram.
    const std::vector<std::int32_t> doubles = find_doubles(columns);
    for (std::int32_t f = 0; f < columns.n_features(); ++f)
      if (columns.kind(f) != FeatureKind::ordered && doubles[static_cast<std::size_t>(f)] < 0)
        features_.push_back(f);
    for (const std::int32_t f : features_) {
      const bool twice = std::ranges::find(doubles, f) != doubles.end();
      multiway_.push_back(twice || columns.kind(f) == FeatureKind::multiway);
      apart_.push_back(columns.kind(f) == FeatureKind::one_vs_rest);
    }
  }

  // Starts with empty histograms for these rows.
  void load(const RowSubset& rows) {
    const std::size_t n = features_.size();
    base_.assign(1, 0);
    cell_.resize(rows.size() * n);
    for (std::size_t g = 0; g < n; ++g) {
      const auto rank = columns_->rank_of(features_[g]);
      for (std::uint32_t r = 0; r < rows.size(); ++r)
        cell_[r * n + g] = static_cast<std::uint32_t>(base_.back() + rank[rows.row(r)]);
      base_.push_back(base_.back() + static_cast<std::size_t>(columns_->n_values(features_[g])));
    }
    const std::size_t size = n_cells() * (classes_ + (count_rows_ ? 1 : 0));
    left_.assign(size, T{});
    total_.assign(size, T{});
    for (Gains* gains : {&on_left_, &on_right_}) {
      gains->inside.resize(n_cells());
      gains->both.resize(n_cells());
      gains->bounds.resize(n);
    }
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

  // Computes the exact losses of the best splits of both sides, of each feature, including the
  // costs of further children; the loss of a leaf where there is no such split.
  void solve(const OneSide& left, const OneSide& right) {
    if (features_.empty()) return;
    compute_gains(left, right);
    for (std::size_t g = 0; g < features_.size(); ++g) {
      on_left_.bounds[g] = best_split(g, left, on_left_, [&](std::size_t at) { return left_[at]; });
      on_right_.bounds[g] = best_split(g, right, on_right_, [&](std::size_t at) {
        return static_cast<T>(total_[at] - left_[at]);
      });
    }
  }
  const std::vector<Cost>& bounds_left() const { return on_left_.bounds; }
  const std::vector<Cost>& bounds_right() const { return on_right_.bounds; }

 private:
  struct Gains {
    std::vector<T> inside;     // of each category: the largest weight of a class in it
    std::vector<T> both;       // the same, plus the largest weight of a class in the others
    std::vector<Cost> bounds;  // of each feature: the loss of its best split
  };

  std::size_t n_cells() const { return base_.back(); }

  void add(std::uint32_t r, std::size_t channel, T amount) {
    const std::size_t n = features_.size();
    T* const cells = left_.data() + channel * n_cells();
    const std::uint32_t* const own = cell_.data() + r * n;
    for (std::size_t g = 0; g < n; ++g) cells[own[g]] = static_cast<T>(cells[own[g]] + amount);
  }

  void compute_gains(const OneSide& left, const OneSide& right) {
    const std::size_t n = n_cells();
    T* __restrict in_left = on_left_.inside.data();
    T* __restrict in_right = on_right_.inside.data();
    T* __restrict out_left = on_left_.both.data();
    T* __restrict out_right = on_right_.both.data();
    std::fill_n(in_left, n, T{0});
    std::fill_n(in_right, n, T{0});
    std::fill_n(out_left, n, T{0});
    std::fill_n(out_right, n, T{0});
    for (std::size_t c = 0; c < classes_; ++c) {
      const T* __restrict l = left_.data() + c * n;
      const T* __restrict t = total_.data() + c * n;
      const T all_left = left.sums[c], all_right = right.sums[c];
      for (std::size_t at = 0; at < n; ++at) {
        const T r = static_cast<T>(t[at] - l[at]);
        in_left[at] = std::max(in_left[at], l[at]);
        in_right[at] = std::max(in_right[at], r);
        out_left[at] = std::max(out_left[at], static_cast<T>(all_left - l[at]));
        out_right[at] = std::max(out_right[at], static_cast<T>(all_right - r));
      }
    }
    for (std::size_t at = 0; at < n; ++at) {
      out_left[at] = static_cast<T>(out_left[at] + in_left[at]);
      out_right[at] = static_cast<T>(out_right[at] + in_right[at]);
    }
  }

  // `count(at)`: the number of rows in a cell of the last channel, if rows are counted.
  template <class CountRows>
  Cost best_split(std::size_t g, const OneSide& side, const Gains& gains,
                  const CountRows& count) const {
    T most = *std::max_element(side.sums, side.sums + classes_);
    const std::size_t begin = base_[g], end = base_[g + 1];
    if (!count_rows_) {
      if (apart_[g])
        for (std::size_t at = begin; at < end; ++at) most = std::max(most, gains.both[at]);
      if (!multiway_[g]) return cost_of(side.swing - most);
      MultiwayCost<Cost> children = children_;
      for (std::size_t at = begin; at < end; ++at)
        if (gains.inside[at] > 0) children.add(-cost_of(gains.inside[at]), 0);
      return std::min(cost_of(side.swing - most), cost_of(side.swing) + children.total());
    }
    MultiwayCost<Cost> children = children_;
    bool allowed = true;
    for (std::size_t at = begin; at < end; ++at) {
      const Count rows = count(classes_ * n_cells() + at);
      if (rows == 0) continue;
      children.add(-cost_of(gains.inside[at]), 0);
      allowed = allowed && rows >= side.min_rows;
      if (apart_[g] && rows >= side.min_rows && side.rows - rows >= side.min_rows)
        most = std::max(most, gains.both[at]);
    }
    const Cost least = cost_of(side.swing - most);
    if (!multiway_[g] || !allowed) return least;
    return std::min(least, cost_of(side.swing) + children.total());
  }

  const Columns* columns_;
  std::size_t classes_;
  bool count_rows_;
  MultiwayCost<Cost> children_;         // sums up a multiway split
  std::vector<std::int32_t> features_;  // the categorical ones
  std::vector<bool> multiway_, apart_;  // of these: how they may be split
  std::vector<std::size_t> base_;       // the first cell of each feature, and the end
  std::vector<std::uint32_t> cell_;     // [local row * features + feature]
  std::vector<T> left_, total_;         // [channel * cells + cell]
  Gains on_left_, on_right_;
};

}  // namespace treeproof::threshold
