#include "tree/tree.hpp"

#include <algorithm>

#include "data/row_list.hpp"

namespace treeproof {
namespace {

void append(Tree& tree, const TreeDraft& draft) {
  const auto slot = static_cast<std::int32_t>(tree.children.size());
  const auto n = static_cast<std::int32_t>(draft.children.size());
  tree.nodes.push_back({draft.test, slot, n});
  tree.children.resize(tree.children.size() + draft.children.size());
  tree.child_outcome.insert(tree.child_outcome.end(), draft.outcomes.begin(), draft.outcomes.end());
  for (std::size_t k = 0; k < draft.children.size(); ++k) {
    tree.children[static_cast<std::size_t>(slot) + k] =
        static_cast<std::int32_t>(tree.nodes.size());
    append(tree, draft.children[k]);
  }
}

Cost cost_below(const Problem& problem, const Tree& tree, std::int32_t node, const Rows& rows,
                SplitPrice<Cost> price) {
  const TreeNode& t = tree.nodes[static_cast<std::size_t>(node)];
  if (t.test < 0) return leaf_cost(problem, rows);
  Cost cost = price(t.n_children);
  const Test& test = problem.tests[static_cast<std::size_t>(t.test)];
  for (std::int32_t k = 0; k < t.n_children; ++k) {
    const auto slot = static_cast<std::size_t>(t.first_child + k);
    const Rows part = rows_with(problem, rows, test, tree.child_outcome[slot]);
    cost += cost_below(problem, tree, tree.children[slot], part, price);
  }
  return cost;
}

}  // namespace

std::int32_t Tree::n_splits() const {
  return static_cast<std::int32_t>(
      std::ranges::count_if(nodes, [](const TreeNode& n) { return n.test >= 0; }));
}

Tree flatten(const TreeDraft& root) {
  Tree tree;
  append(tree, root);
  return tree;
}

Cost evaluate(const Problem& problem, const Tree& tree, SplitPrice<Cost> price) {
  return cost_below(problem, tree, 0, all_rows(problem), price);
}

}  // namespace treeproof
