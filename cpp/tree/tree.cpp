#include "tree/tree.hpp"

#include <algorithm>
#include <numeric>

namespace treeproof {
namespace {

void append(Tree& tree, const TreeDraft& draft) {
  const auto slot = static_cast<std::int32_t>(tree.children.size());
  const auto n = static_cast<std::int32_t>(draft.children.size());
  tree.nodes.push_back({draft.test, slot, n});
  tree.children.resize(tree.children.size() + draft.children.size());
  tree.child_outcome.insert(tree.child_outcome.end(), draft.outcomes.begin(),
                            draft.outcomes.end());
  for (std::size_t k = 0; k < draft.children.size(); ++k) {
    tree.children[static_cast<std::size_t>(slot) + k] =
        static_cast<std::int32_t>(tree.nodes.size());
    append(tree, draft.children[k]);
  }
}

std::int32_t depth_below(const Tree& tree, std::int32_t node) {
  const TreeNode& t = tree.nodes[static_cast<std::size_t>(node)];
  std::int32_t depth = 0;
  for (std::int32_t k = 0; k < t.n_children; ++k) {
    const std::int32_t child = tree.children[static_cast<std::size_t>(t.first_child + k)];
    depth = std::max(depth, 1 + depth_below(tree, child));
  }
  return depth;
}

Cost cost_below(const Problem& problem, const Tree& tree, std::int32_t node,
                const std::vector<std::int32_t>& rows, Cost split_cost) {
  const TreeNode& t = tree.nodes[static_cast<std::size_t>(node)];
  if (t.test < 0) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(problem.n_classes));
    std::int64_t total = 0;
    for (const std::int32_t r : rows) {
      const auto row = static_cast<std::size_t>(r);
      counts[static_cast<std::size_t>(problem.label[row])] += problem.weight[row];
      total += problem.weight[row];
    }
    return cost_of(total - *std::ranges::max_element(counts));
  }
  Cost cost = split_cost;
  const Test& test = problem.tests[static_cast<std::size_t>(t.test)];
  for (std::int32_t k = 0; k < t.n_children; ++k) {
    const auto slot = static_cast<std::size_t>(t.first_child + k);
    std::vector<std::int32_t> part;
    for (const std::int32_t r : rows)
      if (problem.outcome(test, r) == tree.child_outcome[slot]) part.push_back(r);
    cost += cost_below(problem, tree, tree.children[slot], part, split_cost);
  }
  return cost;
}

}  // namespace

std::int32_t Tree::n_splits() const {
  return static_cast<std::int32_t>(
      std::ranges::count_if(nodes, [](const TreeNode& n) { return n.test >= 0; }));
}

std::int32_t Tree::depth() const { return depth_below(*this, 0); }

Tree flatten(const TreeDraft& root) {
  Tree tree;
  append(tree, root);
  return tree;
}

Cost evaluate(const Problem& problem, const Tree& tree, Cost split_cost) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(problem.n_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return cost_below(problem, tree, 0, rows, split_cost);
}

}  // namespace treeproof
