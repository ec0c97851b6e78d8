// All trees within a budget of one table: the graph of their subproblems (search/near/graph.hpp),
// bounded by whichever exact search suits the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"
#include "loss/targets.hpp"
#include "search/near/graph.hpp"

namespace treeproof::portfolio {

// Which search computes the lower bounds that prune the graph. The choice changes how long it
// takes, never which trees the graph contains.
enum class NearBounds {
  chosen,     // chosen by the table and the limits
  sparse,     // any depth, any kind of column
  threshold,  // limited depth; its solver of two levels is fast over many thresholds
};

struct NearRules {
  Cost split_cost = 0;
  TreeLimits tree_limits;
  NearBounds bounds = NearBounds::chosen;
  bool expand_last = false;       // see near::GraphLimits
  std::int32_t root_column = -1;  // the column that the root must test; -1: any
};

// The tests of a table whose rows have no labels and are not merged, each of weight 1.
Problem unlabelled_problem(std::vector<Feature> features, std::span<const std::int32_t> codes,
                           std::int32_t n_rows);

// A table and the bounds that are known for its sets of rows; graphs for any budget are made from
// it.
class NearSearch {
 public:
  // `columns`: the column of the table that each feature of the problem stands for. The memory
  // allowance is for the whole process; a graph may take a quarter of it.
  NearSearch(Problem problem, std::vector<std::int32_t> columns, const NearRules& rules,
             std::uint64_t memory_allowance);
  // For regression: one row of the problem for each row of the targets. The depth must be limited.
  NearSearch(Problem problem, std::vector<std::int32_t> columns, const NearRules& rules,
             std::uint64_t memory_allowance, Criterion criterion, std::vector<double> targets,
             std::int32_t n_outputs, std::vector<double> weights);
  NearSearch(const NearSearch&) = delete;
  NearSearch& operator=(const NearSearch&) = delete;

  // The graph of all trees that cost at most the budget; it must not outlive the search.
  std::unique_ptr<near::Graph> build(Cost budget, Limits& limits);

  const Problem& problem() const { return problem_; }
  // A lower bound on the cost of every tree on these rows; it need not be raised beyond `enough`. A
  // negative depth means that the depth is not limited.
  Cost lower(const std::vector<std::int32_t>& rows, int depth, Cost enough, Limits& limits);

 private:
  bool has_many_thresholds(const TreeLimits& tree_limits) const;
  near::LeafRules leaf_rules(const NearRules& rules) const;
  void set_limits(const NearRules& rules, std::uint64_t memory_allowance, int depth);

  const Problem problem_;
  const near::RowBits rows_;
  const std::vector<std::int32_t> columns_;
  const std::vector<double> targets_, weights_;  // of a regression
  Limits limits_;                                // those of the graph that is being built
  std::unique_ptr<near::Leaves> leaves_;
  near::GraphLimits graph_limits_;
  near::LowerBound bound_;  // owns its search, with the bounds that it has stored
  near::Knowledge knowledge_;
};

}  // namespace treeproof::portfolio
