// Finds boxes of large weight by changing one column at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bounds/prices/box.hpp"
#include "bounds/prices/points.hpp"
#include "bounds/prices/pricing.hpp"

namespace treeproof::prices {

class LocalSearch {
 public:
  explicit LocalSearch(const Points& points);

  // Gives each column in turn the choice that makes the box heaviest with all others as they are,
  // until no column changes. Returns the weight of the box.
  std::int64_t climb(std::span<const std::int32_t> weights, Box& box, Dice& dice);

  // Makes a random box around a point of positive weight, narrow in a few columns.
  void random_box(std::span<const std::int32_t> weights, Box& box, Dice& dice);

  // Makes the smallest box around some points, with one or two columns unrestricted.
  void loosened_box(std::span<const std::int32_t> inside, Box& box, Dice& dice);

  void list_points(const Box& box, std::vector<std::int32_t>& out) const;
  Box whole() const { return {std::vector<std::uint8_t>(shape_.size(), 1)}; }
  const BoxShape& shape() const { return shape_; }
  // Returns the steps of the innermost loops since the last call.
  std::int64_t take_work();

 private:
  std::int64_t best_choice(const PointColumn& column, std::vector<std::uint8_t>& keeps);

  const Points& points_;
  BoxShape shape_;
  std::vector<std::vector<std::uint16_t>> sorted_;  // per column: its codes in order
  std::vector<std::int32_t> excluded_;              // per point: by how many columns
  std::vector<std::int64_t> sums_;                  // per value of a column
  std::vector<std::uint8_t> keeps_;
  std::vector<std::size_t> turns_;
  std::int64_t work_ = 0;
};

}  // namespace treeproof::prices
