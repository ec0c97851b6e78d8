// Lower bounds for any set of rows of one regression and trees of few levels.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"
#include "loss/targets.hpp"

namespace treeproof::threshold {

class TargetBounder {
 public:
  virtual ~TargetBounder() = default;
  // No tree of at most `depth` levels on these rows costs less, as a share of the loss of a single
  // leaf on all rows. The bound is the optimum within a relative 1e-9 (leaves of any size), or more
  // than `enough`, unless a limit is hit.
  virtual double lower(const std::vector<std::int32_t>& rows, int depth, double enough) = 0;
};

// Row r of the problem has the r-th target. Only for criteria that are sums and a convex function.
std::unique_ptr<TargetBounder> make_target_bounder(const Problem& problem, Criterion criterion,
                                                   const Targets& targets, double split_penalty,
                                                   const TreeLimits& tree_limits, Limits& limits);

}  // namespace treeproof::threshold
