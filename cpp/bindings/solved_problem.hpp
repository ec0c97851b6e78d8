// A problem that a search over sorted columns has solved, kept for the prover of its answer. To
// Python it is opaque.
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
  std::vector<std::int32_t> directions;  // of columns; empty: none
  TreeLimits tree_limits;
  threshold::Record<Cost> record;
  std::shared_ptr<const prices::RowPrices> prices;  // null: none
};

struct SolvedTargets {
  Columns columns;
  std::vector<double> targets;
  int n_outputs;
  std::vector<double> weights;
  double smoothing = 0.0;
  std::vector<double> quantiles;
  std::vector<double> lines;  // with lines in leaves: their columns, and what slopes cost
  double ridge = 0.0;
  Criterion criterion = Criterion::squared_error;
  TreeLimits tree_limits;
  threshold::Record<double> record;
};

}  // namespace treeproof::bindings
