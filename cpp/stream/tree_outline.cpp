#include "stream/tree_outline.hpp"

namespace treeproof::stream {

void TreeOutline::assign(const WorkingTree& tree) {
  nodes_.clear();
  raised_.clear();
  for (const WorkingNode& node : tree.nodes())
    nodes_.push_back({node.split, node.first_child, node.n_children});
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (std::int32_t k = 0; k < nodes_[i].n_children; ++k) {
      const std::int32_t below = nodes_[i].first_child + k;
      if (split(below).exists()) raised_.push_back({static_cast<std::int32_t>(i), below});
    }
  }
}

}  // namespace treeproof::stream
