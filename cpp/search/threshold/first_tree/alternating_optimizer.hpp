// One round of alternating optimisation on a tree (explained in first_tree.hpp).
//
// With the subtrees below a node fixed, each row has one loss if it goes left and another if it
// goes right; the best test is found by one pass over every feature's list. The children are then
// improved in the same way, and subtrees of the last two levels are solved exactly. No step makes
// the tree worse, because the present test is among the choices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/first_tree/cut_by.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
class AlternatingOptimizer {
 public:
  using Value = typename L::Value;

  AlternatingOptimizer(const Context<L>& context, Terminal& terminal, StumpSolver<L>& stumps)
      : context_(&context), terminal_(&terminal), stumps_(&stumps), tally_(context.loss->tally()) {}

  Answer<Value> improve(const Task<Value>& task, const SplitTree& tree) {
    return improve(*task.rows, tree, task.depth, task.splits, task.min_leaf);
  }

 private:
  // Whether the loss can compute the loss of a single row for a given prediction.
  static constexpr bool kByRow = requires(const L& loss, const typename L::Tally& t) {
    loss.row_loss(loss.constant(t), std::uint32_t{});
  };

  bool stopped() const { return context_->limits->stop(0); }

  Answer<Value> improve(const RowSubset& rows, const SplitTree& tree, int depth, int splits,
                        std::uint32_t min_leaf) {
    const Value leaf = stumps_->leaf(rows);
    Answer<Value> answer{leaf, leaf, true, {}};
    if (depth <= 0 || splits <= 0 || rows.size() < 2 * min_leaf) return answer;
    if ((depth <= 2 || tree.depth() <= 2) && !stopped()) {
      const Task<Value> task{
          &rows, context_->loss->infinite(), std::min(depth, 2), splits, min_leaf, {}, {}};
      Answer<Value> exact = terminal_->solve(task);
      if (context_->limits->reason() == StopReason::none)
        return exact.upper < leaf ? std::move(exact) : answer;
    }
    if (tree.leaf()) return answer;
    SplitTree node = tree;
    if (!refit(*context_->columns, rows, node)) return answer;
    if constexpr (kByRow)
      if (tree.kind != TestKind::multiway && !stopped()) retest(rows, node, min_leaf);
    std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, node);
    for (const RowSubset& child : parts)
      if (child.size() < min_leaf) return answer;
    Value cost = context_->settings.price()(static_cast<std::int64_t>(parts.size()));
    // Splits that are not used may be given to any child, one child at a time.
    int spare = splits - node.n_splits();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const RowSubset child = std::move(parts[k]);
      const int used = node.children[k].n_splits();
      Answer<Value> a = improve(child, node.children[k], depth - 1, used + spare, min_leaf);
      spare += used - a.tree.n_splits();
      cost += a.upper;
      node.children[k] = std::move(a.tree);
    }
    if (!(cost < leaf)) return answer;
    return {cost, cost, true, std::move(node)};
  }

  // Computes the loss of each row of a set, by local number, under a subtree that was made for
  // other rows.
  void losses(const RowSubset& rows, const RowSubset& made_for, const SplitTree& tree,
              std::vector<Value>& out) {
    std::vector<std::uint32_t> inside(made_for.size()), all(rows.size());
    for (std::uint32_t r = 0; r < made_for.size(); ++r) inside[r] = made_for.row(r);
    for (std::uint32_t r = 0; r < rows.size(); ++r) all[r] = r;
    out.resize(rows.size());
    route(rows, tree, std::move(inside), std::move(all), out);
  }

  // `inside`: rows of the table that determine the predictions; `guests`: local rows whose losses
  // are computed.
  void route(const RowSubset& rows, const SplitTree& tree, std::vector<std::uint32_t> inside,
             std::vector<std::uint32_t> guests, std::vector<Value>& out) {
    if (tree.leaf()) {
      context_->loss->clear(tally_);
      for (const std::uint32_t row : inside) context_->loss->add(tally_, row);
      const auto constant = context_->loss->constant(tally_);
      for (const std::uint32_t r : guests) out[r] = context_->loss->row_loss(constant, rows.row(r));
      return;
    }
    std::vector<std::vector<std::uint32_t>> in(tree.children.size()), to(tree.children.size());
    for (const std::uint32_t row : inside) in[child_of(tree, row)].push_back(row);
    for (const std::uint32_t r : guests) to[child_of(tree, rows.row(r))].push_back(r);
    inside = {};
    guests = {};
    for (std::size_t k = 0; k < tree.children.size(); ++k)
      route(rows, tree.children[k], std::move(in[k]), std::move(to[k]), out);
  }

  // A category that does not occur in the node goes to its first child. These losses only guide the
  // search, since the resulting tree is evaluated again.
  std::size_t child_of(const SplitTree& node, std::uint32_t row) const {
    const auto rank = static_cast<std::int32_t>(context_->columns->rank_of(node.feature)[row]);
    switch (node.kind) {
      case TestKind::threshold: return rank <= node.code ? 0 : 1;
      case TestKind::equals: return rank == node.code ? 0 : 1;
      case TestKind::multiway: break;
    }
    const auto found = std::ranges::find(node.outcomes, rank);
    return found == node.outcomes.end() ? 0
                                        : static_cast<std::size_t>(found - node.outcomes.begin());
  }

  void retest(const RowSubset& rows, SplitTree& node, std::uint32_t min_leaf) {
    {
      const std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, node);
      losses(rows, parts[0], node.children[0], yes_);
      losses(rows, parts[1], node.children[1], no_);
    }
    Choice best;
    const std::uint32_t m = rows.size();
    Value all_yes{}, all_no{};
    for (std::uint32_t r = 0; r < m; ++r) {
      all_yes += yes_[r];
      all_no += no_[r];
    }
    for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
      const FeatureView view(*context_->columns, rows, f);
      const FeatureKind kind = context_->columns->kind(f);
      if (view.constant() || kind == FeatureKind::multiway) continue;
      const std::uint32_t* list = rows.list(f);
      std::uint32_t start = 0;
      Value yes{}, no{};  // sums over the rows from `start` on
      for (std::uint32_t k = 0; k < m;) {
        const std::uint32_t end = view.run_end(k);
        for (; k < end; ++k) {
          yes += yes_[list[k]];
          no += no_[list[k]];
        }
        const std::uint32_t inside = end - start;
        if (inside >= min_leaf && m - inside >= min_leaf) {
          const TestKind test =
              kind == FeatureKind::ordered ? TestKind::threshold : TestKind::equals;
          best.take({yes + all_no - no, f, test, start, end, false});
          best.take({no + all_yes - yes, f, test, start, end, true});
        }
        if (kind == FeatureKind::one_vs_rest) {
          start = end;
          yes = no = Value{};
        }
      }
    }
    if (best.feature < 0) return;
    SplitTree fresh = stumps_->node(rows, best.feature, best.kind, best.first, best.last);
    if (best.swapped) std::swap(node.children[0], node.children[1]);
    fresh.children = std::move(node.children);
    node = std::move(fresh);
  }

  struct Choice {
    Value cost{};
    std::int32_t feature = -1;
    TestKind kind = TestKind::threshold;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool swapped = false;

    void take(const Choice& other) {
      if (feature < 0 || other.cost < cost) *this = other;
    }
  };

  const Context<L>* context_;
  Terminal* terminal_;
  StumpSolver<L>* stumps_;
  Partitioner partitioner_;
  typename L::Tally tally_;
  std::vector<Value> yes_, no_;
};

}  // namespace treeproof::threshold
