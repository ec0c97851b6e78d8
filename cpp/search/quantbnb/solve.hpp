// Quant-BnB by name: the published algorithm for optimal trees of depth two and three over
// numeric columns, without a penalty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "core/limits.hpp"
#include "data/columns.hpp"
#include "search/quantbnb/tuples.hpp"
#include "search/result.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::quantbnb {

template <class Value>
struct Result : SplitResult<Value> {
  std::vector<std::int64_t> surviving;  // intervals alive after each iteration
};

Result<Cost> solve_labels(const Columns& columns, std::span<const std::int32_t> labels,
                          std::int32_t n_classes, std::span<const Weight> weights,
                          const Settings& settings, Limits& limits);

// Costs are fractions of the loss of a single leaf.
Result<double> solve_targets(const Columns& columns, std::span<const double> targets,
                             std::int32_t n_outputs, std::span<const double> weights, bool squared,
                             const Settings& settings, Limits& limits);

}  // namespace treeproof::quantbnb
