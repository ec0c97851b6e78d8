// Exact solvers for the last levels of a tree: depth two from histograms if the loss supports them,
// and depth one from sorted lists for any loss.
#pragma once

#include <cstdint>

#include "search/threshold/depth_two/class_lanes.hpp"
#include "search/threshold/depth_two/depth_two.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <Loss L>
class StumpTerminal {
 public:
  static constexpr int kDepth = 1;
  static constexpr std::uint32_t kMany = 20'000;
  using Value = typename L::Value;

  StumpTerminal(const Context<L>& context, StumpSolver<L>& stumps)
      : context_(&context), stumps_(&stumps) {}

  Answer<Value> solve(const Task<Value>& task) {
    const Value penalty = context_->settings.split_cost;
    const RowSubset& rows = *task.rows;
    Answer<Value> answer;
    answer.upper = stumps_->leaf(rows);
    const auto n_features = static_cast<std::uint32_t>(context_->columns->n_features());
    bool stopped = false;
    const auto stop = [&](std::uint32_t n) {  // Small sets are solved even if a limit was reached.
      const bool reached = context_->limits->stop(n / (8 * n_features) + 1);
      stopped = reached && rows.size() > kMany;
      return stopped;
    };
    const Split<Value> split =
        stumps_->best_by_loss(rows, task.min_leaf, context_->settings.multiway_loss(), stop);
    answer.lower = answer.upper;
    if (split.feature >= 0 && penalty + split.score < answer.upper) {
      answer.upper = answer.lower = penalty + split.score;
      answer.tree = stumps_->node(rows, split.feature, split.kind, split.first, split.last);
    }
    const Value one_sided = split.feature < 0 ? answer.upper : std::min(answer.upper, split.score);
    for (Value& out : task.lower_out) out = stopped ? Value{} : penalty + one_sided;
    if (stopped) answer.lower = Value{};  // features that were not searched may have better splits
    answer.found = answer.upper < task.cutoff;
    return answer;
  }
  std::span<const CutBounds<Value>> cuts(std::int32_t) const { return {}; }

 private:
  const Context<L>* context_;
  StumpSolver<L>* stumps_;
};

extern template class DepthTwo<Misclassification, ClassLanes<std::int16_t>>;
extern template class DepthTwo<Misclassification, ClassLanes<std::int32_t>>;

class ClassTerminal {
 public:
  static constexpr int kDepth = 2;

  ClassTerminal(const Context<Misclassification>& context, StumpSolver<Misclassification>& stumps,
                const ColumnCodes& codes, const BinTargets& targets, std::int64_t total_weight)
      : loss_(context.loss), total_weight_(total_weight),
        bins_(*context.columns, codes, targets, context.settings.most_bins),
        kernels_(choose_kernels(context.settings.portable_kernels)),
        light_(*context.columns, *loss_, codes, bins_, kernels_.counts16,
               context.settings.min_leaf > 1, context.settings.multiway_loss(),
               context.settings.fine_bins_from),
        heavy_(*context.columns, *loss_, codes, bins_, kernels_.counts32,
               context.settings.min_leaf > 1, context.settings.multiway_loss(),
               context.settings.fine_bins_from),
        stump_(context, stumps), solve_light_(context, light_, stumps),
        solve_heavy_(context, heavy_, stumps) {}

  Answer<Cost> solve(const Task<Cost>& task) {
    if (task.depth == 1) return stump_.solve(task);
    was_light_ = light(*task.rows);
    return was_light_ ? solve_light_.solve(task) : solve_heavy_.solve(task);
  }
  SplitTree tree(const Task<Cost>& task, const BestRoot& root) {
    return solve_light_.tree(task, root);
  }
  // The bounds on cuts that the last solve of depth two has found.
  std::span<const CutBounds<Cost>> cuts(std::int32_t f) const {
    return was_light_ ? solve_light_.cuts(f) : solve_heavy_.cuts(f);
  }

 private:
  bool light(const RowSubset& rows) const {
    constexpr std::int64_t kMost = 32000;
    if (total_weight_ < kMost) return true;
    if (rows.size() >= kMost) return false;
    std::int64_t weight = 0;
    for (std::uint32_t r = 0; r < rows.size(); ++r) weight += loss_->row_weight(rows.row(r));
    return weight < kMost;
  }

  const Misclassification* loss_;
  std::int64_t total_weight_;
  bool was_light_ = true;
  SubsetBins bins_;
  KernelSet kernels_;
  ClassLanes<std::int16_t> light_;
  ClassLanes<std::int32_t> heavy_;
  StumpTerminal<Misclassification> stump_;
  DepthTwo<Misclassification, ClassLanes<std::int16_t>> solve_light_;
  DepthTwo<Misclassification, ClassLanes<std::int32_t>> solve_heavy_;
};

}  // namespace treeproof::threshold
