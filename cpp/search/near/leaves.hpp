// What a leaf costs and predicts on any set of rows, and all trees of one split.
//
// The last level of a graph has by far the most subproblems, and each of them only ever becomes a
// leaf or one split with leaves for children. So these splits are not kept but listed when they are
// needed (value_tallies.hpp). Tests of one column that part the rows alike count once; of
// thresholds this is the lowest one.
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
  std::int32_t label = 0;    // leaves of the same label predict the same
  std::int32_t n_rows = 0;   // merged rows
  std::int64_t samples = 0;  // table rows
};

struct Stump {
  std::int32_t test;
  std::int32_t column;
  Cost cost;   // of the split and its leaves
  bool alike;  // all leaves predict the same: no split at all
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

// Every leaf predicts its heaviest class; of equally heavy ones, the first.
std::unique_ptr<Leaves> class_leaves(const Problem& problem, LeafRules rules);

// Costs of regressions are whole numbers, too: shares of the loss of a single leaf times this.
inline constexpr double kTargetUnit = 0x1p40;

// Every leaf predicts its mean. Only for criteria that are sums and a convex function. Means that
// differ by less than 2^-30 of the largest distance to the mean of all rows are the same.
std::unique_ptr<Leaves> target_leaves(const Problem& problem, LeafRules rules, Criterion criterion,
                                      const Targets& targets);

}  // namespace treeproof::near
