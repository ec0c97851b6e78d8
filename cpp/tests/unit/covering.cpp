// The terms of the covering and the rounding bound against a plain minimum over all k.
#include "bounds/covering.hpp"

#include <algorithm>

#include "bounds/rounding.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

Cost least_over_all_k(Cost penalty, std::int64_t n, std::int64_t g) {
  Cost least = cost_of(n);
  for (std::int64_t k = 1; k <= n + 1; ++k)
    least = std::min(least, penalty * k + cost_of(std::max<std::int64_t>(0, n - k * g)));
  return least;
}

Cost rounded_over_all_k(Cost penalty, Cost forced, Cost b, int k_min) {
  Cost least = kInfiniteCost;
  for (int k = k_min; k < k_min + 200; ++k)
    least =
        std::min(least, penalty * k + std::max(forced, bounds::round_up_to_unit(b - penalty * k)));
  return least;
}

}  // namespace

void test_covering(Report& report) {
  const Cost penalties[] = {1, kUnitCost / 3, kUnitCost, 3 * kUnitCost + 7, 40 * kUnitCost};
  for (const Cost penalty : penalties)
    for (std::int64_t n = 0; n <= 40; ++n)
      for (std::int64_t g = 1; g <= 12; ++g)
        report.expect(bounds::covering_term(penalty, n, g) == least_over_all_k(penalty, n, g));
  for (const Cost penalty : {kUnitCost / 3, kUnitCost, 3 * kUnitCost + 7})
    for (Cost b = 0; b <= 20 * kUnitCost; b += kUnitCost / 5 + 3)
      for (int k_min = 0; k_min <= 2; ++k_min)
        for (const Cost forced : {Cost{0}, 2 * kUnitCost}) {
          const Cost bound = bounds::rounding(penalty, forced, b, k_min);
          // Never above the true least cost, and no weaker than the bound it starts from.
          report.expect(bound <= rounded_over_all_k(penalty, forced, b, k_min));
          report.expect(bound >= b || bound >= penalty * k_min + forced);
        }
}

}  // namespace treeproof::unit
