// Histograms of the categorical second features: one cell of `width` channels for each category,
// for the rows left of the cut and for all rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/row_subset.hpp"

namespace treeproof::threshold {

template <class T, class Value>
struct CategoryTables {
  std::vector<std::size_t> base;    // the first channel of each feature, and the end
  std::vector<std::uint32_t> cell;  // [local row * features + feature]: offset of its category
  std::vector<T> left, total;
  std::vector<Value> bounds_left, bounds_right;  // of the features, by their exact best splits

  // Makes empty histograms for these rows.
  void load(const Columns& columns, const std::vector<std::int32_t>& features,
            const RowSubset& rows, std::size_t width) {
    const std::size_t n = features.size();
    base.clear();
    std::size_t size = 0;
    cell.resize(rows.size() * n);
    for (std::size_t g = 0; g < n; ++g) {
      base.push_back(size);
      const auto rank = columns.rank_of(features[g]);
      for (std::uint32_t r = 0; r < rows.size(); ++r)
        cell[r * n + g] = static_cast<std::uint32_t>(size + rank[rows.row(r)] * width);
      size += static_cast<std::size_t>(columns.n_values(features[g])) * width;
    }
    base.push_back(size);
    left.assign(size, T{});
    total.assign(size, T{});
    bounds_left.resize(n);
    bounds_right.resize(n);
  }

  // Lowers the bounds of both sides to those of the best split of a feature in these tables.
  template <class Bounds>
  void lower(Bounds& out) const {
    for (std::size_t g = 0; g < bounds_left.size(); ++g) {
      out.left_lower = std::min(out.left_lower, bounds_left[g]);
      out.left_upper = std::min(out.left_upper, bounds_left[g]);
      out.right_lower = std::min(out.right_lower, bounds_right[g]);
      out.right_upper = std::min(out.right_upper, bounds_right[g]);
    }
  }
};

}  // namespace treeproof::threshold
