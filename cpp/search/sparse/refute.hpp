// Refutes small trees without expanding a node.
//
// On noisy data, the question at most nodes is only whether some tree with two (or three) splits is
// good enough, and the answer is nearly always no. A tree with exactly two splits has a leaf next
// to its root, that is, a literal that is almost pure among the rows of the node. Its lowest error
// is therefore found from single counts of the node and of the rows that each almost pure literal
// leaves, in the layout of the parent; no rows are packed and no pairs are counted.
#pragma once

#include <cstdint>
#include <vector>

#include "search/sparse/frame.hpp"
#include "search/sparse/settings.hpp"

namespace treeproof::sparse {

struct SmallTree {
  std::int64_t error = 0;  // lowest error of such trees, or the cap if none is below it
  std::int32_t test = -1;  // root split of the best one
  // If the other child of the root needs two splits: its rows, their error and root split.
  Key rest;
  std::int64_t rest_error = 0;
  std::int32_t rest_test = -1;
};

template <class Word>
class Refuter {
 public:
  explicit Refuter(const kernels::Kernels<Word>& kernel) : kernel_(kernel) {}

  // The lowest error of trees with exactly two two-way splits on a child of `parent`, if it is
  // below `cap`. `one_split_error` is the lowest error with one split.
  SmallTree two_splits(const Frame<Word>& parent, std::int32_t child, std::int64_t one_split_error,
                       std::int64_t cap);

  // The same for a whole prepared frame, and with exactly three splits: a leaf next to the root and
  // two splits on the rest, or one split on either side of the root. `two_split_error` is the
  // lowest error with two splits.
  SmallTree two_splits(const Frame<Word>& frame, std::int64_t one_split_error, std::int64_t cap);
  SmallTree three_splits(const Frame<Word>& frame, std::int64_t two_split_error, std::int64_t cap);

  // The number of vector operations since the last call of `take_operations`, to account for work.
  std::int64_t operations() const { return operations_; }
  std::int64_t take_operations() {
    const std::int64_t n = operations_;
    operations_ = 0;
    return n;
  }

 private:
  using C = Count<Word>;

  // Class counts of a set of rows of the parent: in total, and on both sides of each column.
  struct Counts {
    std::vector<Word> mask;
    std::vector<C> column;  // [class][stride]
    std::vector<C> total;   // [class]
    std::vector<C> side_total, side_most;
    std::int64_t weight = 0;
  };
  void take_child(const Frame<Word>& parent, std::int32_t child);
  void take_all(const Frame<Word>& frame);
  void take_part(const Frame<Word>& parent, const Counts& of, std::int32_t child, Counts& part);
  void take_difference(const Frame<Word>& parent, const Counts& of, const Counts& less,
                       Counts& part);
  void count(const Frame<Word>& parent, Counts& counts);
  void count_sides(const Frame<Word>& parent, Counts& counts);
  std::int64_t one_split(const Frame<Word>& parent, const Counts& counts) const;
  SmallTree two_splits_of(const Frame<Word>& parent, const Counts& node, Counts& scratch,
                          std::int64_t one_split_error, std::int64_t cap);
  Key key_of(const Frame<Word>& parent, const Counts& counts) const;

  const kernels::Kernels<Word>& kernel_;
  Counts node_, rest_, scratch_;
  std::int64_t operations_ = 0;
};

extern template class Refuter<std::uint16_t>;
extern template class Refuter<std::uint32_t>;

}  // namespace treeproof::sparse
