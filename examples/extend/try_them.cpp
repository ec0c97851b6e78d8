// The two examples at work; `tests/test_extending.py` compiles and runs this.
#include <cstdio>
#include <vector>

#include "class_count_bound.hpp"
#include "gamma_deviance.hpp"

int main() {
  using namespace treeproof;
  const std::vector<double> amounts{2.0, 2.0, 8.0, 1.0};
  const std::vector<double> weights{1.0, 2.0, 1.0, 1.0};
  const GammaDeviance loss(amounts, weights);
  auto tally = loss.tally();
  for (std::uint32_t row = 0; row < 2; ++row) loss.add(tally, row);
  const double equal = loss.value(tally);  // equal amounts: nothing is lost
  for (std::uint32_t row = 2; row < 4; ++row) loss.add(tally, row);
  const double all = loss.value(tally);

  // Three classes of weight 5, 3 and 1, a split costs 2: best is one split, losing 1.
  const Cost bound = bounds::class_count_bound({3, 5, 1}, cost_of(2));
  const auto least = static_cast<double>(bound) / static_cast<double>(cost_of(1));
  std::printf("%g %.6f %g\n", equal, all, least);
  return 0;
}
