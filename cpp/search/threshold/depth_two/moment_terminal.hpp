// The exact solver for the last two levels of a tree, for losses that are a convex function of
// sums.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "search/threshold/depth_two/binary_pairs.hpp"
#include "search/threshold/depth_two/count_lanes.hpp"
#include "search/threshold/depth_two/depth_two.hpp"
#include "search/threshold/depth_two/moment_lanes.hpp"
#include "search/threshold/depth_two/terminal.hpp"

namespace treeproof::threshold {

extern template class DepthTwo<SquaredError, MomentLanes<Squares>>;
extern template class DepthTwo<PoissonDeviance, MomentLanes<Logs>>;
extern template class DepthTwo<PoissonDeviance, CountLanes>;

// Solves tasks of two classes with whole weights, if there is no minimum leaf size.
class CountTerminal {
 public:
  using Loss = PoissonDeviance;

  static bool serves(const Context<Loss>& context) {
    if (!context.settings.use_counts || context.loss->counts() == nullptr ||
        context.settings.min_leaf > 1)
      return false;
    for (std::int32_t f = 0; f < context.columns->n_features(); ++f)
      if (context.columns->kind(f) != FeatureKind::ordered) return false;
    return true;
  }
  CountTerminal(const Context<Loss>& context, StumpSolver<Loss>& stumps, const ColumnCodes& codes,
                SubsetBins& bins)
      : counters_(context.counters), lanes_(*context.columns, *context.loss, codes, bins),
        two_(context, lanes_, stumps) {}

  Answer<double> solve(const Task<double>& task) {
    ++counters_->count_solves;
    return two_.solve(task);
  }
  SplitTree tree(const Task<double>& task, const BestRoot& root) { return two_.tree(task, root); }
  std::span<const CutBounds<double>> cuts(std::int32_t f) const { return two_.cuts(f); }

 private:
  Counters* counters_;
  CountLanes lanes_;
  DepthTwo<Loss, CountLanes> two_;
};

template <class Phi>
class MomentTerminal {
 public:
  static constexpr int kDepth = 2;
  using Loss = MomentLoss<Phi>;

  MomentTerminal(const Context<Loss>& context, StumpSolver<Loss>& stumps, const ColumnCodes& codes)
      : bins_(*context.columns, codes, BinTargets{}, context.settings.most_bins),
        lanes_(*context.columns, *context.loss, codes, bins_,
               kernels(choose_kernels(context.settings.portable_kernels)),
               context.settings.min_leaf > 1, context.settings.further_child,
               context.settings.fine_bins_from),
        stump_(context, stumps),
        pairs_(context, kernels(choose_kernels(context.settings.portable_kernels))),
        columns_(context.columns), two_(context, lanes_, stumps) {
    if constexpr (std::same_as<Phi, Logs>)
      if (CountTerminal::serves(context))
        counts_ = std::make_unique<CountTerminal>(context, stumps, codes, bins_);
  }

  Answer<double> solve(const Task<double>& task) {
    if (pairs_.solves(task)) {
      has_cuts_ = false;
      if (std::optional<Answer<double>> found = pairs_.solve(task)) return *std::move(found);
    }
    if (!task.rows->has_lists()) {
      const RowSubset rows = task.rows->with_lists(*columns_);
      Task<double> listed = task;
      listed.rows = &rows;
      listed.around = nullptr;
      listed.may_plan = false;  // what is planned is built from lists
      Answer<double> found = solve_by_cuts(listed);
      has_cuts_ = false;
      return found;
    }
    return solve_by_cuts(task);
  }
  // Whether tasks of a search without proof may have rows without sorted lists.
  bool reads_rows_only() const { return pairs_.usable(); }
  // Builds the tree of a planned answer.
  SplitTree tree(const Task<double>& task, const BestRoot& root) {
    return counts_->tree(task, root);
  }
  // The bounds on cuts that the last solve of depth two has found.
  std::span<const CutBounds<double>> cuts(std::int32_t f) const {
    if (!has_cuts_) return {};
    return counts_ ? counts_->cuts(f) : two_.cuts(f);
  }

 private:
  Answer<double> solve_by_cuts(const Task<double>& task) {
    if (task.depth == 1) return stump_.solve(task);
    has_cuts_ = true;
    return counts_ ? counts_->solve(task) : two_.solve(task);
  }
  static MomentKernels kernels(const KernelSet& set) {
    return std::same_as<Phi, Squares> ? set.squares : set.logs;
  }

  SubsetBins bins_;
  MomentLanes<Phi> lanes_;
  StumpTerminal<Loss> stump_;
  BinaryPairs<Phi> pairs_;
  const Columns* columns_;
  bool has_cuts_ = false;  // whether the last solve went through the cuts of all columns
  DepthTwo<Loss, MomentLanes<Phi>> two_;
  std::unique_ptr<CountTerminal> counts_;  // null: the tasks are not of that kind
};

}  // namespace treeproof::threshold
