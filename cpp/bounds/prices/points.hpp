// The table as prices see it: one point stands for all rows that no test tells apart.
//
// A box is the set of points that a leaf can hold: those that keep to one choice in every column.
// Equal rows lie in the same boxes, whatever their labels, so a point has a weight for each class
// but only one price.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "data/columns.hpp"

namespace treeproof::prices {

// The kinds of choices that a conjunction of tests can make in a column.
enum class Choice : std::uint8_t {
  interval,    // the values between two thresholds
  subset,      // any set of values: each condition "is not" excludes one more
  one_or_all,  // one value, or all of them
};

struct PointColumn {
  Choice choice;
  std::int32_t n_values;
  std::vector<std::uint16_t> code;  // per point
};

struct Points {
  std::vector<PointColumn>
      columns;                      // those with at least two values, joined where that is possible
  std::vector<PointColumn> splits;  // the same columns as a tree can split them
  std::int32_t n_classes = 0;
  std::int64_t total_weight = 0;
  std::vector<std::int64_t> weight;        // per point
  std::vector<std::int64_t> class_weight;  // [class * size + point]
  std::vector<std::int32_t> point_of;      // per row of the table

  std::int32_t size() const { return static_cast<std::int32_t>(weight.size()); }
  std::int64_t errors(std::int32_t k, std::int32_t point) const {
    return weight[static_cast<std::size_t>(point)] -
           class_weight[static_cast<std::size_t>(k) * weight.size() +
                        static_cast<std::size_t>(point)];
  }
};

// Returns the table of some of the points, given in ascending order.
Points restricted_to(const Points& points, std::span<const std::int32_t> members);

// Whether a table is small enough for prices: those of larger ones take minutes.
bool are_priceable(const Points& points);

// `codes` is column-major. Returns nothing if a column has more values than 16-bit codes can tell
// apart.
std::optional<Points> make_points(std::span<const Feature> features,
                                  std::span<const std::int32_t> codes,
                                  std::span<const std::int32_t> labels, std::int32_t n_classes,
                                  std::span<const Weight> weights);
std::optional<Points> make_points(const Columns& columns, std::span<const std::int32_t> labels,
                                  std::int32_t n_classes, std::span<const Weight> weights);

}  // namespace treeproof::prices
