// The exact solver for the last two levels of a tree under squared error.
#pragma once

#include <span>

#include "search/threshold/depth_two/depth_two.hpp"
#include "search/threshold/depth_two/moment_lanes.hpp"
#include "search/threshold/depth_two/terminal.hpp"

namespace treeproof::threshold {

extern template class DepthTwo<SquaredError, MomentLanes>;

class MomentTerminal {
 public:
  static constexpr int kDepth = 2;

  MomentTerminal(const Context<SquaredError>& context, StumpSolver<SquaredError>& stumps,
                 const ColumnCodes& codes)
      : bins_(*context.columns, codes, BinTargets{}, context.settings.most_bins),
        lanes_(*context.columns, *context.loss, codes, bins_,
               choose_kernels(context.settings.portable_kernels).moments,
               context.settings.min_leaf > 1, context.settings.further_child),
        stump_(context, stumps), two_(context, lanes_, stumps) {}

  Answer<double> solve(const Task<double>& task) {
    return task.depth == 1 ? stump_.solve(task) : two_.solve(task);
  }
  // Bounds found on the way by the last solve of depth two.
  std::span<const CutBounds<double>> cuts(std::int32_t f) const { return two_.cuts(f); }

 private:
  SubsetBins bins_;
  MomentLanes lanes_;
  StumpTerminal<SquaredError> stump_;
  DepthTwo<SquaredError, MomentLanes> two_;
};

}  // namespace treeproof::threshold
