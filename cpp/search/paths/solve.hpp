// Optimal trees under rules about the tests of a path (rules.hpp), for labels and for numbers.
#pragma once

#include <cstdint>
#include <span>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/columns.hpp"
#include "loss/targets.hpp"
#include "search/paths/rules.hpp"
#include "search/result.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::paths {

template <class Value>
using Result = SplitResult<Value>;

Result<Cost> solve_labels(const Columns& columns, std::span<const std::int32_t> labels,
                          std::int32_t n_classes, std::span<const Weight> weights,
                          std::int64_t total_weight, const Rules& rules,
                          const TreeLimits& tree_limits, Limits& limits);

// Costs are fractions of the loss of a single leaf (loss/tolerance.hpp). Tests cost nothing.
Result<double> solve_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                             const Rules& rules, const TreeLimits& tree_limits, Limits& limits);

}  // namespace treeproof::paths
