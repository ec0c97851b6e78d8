// The number of trees at each cost, for every set of rows of the graph, and the i-th tree.
//
// The trees on a set are the leaf and, for every test, all combinations of trees on its children.
// The number of trees by cost is therefore, for each test, the convolution of the numbers of the
// children, shifted by the price of a split. Sets with few rows are counted first, so that children
// are counted before their parents. A split whose children are all leaves of the same class is not
// counted, because the tree is the same without it.
//
// The trees of the whole table are ordered by cost; trees of the same cost are ordered by their
// first test, then by the costs of its children, and so on. Counting how many trees precede a
// choice finds the i-th tree without listing the others.
#pragma once

#include <cstdint>
#include <vector>

#include "search/near/big_count.hpp"
#include "search/near/filter.hpp"
#include "search/near/graph.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

// Trees of one cost that have the same marks.
struct Entry {
  Cost cost;
  Marks marks;
  BigCount count;
};
using Histogram = std::vector<Entry>;  // sorted by cost, then by marks

// In a graph with open nodes not all trees are known. `known` counts the trees that are known;
// `at_most` computes an upper bound on the number of all trees.
enum class Counting { known, at_most };

class Counts {
 public:
  Counts(const Graph& graph, const Filter& filter, Counting counting = Counting::known);

  // Returns false if a limit was reached, or if there is no upper bound below 2^256.
  bool count(Limits& limits);

  const BigCount& total() const { return total_; }
  // The requested trees, by cost.
  Histogram by_cost() const;
  // The i-th tree, 0 <= i < total().
  TreeDraft tree(BigCount i) const;
  std::int64_t n_entries() const { return n_entries_; }

 private:
  // Identifies a tree: an entry of a histogram, and the number of the tree among those of this
  // entry.
  struct TreeId {
    Cost cost;
    Marks marks;
    BigCount number;
  };

  void for_each_stump(std::int32_t node, const Leaves::Visit& visit) const;
  // Whether all children may be leaves of the same class, and the cost of these leaves.
  bool useless(const Edge& edge, Cost& leaves) const;
  // If a limit is reached, the returned histogram is incomplete and must not be used.
  Histogram of_node(std::int32_t number, Limits& limits) const;
  // Combinations of the trees on the children from the k-th on, for each k.
  std::vector<Histogram> suffixes(const Edge& edge, Cost most, Limits& limits) const;
  TreeDraft draft(std::int32_t node, TreeId place) const;
  TreeDraft draft_stump(std::int32_t node, TreeId place) const;
  TreeDraft draft_split(const Edge& edge, const std::vector<Histogram>& suffix, TreeId place) const;

  const Graph& graph_;
  const Counting counting_;
  const FilteredTests filter_;
  std::vector<Histogram> histograms_;  // per node
  std::int64_t n_entries_ = 0;
  BigCount total_;
};

}  // namespace treeproof::near
