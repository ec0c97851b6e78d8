// All trees of one split on a set of rows, without a node of the graph for each of their leaves.
//
// The last level of a graph has by far the most subproblems, and each of them only ever becomes a
// leaf or one split with leaves for children. So they are listed when they are needed: a column of
// numbers by one pass over a histogram of its values, other columns test by test. Tests of one
// column that part the rows alike count once; of thresholds this is the lowest one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "search/near/row_bits.hpp"

namespace treeproof::near {

struct Stump {
  std::int32_t test;
  std::int32_t column;
  Cost cost;       // of the split and its leaves
  bool one_class;  // all leaves predict the same: no split at all
};

// The tests of one feature, which stand next to each other.
struct FeatureTests {
  std::int32_t feature = 0;
  std::int32_t first = 0;
  std::int32_t n = 0;
  bool ordered = false;  // thresholds, from the lowest to the highest
};

// The features of one column of the table. A column of numbers is one feature, or several if
// values are missing; then thresholds of different features may part some rows alike.
struct ColumnTests {
  std::vector<FeatureTests> features;
  bool distinct() const { return features.size() == 1 && features[0].ordered; }
};

// `columns`: the column of the table that each feature of the problem stands for.
std::vector<ColumnTests> tests_by_column(const Problem& problem,
                                         const std::vector<std::int32_t>& columns);

// Whether rows have been parted like this before, by the keys of the parts.
class SeenPartitions {
 public:
  // Returns whether it is new, and remembers it.
  bool insert(std::span<const Key> parts);

 private:
  std::unordered_set<Key, KeyHash> seen_;
};

class Stumps {
 public:
  Stumps(const Problem& problem, const RowBits& rows, std::vector<ColumnTests> columns,
         SplitPrice<Cost> price, std::int64_t min_samples_leaf);

  using Visit = std::function<void(const Stump&)>;
  void for_each(BitsView set, const Visit& visit) const;
  // The least cost of a split; kInfiniteCost if there is none.
  Cost best(BitsView set) const;

 private:
  // Class weights and samples, in memory that lives as long as one call.
  struct Tally {
    std::vector<std::int64_t> weight;
    std::int64_t samples = 0;
    Leaf leaf() const;
  };

  // `seen` is null where every threshold parts the rows in a way of its own.
  void sweep(std::int32_t column, const FeatureTests& tests, const std::vector<std::int32_t>& rows,
             SeenPartitions* seen, const Visit& visit) const;
  void try_tests(std::int32_t column, const FeatureTests& tests, BitsView set, SeenPartitions& seen,
                 const Visit& visit) const;

  const Problem& problem_;
  const RowBits& bits_;
  const std::vector<ColumnTests> columns_;
  const SplitPrice<Cost> price_;
  const std::int64_t min_leaf_;
};

}  // namespace treeproof::near
