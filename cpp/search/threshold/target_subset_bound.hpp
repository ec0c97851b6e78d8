// Lower bounds for regression trees of small depth on any set of rows of one table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"
#include "loss/targets.hpp"

namespace treeproof::threshold {

class TargetSubsetBound {
 public:
  virtual ~TargetSubsetBound() = default;
  // A lower bound on the loss of trees of depth at most `depth` on these rows, as a share of the
  // loss of a single leaf on all rows. It is the optimum up to a relative 1e-9 (with leaves of any
  // size), or any number above `enough`, unless a limit is reached.
  virtual double lower(const std::vector<std::int32_t>& rows, int depth, double enough) = 0;
};

// Row r of the problem has the r-th target. Only for losses that are a convex function of sums.
std::unique_ptr<TargetSubsetBound> make_target_subset_bound(
    const Problem& problem, Criterion criterion, const Targets& targets, double split_penalty,
    const TreeLimits& tree_limits, Limits& limits);

}  // namespace treeproof::threshold
