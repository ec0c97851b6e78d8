// A box, described by the values that it keeps in every column.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/prices/points.hpp"
#include "core/index.hpp"

namespace treeproof::prices {

// Where the values of each column begin in the array of a box.
class BoxShape {
 public:
  explicit BoxShape(const Points& points) {
    for (const PointColumn& column : points.columns) {
      first_.push_back(size_);
      size_ += index(column.n_values);
    }
  }
  std::size_t first(std::size_t column) const { return first_[column]; }
  std::size_t size() const { return size_; }

 private:
  std::vector<std::size_t> first_;
  std::size_t size_ = 0;
};

struct Box {
  std::vector<std::uint8_t> keeps;  // [shape.first(column) + value]: 1 or 0
};

}  // namespace treeproof::prices
