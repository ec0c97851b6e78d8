// The cheapest tree of at most one split on a list of rows, counted row by row.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "data/row_list.hpp"

namespace treeproof::sparse {

class SmallTrees {
 public:
  struct Best {
    Cost cost;
    std::int32_t test;  // -1: a leaf
  };

  SmallTrees(const Problem& problem, SplitPrice<Cost> price, std::int64_t min_samples_leaf)
      : problem_(problem), price_(price), min_samples_leaf_(min_samples_leaf) {}

  // The best tree: a leaf, unless a split costs less.
  Best best(const Rows& rows);

 private:
  // Cost of splitting the rows on a test into leaves; infinite if that is not allowed.
  Cost split(const Rows& rows, const Test& test);

  const Problem& problem_;
  SplitPrice<Cost> price_;
  std::int64_t min_samples_leaf_;
  std::vector<std::int64_t> weight_, samples_;  // of one test, by outcome (and class)
};

}  // namespace treeproof::sparse
