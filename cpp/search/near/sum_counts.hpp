// How many trees of each cost and sums there are, for any choice of the leaves' actions, and each
// of these trees.
//
// The frontier (frontier.hpp) keeps one tree for each value of the sums that constraints speak of,
// which is enough to find the best one. Here all trees are counted: two trees are different if
// their splits differ or if a leaf of one takes another action than that of the other. For every
// set of rows there is the number of trees for each cost and sums; it is built from small sets to
// large ones, as counts.hpp does without sums. A split whose children are all leaves of the same
// action is not counted, because the tree is the same without it; therefore leaves are kept apart
// from other trees, one for each action.
//
// Soundness. The graph holds all trees whose priced cost is within its budget (frontier.hpp), and
// the part of such a tree on a set of rows is within the budget of that set. Trees of equal cost
// and sums are counted together with the least of their priced costs, which may differ by rounding
// only: that lets through trees which are beyond the budget by this rounding, and never drops one
// that is within it. Callers leave room for the rounding, and take those trees whose exact cost
// and sums are within their limits; each of them has been counted once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/near/big_count.hpp"
#include "search/near/filter.hpp"
#include "search/near/frontier.hpp"
#include "search/near/graph.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

enum class Keeping {
  trees,        // every tree is counted
  predictions,  // the cheapest of all trees that predict alike on the training rows
  least,        // of trees that agree in their cost and in all sums but the last, the one in which
                // that sum is least
};

struct SumRules {
  Keeping keeping = Keeping::trees;
  std::int64_t of_split = 0;  // what each split adds to the last sum
  // In a graph with open nodes not all trees are known; then the count is more than there can be,
  // and what is counted for an open node has the cost and the sums 0.
  bool at_most = false;
};

class SumCounts {
 public:
  virtual ~SumCounts() = default;
  // False if a limit ended it, or if there is no upper bound below 2^256.
  virtual bool count(Limits& limits) = 0;
  // The entries of the whole table that pass the filter, from the least cost on.
  virtual std::size_t size() const = 0;
  // The cost of an entry, then its sums.
  virtual std::vector<std::int64_t> entry(std::size_t i) const = 0;
  virtual const BigCount& number(std::size_t i) const = 0;
  // A tree of an entry, by its number, and the action of each row of the problem.
  virtual TreeDraft tree(std::size_t i, const BigCount& number,
                         std::vector<std::int32_t>& actions) const = 0;
  virtual std::uint64_t n_entries() const = 0;  // of all sets of rows
  // What a row of the problem costs if its leaf takes an action.
  virtual std::int64_t cost(std::int32_t row, std::int32_t action) const = 0;
};

std::unique_ptr<SumCounts> make_sum_counts(const Graph& graph, const Filter& filter, RowSums sums,
                                           const SumRules& rules);

}  // namespace treeproof::near
