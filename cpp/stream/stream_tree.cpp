#include "stream/stream_tree.hpp"

#include <algorithm>

namespace treeproof::stream {
namespace {

void append(StreamTree& tree, const StreamTreeDraft& draft) {
  const auto slot = static_cast<std::int32_t>(tree.children.size());
  tree.nodes.push_back({draft.split, slot, static_cast<std::int32_t>(draft.children.size())});
  const std::size_t at = tree.weight.size();
  tree.weight.resize(at + static_cast<std::size_t>(tree.n_classes), 0.0);
  std::copy(draft.weight.begin(), draft.weight.end(),
            tree.weight.begin() + static_cast<std::ptrdiff_t>(at));
  tree.children.resize(tree.children.size() + draft.children.size());
  tree.literal.insert(tree.literal.end(), draft.literal.begin(), draft.literal.end());
  for (std::size_t k = 0; k < draft.children.size(); ++k) {
    tree.children[static_cast<std::size_t>(slot) + k] =
        static_cast<std::int32_t>(tree.nodes.size());
    append(tree, draft.children[k]);
  }
}

std::int32_t depth_below(const StreamTree& tree, std::int32_t node) {
  const StreamNode& n = tree.nodes[static_cast<std::size_t>(node)];
  std::int32_t depth = 0;
  for (std::int32_t k = 0; k < n.n_children; ++k) {
    const auto slot = static_cast<std::size_t>(n.first_child + k);
    depth = std::max(depth, 1 + depth_below(tree, tree.children[slot]));
  }
  return depth;
}

}  // namespace

std::int32_t StreamTree::n_splits() const {
  return static_cast<std::int32_t>(
      std::ranges::count_if(nodes, [](const StreamNode& n) { return n.split.exists(); }));
}

std::int32_t StreamTree::depth() const { return depth_below(*this, 0); }

std::span<const double> StreamTree::class_weights(std::int32_t node) const {
  const auto k = static_cast<std::size_t>(n_classes);
  return {weight.data() + static_cast<std::size_t>(node) * k, k};
}

std::int32_t StreamTree::child_for(const StreamNode& node, Code code) const {
  for (std::int32_t k = 0; k < node.n_children; ++k) {
    const auto slot = static_cast<std::size_t>(node.first_child + k);
    if (literal[slot].holds(code)) return children[slot];
  }
  return -1;
}

bool StreamTree::has_weight(std::int32_t node) const {
  return std::ranges::any_of(class_weights(node), [](double w) { return w > 0.0; });
}

std::int32_t StreamTree::majority(std::int32_t node) const {
  const auto weights = class_weights(node);
  const auto best = std::ranges::max_element(weights);
  if (best == weights.end() || *best <= 0.0) return -1;
  return static_cast<std::int32_t>(best - weights.begin());
}

StreamTree flatten(const StreamTreeDraft& root, std::int32_t n_classes) {
  StreamTree tree;
  tree.nodes.clear();
  tree.n_classes = n_classes;
  append(tree, root);
  return tree;
}

}  // namespace treeproof::stream
