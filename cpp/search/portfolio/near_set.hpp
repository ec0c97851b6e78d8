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

// Whose lower bounds prune the graph. They change how long it takes, never what it holds.
enum class NearBounds {
  chosen,     // by the table and the limits
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

// The tests of a table whose rows have no labels and stay apart, each of weight 1.
Problem unlabelled_problem(std::vector<Feature> features, std::span<const std::int32_t> codes,
                           std::int32_t n_rows);

// A table and what is known of its subproblems, from which sets of any budget are made.
class NearSearch {
 public:
  // `columns`: the column of the table that each feature of the problem stands for. The memory
  // allowance is for the whole process; a graph may take a quarter of it.
  NearSearch(Problem problem, std::vector<std::int32_t> columns, const NearRules& rules,
             std::uint64_t memory_allowance);
  // Numbers to predict: one row of the problem for each row of the targets. There has to be a limit
  // on the depth.
  NearSearch(Problem problem, std::vector<std::int32_t> columns, const NearRules& rules,
             std::uint64_t memory_allowance, Criterion criterion, std::vector<double> targets,
             std::int32_t n_outputs, std::vector<double> weights);
  NearSearch(const NearSearch&) = delete;
  NearSearch& operator=(const NearSearch&) = delete;

  // The graph of all trees that cost at most the budget; it must not outlive the search.
  std::unique_ptr<near::Graph> build(Cost budget, Limits& limits);

  const Problem& problem() const { return problem_; }
  // A lower bound on the cost of every tree on these rows, which need not exceed `enough`. A depth
  // below 0 stands for any depth.
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
  near::LowerBound bound_;  // keeps its search, and what that remembers
  near::Knowledge knowledge_;
};

}  // namespace treeproof::portfolio
