// The trees of a graph by their cost and by the sums that constraints limit, for any choice of the
// leaves' actions.
//
// A constraint (equal rates in two groups, few misses, a budget) limits sums over rows, to which
// each row adds a number that depends on the action of its leaf. If these sums have prices, every
// tree has a priced cost: its cost plus its sums times their prices. The graph contains all trees
// whose priced cost is within a budget. To a constraint, trees with the same sums are the same, so
// that for every set of rows it is enough to keep one tree of least cost for each value of the
// sums. These trees are the frontier of the set. Frontiers are computed from small sets to large
// ones, as counts are.
//
// Soundness. Let T be a tree within the budget. Replace its subtree on some set of rows by a kept
// one that has the same sums and costs no more. The new tree has the sums of T and costs no more
// than T, so its priced cost (cost plus prices times sums) is not higher either. It is therefore
// within the budget, up to the rounding of priced costs, for which callers add a margin to the
// budget.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/near/graph.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

inline constexpr std::size_t kMostSums = 8;

// What each row adds for each action: its cost, then the sums; [row][action][1 + n_sums].
struct RowSums {
  std::size_t n_sums = 1;
  std::vector<std::int64_t> values;  // of the rows of the problem
  SplitPrice<Cost> price;            // of a split, in the unit of the costs
  bool less_is_better = false;       // a tree of smaller sums may replace one of larger sums
};

// Adds the numbers of table rows, [row][action][1 + n_sums], for each row of the problem: the
// numbers of equal rows of the table go to the first row of the problem that has their codes.
// `codes` is column-major.
std::vector<std::int64_t> on_merged_rows(const Problem& problem,
                                         std::span<const std::int32_t> codes,
                                         std::span<const std::int64_t> values, std::size_t per_row);

// Translates values of the problem's rows to the rows of the table: each gets that of the row with
// its codes.
std::vector<std::int32_t> of_table_rows(const Problem& problem, std::span<const std::int32_t> codes,
                                        std::span<const std::int32_t> of_merged_rows);

class Frontier {
 public:
  virtual ~Frontier() = default;
  // Returns false if a limit was reached. No other method may be called then.
  virtual bool build(Limits& limits) = 0;
  virtual std::size_t size() const = 0;  // number of points of the whole table
  // The cost of a point, then its sums.
  virtual std::vector<std::int64_t> point(std::size_t i) const = 0;
  // A tree of a point, and the action of each row of the problem.
  virtual TreeDraft tree(std::size_t i, std::vector<std::int32_t>& actions) const = 0;
  virtual std::uint64_t n_points() const = 0;  // number of points of all sets of rows
};

std::unique_ptr<Frontier> make_frontier(const Graph& graph, RowSums sums);

}  // namespace treeproof::near
