// A problem that a search over sorted columns has solved. It is kept so that a proof of its answer
// can be derived. Python code does not look inside.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bounds/prices/price_board.hpp"
#include "core/cost.hpp"
#include "core/options.hpp"
#include "data/columns.hpp"
#include "loss/targets.hpp"
#include "search/threshold/record.hpp"

namespace treeproof::bindings {

struct SolvedLabels {
  Columns columns;
  std::vector<std::int32_t> labels;
  int n_classes;
  std::vector<Weight> weights;
  std::int64_t total_weight;
  std::vector<std::int32_t> directions;  // one for each column; empty if there are none
  TreeLimits tree_limits;
  threshold::Record<Cost> record;
  std::shared_ptr<const prices::RowPrices> prices;  // null if there are none
};

struct SolvedTargets {
  Columns columns;
  std::vector<double> targets;
  int n_outputs;
  std::vector<double> weights;
  double smoothing = 0.0;
  std::vector<double> quantiles;
  // Only for leaves with lines: their columns, then the penalties of the slopes.
  std::vector<double> lines;
  double ridge = 0.0;
  Criterion criterion = Criterion::squared_error;
  TreeLimits tree_limits;
  threshold::Record<double> record;
};

}  // namespace treeproof::bindings
