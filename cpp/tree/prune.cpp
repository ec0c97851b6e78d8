#include "tree/prune.hpp"

#include <algorithm>

#include "data/row_list.hpp"

namespace treeproof {
namespace {

// The cost of the best pruning below a node with at most 0, 1, ... splits, and its tree.
struct BySize {
  std::vector<Cost> cost;
  std::vector<TreeDraft> tree;
};

class Pruner {
 public:
  Pruner(const Problem& problem, const Tree& tree, SplitPrice<Cost> price, int max_splits)
      : problem_(problem), tree_(tree), price_(price), max_splits_(max_splits) {}

  BySize prune(std::int32_t node, const Rows& rows) const {
    const TreeNode& t = tree_.nodes[static_cast<std::size_t>(node)];
    BySize out;
    out.cost.push_back(leaf_cost(problem_, rows));
    out.tree.emplace_back();
    if (t.test < 0 || max_splits_ == 0) return out;

    const Test& test = problem_.tests[static_cast<std::size_t>(t.test)];
    BySize joint{{price_(t.n_children)}, {TreeDraft{t.test, {}, {}}}};  // index: splits below
    for (std::int32_t k = 0; k < t.n_children; ++k) {
      const auto slot = static_cast<std::size_t>(t.first_child + k);
      const std::int32_t outcome = tree_.child_outcome[slot];
      const Rows part = rows_with(problem_, rows, test, outcome);
      joint = join(joint, prune(tree_.children[slot], part), outcome);
    }
    for (std::size_t k = 0; k < joint.cost.size(); ++k) {
      const bool better = joint.cost[k] < out.cost.back();
      out.cost.push_back(better ? joint.cost[k] : out.cost.back());
      out.tree.push_back(better ? joint.tree[k] : out.tree.back());
    }
    return out;
  }

 private:
  BySize join(const BySize& left, const BySize& child, std::int32_t outcome) const {
    const std::size_t n =
        std::min(left.cost.size() + child.cost.size() - 1, static_cast<std::size_t>(max_splits_));
    BySize out{std::vector<Cost>(n, kInfiniteCost), std::vector<TreeDraft>(n)};
    for (std::size_t total = 0; total < n; ++total) {
      std::size_t from = 0, own = 0;
      for (std::size_t j = 0; j < child.cost.size() && j <= total; ++j) {
        const std::size_t i = std::min(total - j, left.cost.size() - 1);
        const Cost cost = left.cost[i] + child.cost[j];
        if (cost >= out.cost[total]) continue;
        out.cost[total] = cost;
        from = i;
        own = j;
      }
      out.tree[total] = left.tree[from];
      out.tree[total].outcomes.push_back(outcome);
      out.tree[total].children.push_back(child.tree[own]);
    }
    return out;
  }

  const Problem& problem_;
  const Tree& tree_;
  SplitPrice<Cost> price_;
  int max_splits_;
};

}  // namespace

Tree prune_to_size(const Problem& problem, const Tree& tree, SplitPrice<Cost> price,
                   int max_splits) {
  const Pruner pruner(problem, tree, price, max_splits);
  return flatten(pruner.prune(0, all_rows(problem)).tree.back());
}

}  // namespace treeproof
