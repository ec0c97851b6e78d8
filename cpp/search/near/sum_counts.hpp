// The number of trees for each cost and sums, for any choice of the leaves' actions; and each of
// these trees.
//
// The frontier (frontier.hpp) keeps one tree for each value of the sums that constraints speak of,
// which is enough to find the best one. Here all trees are counted: two trees are different if
// their splits differ or if a leaf of one takes another action than that of the other. For every
// set of rows there is the number of trees for each cost and sums; it is built from small sets to
// large ones, as counts.hpp does without sums. A split whose children are all leaves of the same
// action is not counted, because the tree is the same without it; therefore leaves are kept apart
// from other trees, one for each action.
//
// Soundness. The graph contains all trees whose priced cost is within its budget (frontier.hpp),
// and every subtree of such a tree is within the budget of its set of rows. Trees of equal cost and
// sums are counted together, with the least of their priced costs, which differ by rounding only.
// This may let through trees that exceed the budget by the rounding error, and never drops a tree
// that is within it. Callers add the rounding error to the budget, and take the trees whose exact
// cost and sums are within their limits; each of these has been counted once.
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
  predictions,  // of all trees with the same predictions on the training rows, the cheapest
  least,        // of all trees with the same cost and the same sums but for the last one, a tree
                // with the least last sum
};

struct SumRules {
  Keeping keeping = Keeping::trees;
  std::int64_t of_split = 0;  // the number that each split adds to the last sum
  // In a graph with open nodes not all trees are known. If this is set, an upper bound on the
  // number of all trees is computed; trees on open nodes are counted with cost and sums 0.
  bool at_most = false;
};

class SumCounts {
 public:
  virtual ~SumCounts() = default;
  // Returns false if a limit was reached, or if there is no upper bound below 2^256.
  virtual bool count(Limits& limits) = 0;
  // The entries of the whole table that pass the filter, sorted by cost.
  virtual std::size_t size() const = 0;
  // The cost of an entry, then its sums.
  virtual std::vector<std::int64_t> entry(std::size_t i) const = 0;
  virtual const BigCount& number(std::size_t i) const = 0;
  // The tree with this number among those of an entry, and the action of each row of the problem.
  virtual TreeDraft tree(std::size_t i, const BigCount& number,
                         std::vector<std::int32_t>& actions) const = 0;
  virtual std::uint64_t n_entries() const = 0;  // number of entries of all sets of rows
  // The cost of a row of the problem if its leaf takes an action.
  virtual std::int64_t cost(std::int32_t row, std::int32_t action) const = 0;
};

std::unique_ptr<SumCounts> make_sum_counts(const Graph& graph, const Filter& filter, RowSums sums,
                                           const SumRules& rules);

}  // namespace treeproof::near
