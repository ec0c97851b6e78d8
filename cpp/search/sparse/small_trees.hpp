// The cheapest tree of at most one split on a list of rows. Rows are counted once for each feature,
// by their codes, so that a feature with thousands of thresholds takes no longer than another.
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
  struct Tally {
    explicit Tally(std::size_t n_classes = 0) : weight(n_classes, 0) {}
    void clear(std::size_t n_classes) {
      weight.assign(n_classes, 0);
      samples = 0;
    }
    std::vector<Weight> weight;  // by class
    std::int64_t samples = 0;
  };

  void count(const Rows& rows, std::int32_t feature);
  // Costs of splitting the counted rows into leaves; infinite if that is not allowed.
  Cost split_in_two(const Test& test);
  Cost in_two(const Tally& yes) const;
  Cost split_multiway() const;
  void add_row(Tally& tally, std::int32_t row) const;

  const Problem& problem_;
  SplitPrice<Cost> price_;
  std::int64_t min_samples_leaf_;
  Tally total_;
  std::vector<Tally> by_code_;  // of the feature at hand
  Tally below_;                 // codes 0 .. n_below_ - 1
  std::size_t n_below_ = 0;
};

}  // namespace treeproof::sparse
