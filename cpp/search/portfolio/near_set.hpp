// All trees within a budget of one table: the graph of their subproblems (search/near/graph.hpp),
// bounded by whichever exact search suits the table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"
#include "search/near/graph.hpp"

namespace treeproof::portfolio {

// Whose lower bounds prune the graph. They change how long it takes, never what it holds.
enum class NearBounds {
  chosen,     // by the table and the limits
  sparse,     // any depth, any kind of column
  threshold,  // limited depth; its solver of two levels is fast over many thresholds
};

class NearSet {
 public:
  // `columns`: the column of the table that each feature of the problem stands for. `budget`: the
  // most that a tree may cost. The limits' memory allowance is for the whole process; the graph
  // may take a quarter of it.
  NearSet(Problem problem, std::vector<std::int32_t> columns, Cost split_cost, Cost budget,
          const TreeLimits& tree_limits, NearBounds bounds, Limits& limits,
          bool expand_last = false);

  const Problem& problem() const { return problem_; }
  const near::Graph& graph() const { return *graph_; }
  StopReason reason() const { return reason_; }

 private:
  bool has_many_thresholds(const TreeLimits& tree_limits) const;
  template <class Bounder>
  void build(std::vector<std::int32_t> columns, near::GraphLimits graph_limits,
             const TreeLimits& tree_limits, Limits& limits);

  Problem problem_;
  std::unique_ptr<near::Graph> graph_;
  StopReason reason_ = StopReason::none;
};

}  // namespace treeproof::portfolio
