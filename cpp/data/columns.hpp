// A table of numeric and categorical columns, sorted once.
//
// Every column becomes the list of its rows in increasing order of value and, for each row,
// the rank of its value among the distinct values of the column. A search needs nothing
// else: a threshold is a position in a sorted list between two different ranks, and a
// category is a run of equal ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/problem.hpp"

namespace treeproof {

struct Columns {
  std::int32_t n_rows = 0;
  std::vector<FeatureKind> kinds;
  std::vector<std::uint32_t> order;          // [feature * n_rows + position]: row
  std::vector<std::uint32_t> rank;           // [feature * n_rows + row]
  std::vector<std::vector<double>> values;   // distinct values of each feature, increasing

  std::int32_t n_features() const { return static_cast<std::int32_t>(kinds.size()); }
  std::span<const std::uint32_t> order_of(std::int32_t f) const {
    return std::span(order).subspan(offset(f), static_cast<std::size_t>(n_rows));
  }
  std::span<const std::uint32_t> rank_of(std::int32_t f) const {
    return std::span(rank).subspan(offset(f), static_cast<std::size_t>(n_rows));
  }

 private:
  std::size_t offset(std::int32_t f) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(n_rows);
  }
};

// `values` is column-major and finite; a categorical column holds its category codes.
Columns sort_columns(std::span<const double> values, std::int32_t n_rows,
                     std::vector<FeatureKind> kinds);

// A threshold between two neighbouring values that sends `low` left and `high` right: their
// midpoint, moved where rounding (of the midpoint itself, or of both values to single
// precision, as scikit-learn's trees do) would put a value on the wrong side.
double threshold_between(double low, double high);

}  // namespace treeproof
