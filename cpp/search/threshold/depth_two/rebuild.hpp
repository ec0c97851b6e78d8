// Builds the tree of depth two with a given root, and its exact cost, from the best stumps of the
// children.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

// Returns whether there is a tree that costs less than the cut-off. If a limit was reached while
// the tree was built, children that should be split may have stayed leaves, and then a single leaf
// may cost less than the tree.
template <class Value>
bool keep_cheaper(const Task<Value>& task, Value leaf, Answer<Value>& answer) {
  if (leaf < answer.upper) {
    answer.tree = {};
    answer.upper = leaf;
  }
  if (answer.upper < task.cutoff) return true;
  answer.tree = {};
  answer.upper = task.cutoff;
  return false;
}

template <Loss L>
class Rebuilder {
 public:
  using Value = typename L::Value;

  Rebuilder(const Context<L>& context, StumpSolver<L>& stumps)
      : context_(&context), stumps_(&stumps) {}

  // Whether building the tree takes too long once a limit is reached, because it reads the lists of
  // all features. The bounds hold without the tree, and a single leaf can always be returned.
  bool slow(const RowSubset& rows) const {
    constexpr std::uint64_t kManyCells = 1 << 21;
    const auto features = static_cast<std::uint64_t>(context_->columns->n_features());
    return std::uint64_t{rows.size()} * features > kManyCells;
  }

  // For many rows, `stop` is called with the expected work (in microseconds); once it returns true,
  // the remaining children stay leaves.
  template <class Stop>
  SplitTree operator()(const Task<Value>& task, const BestRoot& root, Value& cost, Stop stop) {
    if (root.feature < 0) {
      cost = stumps_->leaf(*task.rows);
      return {};
    }
    const RowSubset& rows = *task.rows;
    SplitTree tree = stumps_->node(rows, root.feature, root.kind, root.first, root.last);
    if (root.kind == TestKind::multiway) {
      const FeatureView view(*context_->columns, rows, root.feature);
      partitioner_.cut_runs(rows, root.feature, view.runs(), parts_);
    } else {
      if (parts_.size() < 2) parts_.resize(2);
      partitioner_.cut_out(rows, root.feature, root.first, root.last, parts_[0], parts_[1]);
    }
    std::vector<Value> costs(tree.children.size());
    struct Option {
      std::size_t child;
      Value gain;
      Split<Value> split;
    };
    std::vector<Option> options;
    const bool polls = slow(rows);
    for (std::size_t k = 0; k < tree.children.size(); ++k) {
      const std::int32_t says = k == 0 ? root.left_says : root.right_says;
      const Value leaf = stumps_->leaf_saying(parts_[k], says);
      costs[k] = leaf;
      const bool splits =
          k == 0 || root.kind == TestKind::multiway ? root.left_splits : root.right_splits;
      if (!splits) continue;
      const auto stop_here = [&](std::uint32_t n) { return polls && stop(1 + n / 64); };
      const Split<Value> s = stumps_->best_by_loss(parts_[k], task.min_leaf,
                                                   context_->settings.multiway_loss(), stop_here);
      if (s.feature >= 0 && penalty() + s.score < leaf)
        options.push_back({k, leaf - penalty() - s.score, s});
    }
    std::ranges::sort(options, [](const Option& a, const Option& b) { return a.gain > b.gain; });
    for (std::size_t k = 0; k < options.size() && static_cast<int>(k) + 1 < task.splits; ++k) {
      const Option& o = options[k];
      costs[o.child] -= o.gain;
      tree.children[o.child] = stumps_->node(parts_[o.child], o.split.feature, o.split.kind,
                                             o.split.first, o.split.last);
    }
    cost = total(costs);
    return tree;
  }

 private:
  Value penalty() const { return context_->settings.split_cost; }
  // The cost of a split into the current parts, whose trees have these costs.
  Value total(const std::vector<Value>& costs) const {
    MultiwayCost<Value> sum = context_->settings.multiway();
    for (std::size_t k = 0; k < costs.size(); ++k) {
      Value weight{};
      if (sum.may_leave_out())
        for (std::uint32_t r = 0; r < parts_[k].size(); ++r)
          weight += context_->loss->weight(parts_[k].row(r));
      sum.add(costs[k], weight);
    }
    return sum.total();
  }

  const Context<L>* context_;
  StumpSolver<L>* stumps_;
  Partitioner partitioner_;
  std::vector<RowSubset> parts_;
};

}  // namespace treeproof::threshold
