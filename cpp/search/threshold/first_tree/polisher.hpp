// Local search and discrepancy search for any loss: see polish.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/key.hpp"
#include "search/exchange.hpp"
#include "search/threshold/first_tree/first_tree.hpp"
#include "search/threshold/searches.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
class Polisher {
 public:
  using Value = typename L::Value;

  Polisher(const Context<L>& context, Terminal& terminal, StumpSolver<L>& stumps,
           Exchange<Value>& exchange)
      : context_(&context), terminal_(&terminal), stumps_(&stumps), exchange_(&exchange),
        search_(context, terminal, stumps), first_(context, terminal, stumps) {}

  void run(const Task<Value>& task) {
    using Greed = typename FirstTree<L, Terminal>::Greed;
    start_from(task, first_.greedy(task, Greed::entropy));
    start_from(task, first_.greedy(task, Greed::impurity));
    polish(task);
    for (int discrepancies = 0; discrepancies <= kMostDiscrepancies && !stopped();
         ++discrepancies) {
      memo_.clear();
      start_from(task, explore(*task.rows, task.depth, task.splits, task.min_leaf, discrepancies));
      polish(task);
    }
  }

 private:
  static constexpr int kMostDiscrepancies = 24;
  static constexpr int kDeepest = 3;  // depth of the trees that are solved exactly
  // Number of cells (rows times features) up to which trees of depth three are solved exactly,
  // which takes some tens of milliseconds.
  static constexpr std::uint64_t kSmall = 8'000;
  static constexpr std::size_t kMostEntries = 20'000;

  Value penalty() const { return context_->settings.split_cost; }
  bool stopped() const { return context_->limits->stop(0); }
  bool small(const RowSubset& rows) const {
    return std::uint64_t{rows.size()} *
               static_cast<std::uint64_t>(context_->columns->n_features()) <=
           kSmall;
  }
  int exact_levels(const RowSubset& rows) const {
    return small(rows) ? kDeepest : std::min(kDeepest, Terminal::kDepth);
  }

  void tell(const Answer<Value>& answer) {
    if (answer.upper < exchange_->upper()) exchange_->found(answer.tree, answer.upper);
  }

  void start_from(const Task<Value>& task, Answer<Value> answer) {
    tell(answer);
    if (stopped()) return;
    tell(first_.improve(task, std::move(answer)));
  }

  // Solves subtrees of the best tree again until none improves.
  void polish(const Task<Value>& task) {
    while (!stopped()) {
      std::optional<CostedTree<Value>> best = exchange_->better_than(context_->loss->infinite());
      if (!best || best->tree.depth() > task.depth) return;
      Answer<Value> better =
          resolve(*task.rows, best->tree, task.depth, task.splits, task.min_leaf);
      if (!(better.upper < best->cost)) return;
      start_from(task, std::move(better));
    }
  }

  // Solves the parts of the subtree again, from the bottom up, and then the subtree as a whole.
  Answer<Value> resolve(const RowSubset& rows, const SplitTree& tree, int depth, int splits,
                        std::uint32_t min_leaf) {
    const Value leaf = stumps_->leaf(rows);
    Answer<Value> answer{leaf, leaf, true, {}};
    SplitTree node = tree;
    if (!tree.leaf() && refit(*context_->columns, rows, node)) {
      std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, node);
      Value cost = context_->settings.price()(static_cast<std::int64_t>(node.children.size()));
      int spare = splits - node.n_splits();
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const RowSubset child = std::move(parts[k]);
        const int used = node.children[k].n_splits();
        Answer<Value> a = resolve(child, node.children[k], depth - 1, used + spare, min_leaf);
        spare += used - a.tree.n_splits();
        cost += a.upper;
        node.children[k] = std::move(a.tree);
      }
      if (cost < answer.upper) answer = {cost, cost, true, std::move(node)};
    }
    take_exact(rows, std::min(depth, exact_levels(rows)), splits, min_leaf, answer);
    return answer;
  }

  // Replaces the answer by the best tree of this depth if that is better.
  void take_exact(const RowSubset& rows, int levels, int splits, std::uint32_t min_leaf,
                  Answer<Value>& answer) {
    if (stopped() || levels <= 0 || splits <= 0 || !(penalty() < answer.upper) ||
        rows.size() < 2 * min_leaf)
      return;
    const auto [known, fresh] = tried_.insert({key_of(rows), levels, splits});
    if (!fresh) return;
    const Task<Value> task{&rows, answer.upper, levels, splits, min_leaf, {}, {}};
    Answer<Value> exact = levels <= Terminal::kDepth ? terminal_->solve(task) : search_.solve(task);
    if (context_->limits->reason() != StopReason::none) tried_.erase(known);
    if (exact.found && exact.upper < answer.upper) answer = std::move(exact);
    if (tried_.size() > kMostEntries) tried_.clear();
  }

  // Returns the best tree that departs from the most promising test at up to this many nodes of a
  // path.
  Answer<Value> explore(const RowSubset& rows, int depth, int splits, std::uint32_t min_leaf,
                        int discrepancies) {
    const Value leaf = stumps_->leaf(rows);
    Answer<Value> answer{leaf, leaf, true, {}};
    const int levels = std::min(depth, exact_levels(rows));
    if (levels <= 0 || splits <= 0 || rows.size() < 2 * min_leaf || stopped()) return answer;
    const Question question{key_of(rows), depth, splits, discrepancies};
    if (const auto known = memo_.find(question); known != memo_.end()) return known->second;
    {
      const Task<Value> task{&rows, context_->loss->infinite(), levels, splits, min_leaf, {}, {}};
      Answer<Value> exact =
          levels <= Terminal::kDepth ? terminal_->solve(task) : search_.solve(task);
      if (exact.found && exact.upper < answer.upper) answer = std::move(exact);
    }
    // A deeper tree has more splits than the depth that was searched.
    const bool settled = depth <= levels || splits <= levels ||
                         !(static_cast<Value>(levels + 1) * penalty() < answer.upper);
    if (!settled) {
      const std::vector<SplitTree> roots =
          promising(rows, min_leaf, answer.tree, discrepancies + 1);
      for (std::size_t k = 0; k < roots.size() && !stopped(); ++k)
        try_root(rows, roots[k], depth, splits, min_leaf, discrepancies - static_cast<int>(k),
                 answer);
    }
    if (!stopped()) {
      if (memo_.size() > kMostEntries) memo_.clear();
      memo_.emplace(question, answer);
    }
    return answer;
  }

  void try_root(const RowSubset& rows, SplitTree node, int depth, int splits,
                std::uint32_t min_leaf, int discrepancies, Answer<Value>& answer) {
    std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, node);
    Value cost = context_->settings.price()(static_cast<std::int64_t>(node.children.size()));
    int left = splits - 1;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const RowSubset child = std::move(parts[k]);
      Answer<Value> a = explore(child, depth - 1, left, min_leaf, discrepancies);
      left -= a.tree.n_splits();
      cost += a.upper;
      if (!(cost < answer.upper)) return;
      node.children[k] = std::move(a.tree);
    }
    answer = {cost, cost, true, std::move(node)};
  }

  // Roots to try: that of the given tree, and then the best split of each feature by impurity.
  std::vector<SplitTree> promising(const RowSubset& rows, std::uint32_t min_leaf,
                                   const SplitTree& in_hand, int most) {
    std::vector<SplitTree> roots;
    if (!in_hand.leaf()) {
      SplitTree root = in_hand;
      for (SplitTree& child : root.children) child = {};
      roots.push_back(std::move(root));
    }
    std::vector<Split<double>> splits;
    for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
      const Split<double> split =
          stumps_->best_by_impurity_on(rows, f, min_leaf, context_->further_impurity());
      if (split.feature >= 0) splits.push_back(split);
    }
    context_->limits->stop(1 + rows.size() / 64 *
                                   static_cast<std::uint32_t>(context_->columns->n_features()));
    std::ranges::sort(splits, {}, &Split<double>::score);
    for (const Split<double>& split : splits) {
      if (static_cast<int>(roots.size()) >= most) break;
      SplitTree root = stumps_->node(rows, split.feature, split.kind, split.first, split.last);
      const bool known = std::ranges::any_of(roots, [&](const SplitTree& other) {
        return other.feature == root.feature && other.kind == root.kind && other.code == root.code;
      });
      if (!known) roots.push_back(std::move(root));
    }
    return roots;
  }

  static Key key_of(const RowSubset& rows) {
    Key key;
    for (std::uint32_t r = 0; r < rows.size(); ++r) key += random_key(rows.row(r));
    return key;
  }

  struct Question {
    Key key;
    int depth, splits, discrepancies;
    friend bool operator==(const Question&, const Question&) = default;
  };
  struct QuestionHash {
    std::size_t operator()(const Question& q) const {
      return static_cast<std::size_t>(
          split_mix(q.key.low + static_cast<std::uint64_t>(q.depth) * 31 +
                    static_cast<std::uint64_t>(q.splits) * 1009 +
                    static_cast<std::uint64_t>(q.discrepancies) * 65537));
    }
  };

  const Context<L>* context_;
  Terminal* terminal_;
  StumpSolver<L>* stumps_;
  Exchange<Value>* exchange_;
  Search<L, Terminal> search_;
  FirstTree<L, Terminal> first_;
  Partitioner partitioner_;
  std::set<std::tuple<Key, int, int>> tried_;  // sets that exact solves could not improve
  std::unordered_map<Question, Answer<Value>, QuestionHash> memo_;
};

}  // namespace treeproof::threshold
