#include "search/portfolio/near_set.hpp"

#include <utility>

#include "core/memory.hpp"
#include "search/sparse/bounder.hpp"
#include "search/threshold/bounder.hpp"

namespace treeproof::portfolio {
namespace {

// What the graph and the counts may take: a quarter of the allowance, or of the machine.
std::uint64_t share_of_memory(std::uint64_t allowance) {
  return (allowance > 0 ? allowance : physical_memory()) / 4;
}

}  // namespace

NearSet::NearSet(Problem problem, std::vector<std::int32_t> columns, Cost split_cost, Cost budget,
                 const TreeLimits& tree_limits, NearBounds bounds, Limits& limits, bool expand_last)
    : problem_(std::move(problem)) {
  near::GraphLimits graph_limits;
  graph_limits.price = {split_cost, tree_limits.penalize == Penalize::leaves ? split_cost : 0};
  graph_limits.budget = budget;
  graph_limits.expand_last = expand_last;
  graph_limits.unlimited = sparse::Bounder::unlimited();
  graph_limits.min_samples_leaf = tree_limits.min_samples_leaf;
  graph_limits.max_bytes = share_of_memory(limits.memory_allowance());
  const bool by_threshold = bounds == NearBounds::chosen ? has_many_thresholds(tree_limits)
                                                         : bounds == NearBounds::threshold;
  if (by_threshold && tree_limits.max_depth >= 0)
    build<threshold::Bounder>(std::move(columns), graph_limits, tree_limits, limits);
  else build<sparse::Bounder>(std::move(columns), graph_limits, tree_limits, limits);
  reason_ = limits.reason();
}

// On Mroz (995 thresholds, depth 3) bounds over thresholds take an eighth of the time. They allow
// leaves of any size, so that with a minimum they are weaker than the sparse search's.
bool NearSet::has_many_thresholds(const TreeLimits& tree_limits) const {
  constexpr std::size_t kMany = 150;
  return tree_limits.min_samples_leaf == 1 && problem_.tests.size() > kMany;
}

template <class Bounder>
void NearSet::build(std::vector<std::int32_t> columns, near::GraphLimits graph_limits,
                    const TreeLimits& tree_limits, Limits& limits) {
  Bounder bounder(problem_, graph_limits.price.two_way, tree_limits, limits);
  graph_limits.depth = bounder.depth();
  graph_ = std::make_unique<near::Graph>(problem_, std::move(columns), graph_limits);
  graph_->build([&](const std::vector<std::int32_t>& rows, int depth_left,
                    Cost enough) { return bounder.lower(rows, depth_left, enough); },
                limits);
}

}  // namespace treeproof::portfolio
