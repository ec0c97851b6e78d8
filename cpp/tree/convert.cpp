#include "tree/convert.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"

namespace treeproof {
namespace {

SplitTree split_tree_below(const Problem& problem, const Tree& tree, std::int32_t node) {
  const TreeNode& t = tree.nodes[index(node)];
  SplitTree out;
  if (t.test < 0) return out;
  const Test& test = problem.tests[index(t.test)];
  out.feature = test.feature;
  out.kind = test.kind;
  out.code = test.code;
  out.next_code = test.code + 1;
  for (std::int32_t k = 0; k < t.n_children; ++k) {
    const std::size_t slot = index(t.first_child + k);
    out.outcomes.push_back(tree.child_outcome[slot]);
    out.children.push_back(split_tree_below(problem, tree, tree.children[slot]));
  }
  return out;
}

// Tests are listed by feature, and those of a feature by code.
std::int32_t number_of(const Problem& problem, const SplitTree& node) {
  const auto found = std::ranges::lower_bound(problem.tests, node.feature, {},
                                              [](const Test& test) { return test.feature; });
  for (auto it = found; it != problem.tests.end() && it->feature == node.feature; ++it)
    if (it->kind == node.kind && (it->kind == TestKind::multiway || it->code == node.code))
      return static_cast<std::int32_t>(it - problem.tests.begin());
  return -1;
}

bool draft_of(const Problem& problem, const SplitTree& tree, TreeDraft& draft) {
  if (tree.leaf()) return true;
  SplitTree node = tree;
  draft.test = number_of(problem, node);
  bool swapped = false;
  if (draft.test < 0 && node.kind == TestKind::equals && node.code == 1) {
    node.code = 0;  // one test stands for both categories of a column that has two
    draft.test = number_of(problem, node);
    swapped = problem.features[index(node.feature)].n_values == 2;
  }
  if (draft.test < 0) return false;
  draft.outcomes = node.outcomes;
  if (swapped)
    for (std::int32_t& outcome : draft.outcomes) outcome = 1 - outcome;
  draft.children.resize(node.children.size());
  for (std::size_t k = 0; k < node.children.size(); ++k)
    if (!draft_of(problem, node.children[k], draft.children[k])) return false;
  return true;
}

}  // namespace

SplitTree to_split_tree(const Problem& problem, const Tree& tree) {
  return split_tree_below(problem, tree, 0);
}

std::optional<Tree> to_tree(const Problem& problem, const SplitTree& tree) {
  TreeDraft draft;
  if (!draft_of(problem, tree, draft)) return std::nullopt;
  return flatten(draft);
}

}  // namespace treeproof
