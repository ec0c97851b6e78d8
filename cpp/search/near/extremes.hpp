// The least sum of numbers of rows and splits that a tree within the budget has, and such a tree.
//
// Every row adds a number that depends on the class of its leaf, and every split adds a number:
// with 1 for each split the sum is the size of the tree; with 1 for each row whose class differs
// from a given prediction it is the distance to that prediction. For the greatest sum, callers
// negate.
//
// For every set of rows, a front holds the trees of which none is better in both cost and sum. A
// tree of the front of a parent is made of trees of its children's fronts: replacing the part on a
// child by one that costs no more and adds no more gives a tree that costs no more and adds no
// more. Trees with different marks (filter.hpp) are never compared. A split whose children are all
// leaves that predict the same is no tree of the set; therefore leaves are kept apart from other
// trees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/near/filter.hpp"
#include "search/near/graph.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

struct Sums {
  std::vector<std::int64_t> of_rows;  // [row of the problem][class]; empty: rows add nothing
  std::int64_t of_split = 0;
};

class Extremes {
 public:
  Extremes(const Graph& graph, const Filter& filter, Sums sums);

  // Returns false if a limit was reached.
  bool build(Limits& limits);
  // The least sum; nothing if no tree passes the filter.
  std::optional<std::int64_t> least() const;
  // The cheapest of the trees that have it, and what it costs.
  TreeDraft tree(Cost& cost) const;

 private:
  struct Point {
    Cost cost = 0;
    Marks marks;
    std::int64_t sum = 0;
    bool leaf = false;
    friend bool operator==(const Point&, const Point&) = default;
  };
  using Front = std::vector<Point>;  // leaves first, then by marks, cost

  std::int64_t sum_of(BitsView set, std::int32_t label) const;
  Front of_node(std::int32_t number, Limits& limits) const;
  void add_stumps(std::int32_t number, Front& out) const;
  Point stump_point(const Node& node, const Stump& stump) const;
  // Combinations of the first k children, for each k; `leaf` means that all of them are leaves.
  std::vector<Front> prefixes(const Edge& edge, Cost most, Limits& limits) const;
  Front combine(const Front& a, const Front& b, Cost most, Limits& limits) const;
  bool alike(const Edge& edge) const;
  const Point* best() const;
  TreeDraft draft(std::int32_t number, const Point& wanted) const;
  TreeDraft draft_split(const Edge& edge, const std::vector<Front>& prefix, Point wanted) const;

  const Graph& graph_;
  const Sums sums_;
  const FilteredTests filter_;
  std::vector<Front> fronts_;  // per node
};

}  // namespace treeproof::near
