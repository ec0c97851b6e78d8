// The exact solver for the last two levels of a tree, for losses that are a convex function of
// sums.
#pragma once

#include <concepts>
#include <span>

#include "search/threshold/depth_two/depth_two.hpp"
#include "search/threshold/depth_two/moment_lanes.hpp"
#include "search/threshold/depth_two/terminal.hpp"

namespace treeproof::threshold {

extern template class DepthTwo<SquaredError, MomentLanes<Squares>>;
extern template class DepthTwo<PoissonDeviance, MomentLanes<Logs>>;

template <class Phi>
class MomentTerminal {
 public:
  static constexpr int kDepth = 2;
  using Loss = MomentLoss<Phi>;

  MomentTerminal(const Context<Loss>& context, StumpSolver<Loss>& stumps, const ColumnCodes& codes)
      : bins_(*context.columns, codes, BinTargets{}, context.settings.most_bins),
        lanes_(*context.columns, *context.loss, codes, bins_,
               kernels(choose_kernels(context.settings.portable_kernels)),
               context.settings.min_leaf > 1, context.settings.further_child),
        stump_(context, stumps), two_(context, lanes_, stumps) {}

  Answer<double> solve(const Task<double>& task) {
    return task.depth == 1 ? stump_.solve(task) : two_.solve(task);
  }
  // The bounds on cuts that the last solve of depth two has found.
  std::span<const CutBounds<double>> cuts(std::int32_t f) const { return two_.cuts(f); }

 private:
  static MomentKernels kernels(const KernelSet& set) {
    return std::same_as<Phi, Squares> ? set.squares : set.logs;
  }

  SubsetBins bins_;
  MomentLanes<Phi> lanes_;
  StumpTerminal<Loss> stump_;
  DepthTwo<Loss, MomentLanes<Phi>> two_;
};

}  // namespace treeproof::threshold
