// The tree from which a search starts: greedy, then with lookahead, then improved by alternating
// optimisation.
//
// A proof takes the same time whatever tree it starts from, but a search that is stopped returns
// the best tree found so far. Three trees are therefore computed before the search, each no worse
// than the one before:
//
//   greedy      the tree of CART (Breiman et al., 1984): at each node the split of least
//               impurity, pruned where a leaf costs no more. It is made even if no time is
//               left, so that a stopped fit is never worse than CART's tree; only nodes of so
//               many rows that they would take long stay leaves then.
//   lookahead   at each node the root of the best tree of depth two; the last two levels are
//               optimal.
//   alternating from the root down, each node's test is replaced by the best one for the
//               subtrees below it as they are, and the last two levels are solved anew, until
//               nothing improves (tree alternating optimisation, Carreira-Perpinan and
//               Tavallali, 2018, with exact steps).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/exchange.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/first_tree/alternating_optimizer.hpp"
#include "search/threshold/first_tree/cut_by.hpp"
#include "search/threshold/first_tree/prune_to.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
class FirstTree {
 public:
  using Value = typename L::Value;

  FirstTree(const Context<L>& context, Terminal& terminal, StumpSolver<L>& stumps)
      : context_(&context), terminal_(&terminal), stumps_(&stumps) {}

  // What the greedy tree minimises at each node: the Gini impurity (for numbers, the loss), or the
  // entropy if the loss has one.
  enum class Greed { impurity, entropy };

  // Returns the greedy tree only. If a limit is reached, nodes with very many rows are not split.
  Answer<Value> greedy(const Task<Value>& task, Greed greed = Greed::impurity) {
    greed_ = greed;
    Answer<Value> answer = grow(*task.rows, task, 0);
    if (answer.tree.n_splits() <= task.splits) return answer;
    TreePruner<L> pruner(*context_, *stumps_);
    return pruner.prune(*task.rows, std::move(answer.tree), task.splits);
  }

  // Returns the best of the three trees, as far as time allows.
  Answer<Value> best(const Task<Value>& task) {
    Answer<Value> answer = greedy(task);
    if (task.depth <= Terminal::kDepth) return answer;
    Answer<Value> ahead = look(*task.rows, task);
    if (ahead.upper < answer.upper) answer = std::move(ahead);
    return improve(task, std::move(answer));
  }

  // For restricted trees (Context::restricted), returns the lookahead tree, whose splits come from
  // the solver of depth two, which knows the restrictions.
  Answer<Value> best_restricted(const Task<Value>& task) { return look(*task.rows, task); }

  // Repeats rounds of alternating optimisation until nothing improves.
  Answer<Value> improve(const Task<Value>& task, Answer<Value> answer) {
    AlternatingOptimizer<L, Terminal> optimizer(*context_, *terminal_, *stumps_);
    for (int round = 0; round < kMostRounds && !stopped(); ++round) {
      Answer<Value> next = optimizer.improve(task, answer.tree);
      if (!(next.upper < answer.upper)) break;
      answer = std::move(next);
    }
    return answer;
  }

 private:
  static constexpr int kMostRounds = 20;
  // Beyond this depth, the greedy tree cuts in the middle: columns whose best split separates one
  // row at a time must not lead to a tree (and a recursion) as deep as the table is long.
  static constexpr int kDeep = 64;
  // Nodes with this many rows are not split by CART's tree once a limit is reached.
  static constexpr std::uint32_t kMany = 20'000;

  Value penalty() const { return context_->settings.split_cost; }
  Value price(const SplitTree& node) const {
    return context_->settings.price()(static_cast<std::int64_t>(node.children.size()));
  }
  bool stopped() const { return context_->limits->stop(0); }

  // Returns the purest split. A gain in purity that is due to further children counts only as far
  // as it is worth their price. No split is returned for very many rows once a limit is reached.
  Split<double> purest(const RowSubset& rows, std::uint32_t min_leaf) {
    const double further = context_->further_impurity();
    bool stopped = false;
    const auto stop = [&](std::uint32_t n) {
      stopped = rows.size() > kMany && context_->limits->stop(n / 64);
      return stopped;
    };
    const Split<double> split = greed_ == Greed::entropy
                                    ? stumps_->best_by_entropy(rows, min_leaf, further, stop)
                                    : stumps_->best_by_impurity(rows, min_leaf, further, stop);
    return stopped ? Split<double>{} : split;
  }

  // The approximate time for a node, in microseconds.
  std::uint32_t microseconds(const RowSubset& rows) const {
    return rows.size() / 64 * static_cast<std::uint32_t>(context_->columns->n_features()) + 1;
  }

  static Answer<Value> leaf_answer(Value cost) { return {cost, cost, true, {}}; }

  // The sets of a node are freed before its children are grown, so that all sets in memory are
  // disjoint.
  Answer<Value> grow(const RowSubset& rows, const Task<Value>& task, int depth) {
    const Value leaf = stumps_->leaf(rows);
    if (depth >= task.depth || !(penalty() < leaf) || rows.size() < 2 * task.min_leaf)
      return leaf_answer(leaf);
    if (context_->limits->stop(microseconds(rows)) && rows.size() > kMany) return leaf_answer(leaf);
    const Split<double> split =
        depth >= kDeep ? middle(rows, task.min_leaf) : purest(rows, task.min_leaf);
    if (split.feature < 0) return leaf_answer(leaf);
    SplitTree node = stumps_->node(rows, split.feature, split.kind, split.first, split.last);
    Answer<Value> answer = leaf_answer(price(node));
    answer.tree = std::move(node);
    std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, answer.tree);
    return below(std::move(parts), std::move(answer), leaf,
                 [&](const RowSubset& child, std::size_t) { return grow(child, task, depth + 1); });
  }

  Answer<Value> look(const RowSubset& rows, const Task<Value>& task) {
    const Value leaf = stumps_->leaf(rows);
    Task<Value> ahead{
        &rows, context_->loss->infinite(), std::min(2, task.depth), task.splits, task.min_leaf, {},
        {}};
    if (task.depth <= 0 || task.splits <= 0 || context_->limits->stop(microseconds(rows)))
      return leaf_answer(leaf);
    Answer<Value> two = terminal_->solve(ahead);
    if (task.depth <= 2 || task.splits <= 3 || two.tree.leaf() || stopped())
      return leaf < two.upper ? leaf_answer(leaf) : std::move(two);
    Answer<Value> answer = leaf_answer(price(two.tree));
    answer.tree = two.tree;
    std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, two.tree);
    // Splits are divided among the children in proportion to their rows.
    const int spare = task.splits - 1;
    Answer<Value> deep = below(
        std::move(parts), std::move(answer), leaf, [&](const RowSubset& child, std::size_t k) {
          const std::int32_t f = two.tree.feature;
          if (context_->restricted(f) && two.tree.children[k].leaf())
            return leaf_answer(stumps_->leaf_saying(child, context_->leaf_says(f, k == 0)));
          Task<Value> inner = task;
          inner.depth = task.depth - 1;
          inner.splits = static_cast<int>(std::int64_t{spare} * child.size() /
                                          std::max<std::int64_t>(1, rows.size()));
          return look(child, inner);
        });
    return deep.upper < two.upper ? std::move(deep) : std::move(two);
  }

  // Solves the parts, adds them up, and keeps a leaf if it costs no more.
  template <class Solve>
  Answer<Value> below(std::vector<RowSubset> parts, Answer<Value> answer, Value leaf, Solve solve) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const RowSubset child = std::move(parts[k]);
      Answer<Value> a = solve(child, k);
      answer.upper += a.upper;
      answer.tree.children[k] = std::move(a.tree);
    }
    if (!(answer.upper < leaf)) return leaf_answer(leaf);
    answer.lower = answer.upper;
    return answer;
  }

  // Returns the cut of an ordered feature that is nearest to the middle, or any split at all.
  Split<double> middle(const RowSubset& rows, std::uint32_t min_leaf) {
    const std::uint32_t m = rows.size();
    Split<double> found;
    std::uint32_t distance = m;
    for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
      const FeatureView view(*context_->columns, rows, f);
      if (context_->columns->kind(f) != FeatureKind::ordered || view.constant()) continue;
      const std::uint32_t p = view.nearest_boundary(m / 2, min_leaf, m - min_leaf);
      const std::uint32_t off = p > m / 2 ? p - m / 2 : m / 2 - p;
      if (p == 0 || off >= distance) continue;
      distance = off;
      found = {f, TestKind::threshold, 0, p, 0.0};
    }
    return found.feature >= 0 ? found : purest(rows, min_leaf);
  }

  const Context<L>* context_;
  Terminal* terminal_;
  StumpSolver<L>* stumps_;
  Partitioner partitioner_;
  Greed greed_ = Greed::impurity;
};

// The tree that a search begins with: the best one that others have found, or one of its own.
template <Loss L, class Terminal, class Value = typename L::Value>
Answer<Value> starting_tree(FirstTree<L, Terminal>& first, const Task<Value>& task, Value infinite,
                            Exchange<Value>* exchange) {
  if (exchange != nullptr)
    if (std::optional<CostedTree<Value>> known = exchange->better_than(infinite);
        known && !known->tree.leaf())
      return {Value{}, known->cost, true, std::move(known->tree)};
  Answer<Value> answer = first.best(task);
  if (exchange != nullptr) exchange->found(answer.tree, answer.upper);
  return answer;
}

}  // namespace treeproof::threshold
