// Finds good trees early, by limited discrepancy search on the memo of the exact search.
//
// At every node the splits are ranked by their known cost (at first from pair counts, later from
// the memo) plus a small multiple of the Gini impurity. A pass with b discrepancies takes the
// best-ranked split for free and the r-th for 1 + floor(log2 r) discrepancies, and gives the rest
// to the children. Pass 0 is a greedy tree with two steps of lookahead, pruned by the true
// objective; the pass before it ranks by Gini alone, like CART. All trees go to the memo, so the
// exact search starts from them, and its lower bounds prune here. The method is that of Harvey and
// Ginsberg (1995); the logarithmic price of a rank gave much better trees than a linear one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/sparse/search.hpp"

namespace treeproof::sparse {

template <class Word>
class Discrepancy {
 public:
  Discrepancy(Search<Word>& search, const Layout& layout, std::uint64_t max_bytes);

  // Finds CART's tree and the greedy tree, however long this takes.
  void run_first_passes();
  // Continues with the passes for about `work` microseconds; true if the tree of the root improved.
  bool run(std::int64_t work);
  // True if no further pass can find a new tree.
  bool exhausted() const { return exhausted_; }
  std::uint64_t bytes() const { return bytes_; }
  // The lists are dropped when they have grown beyond this.
  void limit(std::uint64_t max_bytes) { max_bytes_ = max_bytes; }

 private:
  struct Split {
    std::int32_t test;
    float impurity;  // weighted Gini of the children, as a cost
    std::int32_t first_child;
    std::int32_t n_children;
  };
  struct Child {
    Key rows;
    Cost lower, upper;
    std::int32_t outcome;
  };
  struct Node {
    std::vector<Split> splits;
    std::vector<Child> children;
    int effort = -2;
  };
  struct Step {  // how the node at a depth was reached
    std::int32_t test = -1, outcome = 0;
    bool built = false;
  };

  void run_pass();
  void visit(std::size_t depth, const Key& rows, int depth_left, int effort);
  Node* open(std::size_t depth, const Key& rows, int depth_left);
  void build(std::size_t depth);
  void list_splits(const typename Search<Word>::Level& here, Node& node) const;
  Cost rank(Node& node, const Split& split, int below, int effort, Cost& at_least) const;
  bool stopped() { return search_.stop() || search_.work_done() >= work_end_; }

  static constexpr int kMaxPasses = 64;
  static constexpr std::size_t kKeptSplits = 32;

  Search<Word>& search_;
  const Layout& layout_;
  std::uint64_t max_bytes_;
  std::uint64_t bytes_ = 0;
  std::unordered_map<Key, Node, KeyHash> nodes_;
  std::vector<Step> path_;
  std::int64_t root_rows_ = 0;
  std::int64_t work_end_ = 0;
  int pass_ = -1;
  double impurity_weight_ = 0.0;
  bool exhausted_ = false;
};

extern template class Discrepancy<std::uint16_t>;
extern template class Discrepancy<std::uint32_t>;

}  // namespace treeproof::sparse
