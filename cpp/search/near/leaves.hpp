// What a leaf costs and predicts on any set of rows, and all trees of one split.
//
// The last level of a graph has by far the most subproblems, and in a tree each of them is either a
// leaf or one split with leaves for children. These splits are therefore not stored but computed
// when they are needed (value_tallies.hpp). Tests of one column that divide the rows in the same
// way count once; among thresholds it is the lowest one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/cost.hpp"
#include "loss/targets.hpp"
#include "search/near/row_bits.hpp"
#include "search/near/tests_of_columns.hpp"

namespace treeproof::near {

struct Leaf {
  Cost cost = 0;
  std::int32_t label = 0;    // leaves with the same label make the same prediction
  std::int32_t n_rows = 0;   // number of merged rows
  std::int64_t samples = 0;  // number of table rows
};

struct Stump {
  std::int32_t test;
  std::int32_t column;
  Cost cost;   // of the split and its leaves
  bool alike;  // all leaves predict the same, so that the split changes nothing
};

class Leaves {
 public:
  virtual ~Leaves() = default;
  virtual Leaf leaf(BitsView set) const = 0;
  using Visit = std::function<void(const Stump&)>;
  virtual void for_each_stump(BitsView set, const Visit& visit) const = 0;
  // The least cost of a split; kInfiniteCost if there is none.
  virtual Cost best_stump(BitsView set) const = 0;
};

struct LeafRules {
  std::vector<ColumnTests> columns;
  SplitPrice<Cost> price;
  std::int64_t min_samples = 1;
};

// Every leaf predicts the class with the greatest weight; of several such classes, the first.
std::unique_ptr<Leaves> class_leaves(const Problem& problem, LeafRules rules);

// Costs of regressions are integers, too: the loss relative to that of a single leaf, times this
// number.
inline constexpr double kTargetUnit = 0x1p40;

// Every leaf predicts its mean. Only for criteria that are computed from sums by a convex function.
// Means count as equal if they differ by less than 2^-30 times the largest distance to the mean of
// all rows.
std::unique_ptr<Leaves> target_leaves(const Problem& problem, LeafRules rules, Criterion criterion,
                                      const Targets& targets);

}  // namespace treeproof::near
