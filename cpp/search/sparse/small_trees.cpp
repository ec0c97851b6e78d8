#include "search/sparse/small_trees.hpp"

#include <algorithm>
#include <numeric>

#include "core/index.hpp"

namespace treeproof::sparse {

Cost SmallTrees::split(const Rows& rows, const Test& test) {
  const auto n_outcomes = index(test.n_outcomes);
  const auto n_classes = index(problem_.n_classes);
  weight_.assign(n_outcomes * n_classes, 0);
  samples_.assign(n_outcomes, 0);
  for (const std::int32_t r : rows) {
    const std::size_t v = index(problem_.outcome(test, r));
    weight_[v * n_classes + index(problem_.label[index(r)])] += problem_.weight[index(r)];
    samples_[v] += problem_.samples[index(r)];
  }
  Cost cost = 0;
  std::int32_t occupied = 0;
  for (std::size_t v = 0; v < n_outcomes; ++v) {
    if (samples_[v] == 0) continue;
    ++occupied;
    if (samples_[v] < min_samples_leaf_) return kInfiniteCost;
    const auto first = weight_.begin() + static_cast<std::ptrdiff_t>(v * n_classes);
    const auto last = first + static_cast<std::ptrdiff_t>(n_classes);
    cost += cost_of(std::accumulate(first, last, std::int64_t{0}) - *std::max_element(first, last));
  }
  return occupied < 2 ? kInfiniteCost : cost + price_(occupied);
}

SmallTrees::Best SmallTrees::best(const Rows& rows) {
  Best found{leaf_cost(problem_, rows), -1};
  if (found.cost <= price_.two_way) return found;
  for (std::size_t t = 0; t < problem_.tests.size(); ++t) {
    const Cost cost = split(rows, problem_.tests[t]);
    if (cost < found.cost) found = {cost, static_cast<std::int32_t>(t)};
  }
  return found;
}

}  // namespace treeproof::sparse
