// The two examples at work; `tests/test_extending.py` compiles and runs this.
#include <cstdio>
#include <vector>

#include "class_count_bound.hpp"
#include "cost_matrix.hpp"

int main() {
  using namespace treeproof;
  const std::vector<std::int32_t> labels{0, 0, 0, 1};
  const std::vector<Weight> weights{1, 1, 1, 1};
  // Missing class 1 costs five times as much as missing class 0.
  const CostMatrix loss(labels, weights, {{0, 100}, {500, 0}});
  auto tally = loss.tally();
  for (std::uint32_t row = 0; row < 4; ++row) loss.add(tally, row);
  const auto all = static_cast<double>(loss.value(tally)) / static_cast<double>(cost_of(1));
  loss.remove(tally, 3);
  const auto pure = static_cast<double>(loss.value(tally)) / static_cast<double>(cost_of(1));

  // Three classes of weight 5, 3 and 1, a split costs 2: best is one split, losing 1.
  const Cost bound = bounds::class_count_bound({3, 5, 1}, cost_of(2));
  const auto least = static_cast<double>(bound) / static_cast<double>(cost_of(1));
  std::printf("%g %g %g\n", all, pure, least);
  return 0;
}
