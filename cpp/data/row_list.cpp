#include "data/row_list.hpp"

#include <algorithm>
#include <numeric>

#include "core/index.hpp"

namespace treeproof {

Rows all_rows(const Problem& problem) {
  Rows rows(index(problem.n_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

Rows rows_with(const Problem& problem, const Rows& rows, const Test& test, std::int32_t outcome) {
  Rows part;
  for (const std::int32_t r : rows)
    if (problem.outcome(test, r) == outcome) part.push_back(r);
  return part;
}

Cost leaf_cost(const Problem& problem, const Rows& rows) {
  std::vector<std::int64_t> counts(index(problem.n_classes));
  std::int64_t total = 0;
  for (const std::int32_t r : rows) {
    counts[index(problem.label[index(r)])] += problem.weight[index(r)];
    total += problem.weight[index(r)];
  }
  return cost_of(total - *std::ranges::max_element(counts));
}

}  // namespace treeproof
