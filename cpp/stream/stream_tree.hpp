// The tree an online learner currently proposes: a flat table in preorder, with the class
// weights of every node, that predicts a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stream/schema.hpp"

namespace treeproof::stream {

struct StreamNode {
  Split split;                   // none for a leaf
  std::int32_t first_child = 0;  // slot
  std::int32_t n_children = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(split, first_child, n_children);
  }
};

struct StreamTree {
  std::vector<StreamNode> nodes{StreamNode{}};  // nodes[0] is the root
  std::vector<std::int32_t> children;           // per slot: node
  std::vector<Literal> literal;                 // per slot: the codes that lead there
  std::vector<double> weight;                   // [node * n_classes + class]
  std::int32_t n_classes = 0;

  std::int32_t n_splits() const;
  std::int32_t depth() const;
  std::span<const double> class_weights(std::int32_t node) const;

  // The node whose class weights answer for a row: the deepest one on its way that has
  // seen weight. A row whose category a node has no child for stops at that node.
  // `code_of(column)` gives the row's code.
  template <class CodeOf>
  std::int32_t find(CodeOf code_of) const {
    std::int32_t node = 0;
    std::int32_t answer = 0;
    while (nodes[static_cast<std::size_t>(node)].split.exists()) {
      const StreamNode& n = nodes[static_cast<std::size_t>(node)];
      node = child_for(n, code_of(n.split.column));
      if (node < 0) break;
      if (has_weight(node)) answer = node;
    }
    return answer;
  }

  // The heaviest class of a node, the first of equals; -1 if it has seen nothing.
  std::int32_t majority(std::int32_t node) const;

  template <class Archive>
  void archive(Archive& a) {
    a(nodes, children, literal, weight, n_classes);
  }

 private:
  std::int32_t child_for(const StreamNode& node, Code code) const;
  bool has_weight(std::int32_t node) const;
};

// A tree in linked form, to be built from the root down; `flatten` makes the table.
struct StreamTreeDraft {
  Split split;
  std::vector<double> weight;
  std::vector<Literal> literal;
  std::vector<StreamTreeDraft> children;
};
StreamTree flatten(const StreamTreeDraft& root, std::int32_t n_classes);

}  // namespace treeproof::stream
