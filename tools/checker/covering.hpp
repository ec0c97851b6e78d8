// The covering bound: a lower bound for trees with at least two splits.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "here.hpp"
#include "table.hpp"

namespace checker {

// Every leaf is in a child of the first test, which is admissible, so a leaf classifies at most
// weight `largest` of its class correctly; j leaves need j - 1 splits.
template <class Loss>
typename Loss::Cost covering(const Loss& loss, const Here& here,
                             const Table<typename Loss::Number>& part,
                             const typename Loss::RowSums& sums, typename Loss::Cost split_cost,
                             std::int64_t min_samples_leaf) {
  using Cost = typename Loss::Cost;
  const auto fewest = static_cast<std::int32_t>(min_samples_leaf);
  const auto light = static_cast<std::int32_t>(std::min<Cost>(split_cost / Loss::kUnit, 1 << 30));
  std::vector<std::size_t> good;  // tests that divide the rows and are admissible
  for (const Here::View& view : here.views()) {
    for (std::size_t t = view.begin; t <= view.last_test; ++t) {
      const std::size_t no = t + view.stride;
      const bool splits = std::min(part.count()[t], part.count()[no]) >= fewest;
      if (splits && std::min(part.most[t], part.most[no]) > light) good.push_back(t);
    }
  }
  Cost cover = -split_cost;
  for (std::size_t c = 0; c < loss.n_classes(); ++c) {
    const std::int32_t *yes = sums.yes(c), weight = sums.total(c);
    std::int32_t largest = 0;
    for (const std::size_t t : good) largest = std::max({largest, yes[t], weight - yes[t]});
    Cost cheapest = loss.cost(weight);
    // More leaves only pay if a leaf classifies more weight correctly than a split costs. Then the
    // best number of leaves is weight / largest, rounded down or up, so that no product overflows.
    if (loss.cost(largest) > split_cost) {
      const Cost j = weight / largest;
      cheapest = std::min(
          {cheapest, split_cost * (j + 1), split_cost * j + loss.cost(weight - j * largest)});
    }
    cover += cheapest;
  }
  return cover;
}

}  // namespace checker
