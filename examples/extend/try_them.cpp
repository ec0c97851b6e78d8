// The two examples at work; `make build` compiles this, and `tests/test_extending.py` runs it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "class_count_bound.hpp"
#include "gamma_deviance.hpp"
#include "search/threshold/best_first/search.hpp"
#include "search/threshold/depth_two/terminal.hpp"
#include "search/threshold/make_settings.hpp"

namespace treeproof {
namespace {

constexpr std::size_t kRows = 12, kColumns = 3;
constexpr std::int32_t kValues = 4;

struct Table {
  std::array<std::int32_t, kRows * kColumns> codes;  // one column after the other
  std::vector<double> amounts, weights;
};

// Numbers that look random, so that there are many different tables.
Table make_table(std::uint32_t seed) {
  Table table;
  std::uint32_t state = seed;
  const auto next = [&](std::uint32_t n) {
    return (state = state * 1664525 + 1013904223) / 65536 % n;
  };
  for (std::int32_t& code : table.codes) code = static_cast<std::int32_t>(next(kValues));
  for (std::size_t r = 0; r < kRows; ++r) {
    table.amounts.push_back(1.0 + next(40));
    table.weights.push_back(1.0 + next(3));
  }
  return table;
}

double loss_of(const GammaDeviance& loss, const std::vector<std::uint32_t>& rows) {
  auto tally = loss.tally();
  for (const std::uint32_t row : rows) loss.add(tally, row);
  return loss.value(tally);
}

// The least cost of a tree on some rows, by trying every split.
double brute_force(const Table& table, const GammaDeviance& loss, double penalty, int depth,
                   const std::vector<std::uint32_t>& rows) {
  double best = loss_of(loss, rows);
  if (depth == 0) return best;
  for (std::size_t f = 0; f < kColumns; ++f)
    for (std::int32_t cut = 0; cut + 1 < kValues; ++cut) {
      std::vector<std::uint32_t> left, right;
      for (const std::uint32_t row : rows)
        (table.codes[f * kRows + row] <= cut ? left : right).push_back(row);
      if (left.empty() || right.empty()) continue;
      best = std::min(best, penalty + brute_force(table, loss, penalty, depth - 1, left) +
                                brute_force(table, loss, penalty, depth - 1, right));
    }
  return best;
}

// The optimum that the search over thresholds proves for this loss.
double searched(const Table& table, const GammaDeviance& loss, double penalty, int depth) {
  using Terminal = threshold::StumpTerminal<GammaDeviance>;
  const std::vector<Feature> features(kColumns, {FeatureKind::ordered, kValues});
  const Columns columns = sort_columns(features, table.codes, kRows);
  Limits limits;
  threshold::Counters counters;
  const TreeLimits trees{penalty, depth, -1, 1, Penalize::splits, false};
  const auto context = threshold::context_for(columns, loss, trees, threshold::Switches{}, penalty,
                                              limits, counters);
  threshold::StumpSolver<GammaDeviance> stumps(columns, loss);
  Terminal terminal(context, stumps);
  threshold::Search<GammaDeviance, Terminal> search(context, terminal, stumps);
  const RowSubset rows = RowSubset::whole(columns);
  const auto& settings = context.settings;
  const auto answer = search.solve(
      {&rows, loss.infinite(), settings.max_depth, settings.max_splits, settings.min_leaf, {}, {}});
  return answer.lower == answer.upper ? answer.upper : loss.infinite();
}

// The largest difference between the search and brute force over many tables.
double largest_difference() {
  double largest = 0.0;
  std::vector<std::uint32_t> all(kRows);
  for (std::uint32_t r = 0; r < kRows; ++r) all[r] = r;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    Table table = make_table(seed);
    const double whole = loss_of(GammaDeviance(table.amounts, table.weights), all);
    for (double& weight : table.weights) weight /= whole;  // so that a single leaf costs 1
    const GammaDeviance loss(table.amounts, table.weights);
    const int depth = 1 + static_cast<int>(seed % 3);
    const double penalty = 0.02 * static_cast<double>(seed % 4);
    largest = std::max(largest, std::abs(searched(table, loss, penalty, depth) -
                                         brute_force(table, loss, penalty, depth, all)));
  }
  return largest;
}

}  // namespace
}  // namespace treeproof

int main() {
  using namespace treeproof;
  const std::vector<double> amounts{2.0, 2.0, 8.0, 1.0};
  const std::vector<double> weights{1.0, 2.0, 1.0, 1.0};
  const GammaDeviance loss(amounts, weights);
  const double equal = loss_of(loss, {0, 1});  // equal amounts: nothing is lost
  const double all = loss_of(loss, {0, 1, 2, 3});

  // Three classes of weight 5, 3 and 1, a split costs 2: best is one split, losing 1.
  const Cost bound = bounds::class_count_bound({3, 5, 1}, cost_of(2));
  const auto least = static_cast<double>(bound) / static_cast<double>(cost_of(1));
  std::printf("%g %.6f %g %g\n", equal, all, least, largest_difference());
  return 0;
}
