// The cost of a split with one child for each category, computed from single categories and from
// sums over many of them.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/cost.hpp"
#include "search/threshold/multiway_cost.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

using threshold::MultiwayCost;

// What `MultiwayCost::saving` needs, from the weights that the children get right.
Cost saving(const MultiwayCost<Cost>& prices, const std::vector<std::int16_t>& weights) {
  const auto least = prices.least_weight<std::int16_t>();
  Cost sum = 0;
  std::int64_t number = 0;
  Cost first = 0, second = 0;
  for (const std::int16_t weight : weights) {
    second = std::max(second, std::min(first, cost_of(weight)));
    first = std::max(first, cost_of(weight));
    if (weight <= least) continue;
    sum += cost_of(weight);
    ++number;
  }
  return prices.saving(sum, number, first, second);
}

}  // namespace

void test_multiway(Report& report) {
  std::mt19937 random(5);
  for (int round = 0; round < 2'000; ++round) {
    const auto price = static_cast<Cost>(random() % 12) * (kUnitCost / 2) + (round % 3);
    const SplitPrice<Cost> split(cost_of(3), price);
    for (const bool may_leave_out : {false, true}) {
      MultiwayCost<Cost> children(split, may_leave_out);
      std::vector<std::int16_t> weights(2 + random() % 7);
      for (std::int16_t& weight : weights) weight = static_cast<std::int16_t>(1 + random() % 9);
      const MultiwayCost<Cost> prices = children;
      for (const std::int16_t weight : weights) children.add(-cost_of(weight), 0);
      report.expect(-saving(prices, weights) == children.total());
    }
  }
  const MultiwayCost<Cost> dearest({0, SplitPrice<Cost>::kDearest}, true);
  report.expect(saving(dearest, {5, 4, 3}) == cost_of(9));  // no third child
}

}  // namespace treeproof::unit
