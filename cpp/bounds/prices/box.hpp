// A box: for every column the values that it keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "bounds/prices/points.hpp"
#include "core/index.hpp"

namespace treeproof::prices {

// Where each column's values begin in a box.
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
