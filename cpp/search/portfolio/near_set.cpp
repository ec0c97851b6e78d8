#include "search/portfolio/near_set.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/memory.hpp"
#include "search/sparse/subset_bound.hpp"
#include "search/threshold/subset_bound.hpp"
#include "search/threshold/target_subset_bound.hpp"

namespace treeproof::portfolio {
namespace {

// What the graph and the counts may take together: a quarter of the memory allowance, or of the
// machine.
std::uint64_t share_of_memory(std::uint64_t allowance) {
  return (allowance > 0 ? allowance : physical_memory()) / 4;
}

SplitPrice<Cost> price_of(const NearRules& rules) {
  return {rules.split_cost, rules.tree_limits.penalize == Penalize::leaves ? rules.split_cost : 0};
}

}  // namespace

// With a label of its own no row is merged with another, and rows keep their order.
Problem unlabelled_problem(std::vector<Feature> features, std::span<const std::int32_t> codes,
                           std::int32_t n_rows) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(n_rows));
  std::iota(labels.begin(), labels.end(), 0);
  const std::vector<double> weights(labels.size(), 1.0);
  Problem problem = make_problem(std::move(features), codes, labels, n_rows, weights);
  problem.label.assign(labels.size(), 0);
  problem.n_classes = 1;
  return problem;
}

NearSearch::NearSearch(Problem problem, std::vector<std::int32_t> columns, const NearRules& rules,
                       std::uint64_t memory_allowance)
    : problem_(std::move(problem)), rows_(problem_), columns_(std::move(columns)) {
  leaves_ = near::class_leaves(problem_, leaf_rules(rules));
  const bool by_threshold = rules.bounds == NearBounds::chosen
                                ? has_many_thresholds(rules.tree_limits)
                                : rules.bounds == NearBounds::threshold;
  const auto bound_by = [&](auto bound_of_subset) {
    bound_ = [bound_of_subset](const std::vector<std::int32_t>& rows, int depth_left, Cost enough) {
      return bound_of_subset->lower(rows, depth_left, enough);
    };
    set_limits(rules, memory_allowance, bound_of_subset->depth());
    graph_limits_.unit_step = !has_wide(problem_.features);
  };
  // The bound of at most k splits would be sharper, but subproblems have fewer than k left.
  TreeLimits any_size = rules.tree_limits;
  any_size.max_splits = -1;
  if (by_threshold && any_size.max_depth >= 0)
    bound_by(
        std::make_shared<threshold::SubsetBound>(problem_, rules.split_cost, any_size, limits_));
  else
    bound_by(std::make_shared<sparse::SubsetBound>(problem_, rules.split_cost, any_size, limits_));
}

NearSearch::NearSearch(Problem problem, std::vector<std::int32_t> columns, const NearRules& rules,
                       std::uint64_t memory_allowance, Criterion criterion,
                       std::vector<double> targets, std::int32_t n_outputs,
                       std::vector<double> weights)
    : problem_(std::move(problem)), rows_(problem_), columns_(std::move(columns)),
      targets_(std::move(targets)), weights_(std::move(weights)) {
  const Targets given{targets_, n_outputs, weights_};
  leaves_ = near::target_leaves(problem_, leaf_rules(rules), criterion, given);
  const double penalty = static_cast<double>(rules.split_cost) / near::kTargetUnit;
  const std::shared_ptr<threshold::TargetSubsetBound> bound_of_subset =
      threshold::make_target_subset_bound(problem_, criterion, given, penalty, rules.tree_limits,
                                          limits_);
  // Sums are added in another order there, and a bound counts as reached within a tolerance.
  constexpr double kSlack = 1e-10;
  bound_ = [bound_of_subset](const std::vector<std::int32_t>& rows, int depth_left, Cost enough) {
    const double most = static_cast<double>(enough) / near::kTargetUnit + 2 * kSlack;
    const double lower = bound_of_subset->lower(rows, depth_left, most) - kSlack;
    return static_cast<Cost>(std::floor(std::max(lower, 0.0) * near::kTargetUnit));
  };
  set_limits(rules, memory_allowance, rules.tree_limits.max_depth);
}

near::LeafRules NearSearch::leaf_rules(const NearRules& rules) const {
  return {near::tests_by_column(problem_, columns_), price_of(rules),
          rules.tree_limits.min_samples_leaf};
}

void NearSearch::set_limits(const NearRules& rules, std::uint64_t memory_allowance, int depth) {
  graph_limits_.price = price_of(rules);
  graph_limits_.depth = depth;
  graph_limits_.unlimited = sparse::SubsetBound::unlimited();
  graph_limits_.min_samples_leaf = rules.tree_limits.min_samples_leaf;
  graph_limits_.max_bytes = share_of_memory(memory_allowance);
  graph_limits_.expand_last = rules.expand_last;
  graph_limits_.root_column = rules.root_column;
}

std::unique_ptr<near::Graph> NearSearch::build(Cost budget, Limits& limits) {
  limits_ = limits;
  auto graph = std::make_unique<near::Graph>(problem_, rows_, columns_, *leaves_, graph_limits_);
  graph->build(budget, knowledge_, bound_, limits_);
  limits = limits_;
  return graph;
}

Cost NearSearch::lower(const std::vector<std::int32_t>& rows, int depth, Cost enough,
                       Limits& limits) {
  limits_ = limits;
  const Cost found = bound_(rows, depth < 0 ? graph_limits_.unlimited : depth, enough);
  limits = limits_;
  return found;
}

// On Mroz (995 thresholds, depth 3) bounds over thresholds take an eighth of the time. They allow
// leaves of any size, so that with a minimum they are weaker than the sparse search's.
bool NearSearch::has_many_thresholds(const TreeLimits& tree_limits) const {
  constexpr std::size_t kMany = 150;
  return tree_limits.min_samples_leaf == 1 && problem_.tests.size() > kMany;
}

}  // namespace treeproof::portfolio
