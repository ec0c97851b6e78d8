// How many trees there are at each cost, for every set of rows of the graph, and the i-th of
// them.
//
// The trees on a set are the leaf, and for every test all combinations of trees on its
// children. So the number of trees by cost is, test by test, the convolution of the children's
// numbers, shifted by the price of a split; sets with few rows come first. A split whose
// children are all leaves of the same class is no split: such a tree is the same as one
// without it.
//
// The trees of the whole table are ordered by cost, and trees of one cost by their first test,
// then by the costs of its children and so on. Counting how many precede a choice finds the
// i-th tree without listing the others: the first k, or random ones.
#pragma once

#include <cstdint>
#include <vector>

#include "search/near/big_count.hpp"
#include "search/near/graph.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

// Only trees that use every column of `required` and none of `banned`.
struct Filter {
  std::vector<std::int32_t> required;  // at most kMostRequired
  std::vector<std::int32_t> banned;
};
inline constexpr std::size_t kMostRequired = 8;

// Trees of one cost that use the required columns of one mask.
struct Entry {
  Cost cost;
  std::uint32_t mask;
  BigCount count;
};
using Histogram = std::vector<Entry>;  // sorted by cost, then by mask

class Counts {
 public:
  Counts(const Graph& graph, const Filter& filter);

  // False if a limit ended it.
  bool count(Limits& limits);

  const BigCount& total() const { return total_; }
  // The trees asked for, by cost.
  Histogram by_cost() const;
  // The i-th tree, 0 <= i < total().
  TreeDraft tree(BigCount i) const;
  std::int64_t n_entries() const { return n_entries_; }

 private:
  // Which of several equal trees: entry of the histogram and number among its trees.
  struct Place {
    Cost cost;
    std::uint32_t mask;
    BigCount number;
  };

  bool allowed(std::int32_t test) const;
  std::uint32_t bit(std::int32_t test) const;
  void for_each_stump(const Node& node, const Stumps::Visit& visit) const;
  // Whether all children may be leaves of the same class, and what these leaves cost.
  bool useless(const Edge& edge, Cost& leaves) const;
  // With limits, what is returned once one is hit is of no use.
  Histogram of_node(const Node& node, Limits& limits) const;
  // Combinations of the trees on the children from the k-th on, for each k.
  std::vector<Histogram> suffixes(const Edge& edge, Cost most, Limits& limits) const;
  TreeDraft draft(std::int32_t node, Place place) const;
  TreeDraft draft_stump(const Node& node, Place place) const;
  TreeDraft draft_split(const Edge& edge, const std::vector<Histogram>& suffix,
                        Place place) const;

  const Graph& graph_;
  std::uint32_t wanted_ = 0;  // the mask of all required columns
  std::vector<std::uint8_t> banned_;
  std::vector<std::uint32_t> column_bit_;
  std::vector<Histogram> histograms_;  // per node
  std::int64_t n_entries_ = 0;
  BigCount total_;
};

}  // namespace treeproof::near
