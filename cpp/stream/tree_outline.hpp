// The shape of the proposed tree, and simpler neighbours of it for the Monte Carlo searches to try.
//
// A search may begin with an irrelevant split and find the right splits below it, once in each
// child. Then no neighbouring tree looks better: with any one split removed or replaced, the tree
// is worse. Raising, known from C4.5 (Quinlan 1993), puts the subtree of a child in the place of
// its parent, and thus removes such a split in one move. A raised tree is only a candidate: it is
// simulated like any other, and is proposed if its value is the best.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "stream/schema.hpp"
#include "stream/working_tree.hpp"

namespace treeproof::stream {

class TreeOutline {
 public:
  void assign(const WorkingTree& tree);
  void clear() { assign(WorkingTree{}); }

  // How many raised trees there are: one for each split whose parent is a split.
  std::size_t n_raised() const { return raised_.size(); }
  // The node that takes the place of a node in the k-th raised tree.
  std::int32_t in_place_of(std::int32_t node, std::size_t k) const {
    return raised_[k].parent == node ? raised_[k].child : node;
  }

  const Split& split(std::int32_t node) const {
    return nodes_[static_cast<std::size_t>(node)].split;
  }
  // The i-th child; -1: none, when the column had fewer codes at the time.
  std::int32_t child(std::int32_t node, std::int32_t i) const {
    const Node& n = nodes_[static_cast<std::size_t>(node)];
    return i < n.n_children ? n.first_child + i : -1;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(nodes_, raised_);
  }

 private:
  struct Node {
    Split split;
    std::int32_t first_child = 0;
    std::int32_t n_children = 0;
    template <class Archive>
    void archive(Archive& a) {
      a(split, first_child, n_children);
    }
  };
  struct Raised {
    std::int32_t parent = 0;
    std::int32_t child = 0;
    template <class Archive>
    void archive(Archive& a) {
      a(parent, child);
    }
  };

  std::vector<Node> nodes_;
  std::vector<Raised> raised_;
};

}  // namespace treeproof::stream
