// The trees of a graph by what they cost and by sums that constraints speak of, for any choice
// of the leaves' actions.
//
// A constraint (equal rates in two groups, few misses, a budget) is about sums over rows, each
// row adding a number that depends on the action of its leaf. With a price on these sums, every
// tree has a priced cost: its cost and its sums times their prices. The graph holds all trees
// whose priced cost is within a budget. Trees that agree in their sums differ in nothing that a
// constraint could see, so that for every set of rows one of least cost is kept for each value
// of the sums: a frontier. It is built from small sets to large ones, as counts are.
//
// Soundness. Let T be a tree within the budget, and replace the part of T on a set by a kept one
// of the same sums that costs no more. The tree so made has the sums of T and costs no more
// than T, so its priced cost (cost plus prices times sums) is not higher either: it is within
// the budget, up to the rounding of priced costs, for which callers leave room.
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

// Puts numbers of table rows, [row][action][1 + n_sums], on the first row of the problem that
// has the same codes. `codes` is column-major.
std::vector<std::int64_t> on_merged_rows(const Problem& problem,
                                         std::span<const std::int32_t> codes,
                                         std::span<const std::int64_t> values, std::size_t per_row);

// What holds for the rows of the problem, for each row of the table.
std::vector<std::int32_t> of_table_rows(const Problem& problem, std::span<const std::int32_t> codes,
                                        std::span<const std::int32_t> of_merged_rows);

class Frontier {
 public:
  virtual ~Frontier() = default;
  // False if a limit ended it: there is then nothing to be asked.
  virtual bool build(Limits& limits) = 0;
  virtual std::size_t size() const = 0;  // points of the whole table
  // The cost of a point, then its sums.
  virtual std::vector<std::int64_t> point(std::size_t i) const = 0;
  // A tree of a point, and the action of each row of the problem.
  virtual TreeDraft tree(std::size_t i, std::vector<std::int32_t>& actions) const = 0;
  virtual std::uint64_t n_points() const = 0;  // of all sets of rows
};

std::unique_ptr<Frontier> make_frontier(const Graph& graph, RowSums sums);

}  // namespace treeproof::near
