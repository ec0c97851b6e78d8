// The best trees of depth two below every split of a node, from counts of triples of tests.
//
// A node with three levels left has two children for each test, and an expansion of each child
// would count the pairs of tests in its rows again. All of these counts are sums over the same
// triples: the rows that pass the tests i, j and k, of each class. There are only n^3 / 6 triples
// of n tests, and a row adds to f^3 / 6 of them if it passes f. The counts of the other seven
// octants of three tests follow from those of triples, pairs and single tests by inclusion and
// exclusion.
//
// Tests that most rows pass are turned around, so that f is small. Rows are added one by one and
// not by bits: a row with a large weight would need a bit in many planes. Measured on one core, for
// the costs of treatments (2,442 rows, 29 tests, weights of 20 bits) this takes .4 ms, against 6 ms
// for the expansions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/limits.hpp"
#include "search/sparse/frame.hpp"
#include "search/sparse/settings.hpp"

namespace treeproof::sparse {

template <class Word>
class DepthThree {
 public:
  // A child of the node: the cost of its best tree of depth two or less, and the column of that
  // tree's split (-1: a leaf).
  struct Child {
    Cost cost;
    std::int32_t column;
  };

  DepthThree(const Layout& layout, const Settings& settings, const kernels::Kernels<Word>& kernel,
             Limits& limits);

  // Whether this takes less time than expanding the children of `n_open` tests of the frame.
  bool worth(const Frame<Word>& frame, std::size_t n_open) const;

  // Finds the best trees of all children of the frame, which has to be prepared. Returns false if a
  // limit was reached.
  bool solve(const Frame<Word>& frame);

  // The answer for a child, numbered as in the frame.
  const Child& child(std::int32_t child) const { return children_[index(child)]; }

  // The approximate number of microseconds of the last call.
  std::int64_t work() const { return work_; }
  std::uint64_t bytes() const;

 private:
  void turn(const Frame<Word>& frame);
  bool count(const Frame<Word>& frame);
  void add_row(const std::int32_t* passed, std::size_t n, std::size_t label, std::int32_t weight);
  void combine();
  std::int32_t* single(std::size_t c) { return single_.data() + c * stride_; }
  std::int32_t* pair(std::size_t c, std::size_t a) { return pair_.data() + (c * n_ + a) * stride_; }

  const Layout& layout_;
  const Settings& settings_;
  const kernels::Kernels<Word>& kernel_;
  Limits& limits_;
  bool possible_;
  std::int64_t work_ = 0;
  std::size_t n_ = 0;                 // columns of the frame
  std::size_t stride_ = 0;            // the same, with at least one vector of zeros behind them
  std::size_t n_triple_ = 0;          // counts of one class
  std::vector<std::uint8_t> turned_;  // per column: counted are the rows that do not pass
  std::vector<std::int64_t> start_;   // [a][b]: place of the triple (a, b, b + 1)
  std::vector<std::int32_t> total_, single_, pair_, triple_;
  std::vector<std::int32_t> best_;  // [quarter][a][stride]: right with one more split
  std::vector<Child> children_;
};

extern template class DepthThree<std::uint16_t>;
extern template class DepthThree<std::uint32_t>;

}  // namespace treeproof::sparse
