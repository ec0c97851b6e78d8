// Random numeric problems solved by one thread and by several at once, for the thread
// sanitizer: the same optimum for labels and for numbers, stops in mid-search with true bounds,
// and tables without columns. Returns 0 if all is well.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "data/columns.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof {
namespace {

struct Numbers {
  Columns columns;
  std::vector<std::int32_t> labels;
  std::vector<double> targets;
  std::vector<Weight> weights;
  std::vector<double> real_weights;
};

Numbers random_numbers(std::mt19937& random, std::int32_t n_rows, std::int32_t n_features) {
  Numbers out;
  std::vector<Feature> features(static_cast<std::size_t>(n_features),
                                {FeatureKind::ordered, n_rows});
  std::vector<std::int32_t> codes;
  const auto any = [&] {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n_rows));
  };
  for (std::int32_t k = 0; k < n_rows * n_features; ++k) codes.push_back(any());
  for (std::int32_t r = 0; r < n_rows; ++r) {
    const bool rule =
        n_features > 1 && (codes[static_cast<std::size_t>(r)] > n_rows / 3) !=
                              (codes[static_cast<std::size_t>(r + n_rows)] > n_rows / 2);
    out.labels.push_back(random() % 4 == 0 ? static_cast<std::int32_t>(random() % 2) : rule);
    out.targets.push_back(rule ? 1.0 : 0.01 * static_cast<double>(any()));
    out.weights.push_back(1 + (n_rows % 2 == 0 ? r % 3 : 0));
    out.real_weights.push_back(static_cast<double>(out.weights.back()));
  }
  out.columns = sort_columns(std::move(features), codes, n_rows);
  return out;
}

struct Found {
  double lower, upper;
  StopReason stop;
};

enum class Task { labels, squared, absolute };

Found solve(const Numbers& numbers, Task task, const TreeLimits& tree, int threads,
            Limits& limits) {
  threshold::Switches switches;
  switches.n_threads = threads;
  switches.helpers_first = true;
  switches.common_rows_search = tree.max_depth < 0;
  const Observer ignore = [](const Event&) {};
  if (task == Task::labels) {
    std::int64_t total = 0;
    for (const Weight w : numbers.weights) total += w;
    const auto result =
        threshold::solve_labels(numbers.columns, {numbers.labels, 2, numbers.weights, total}, tree,
                                switches, limits, ignore);
    return {static_cast<double>(result.lower), static_cast<double>(result.upper), result.stop};
  }
  const threshold::Targets targets{numbers.targets, 1, numbers.real_weights};
  const Criterion criterion =
      task == Task::squared ? Criterion::squared_error : Criterion::absolute_error;
  const auto result =
      threshold::solve_targets(criterion, numbers.columns, targets, tree, switches, limits, ignore);
  return {result.lower, result.upper, result.stop};
}

bool one_optimum(std::mt19937& random) {
  for (int k = 0; k < 36; ++k) {
    const Task task = static_cast<Task>(k % 3);
    const Numbers numbers = random_numbers(random, 24 + k, 3);
    const double penalty = k % 4 == 0 ? 0.0 : 0.02;
    const bool cores = task == Task::labels && penalty > 0.0 && k % 2 == 1;
    const TreeLimits tree{penalty, cores ? -1 : k % 2 == 0 ? 3 : 4, -1, 1 + k % 5 / 4};
    double wanted = 0.0;
    for (int threads = 1; threads <= 4; ++threads) {
      Limits limits;
      const Found found = solve(numbers, task, tree, threads, limits);
      if (threads == 1) wanted = found.upper;
      if (found.lower == found.upper && std::abs(found.upper - wanted) <= 1e-9 * wanted) continue;
      std::printf("problem %d with %d threads: %.9g .. %.9g instead of %.9g\n", k, threads,
                  found.lower, found.upper, wanted);
      return false;
    }
  }
  return true;
}

bool all_stop(std::mt19937& random) {
  const Numbers numbers = random_numbers(random, 400, 8);
  for (int k = 0; k < 9; ++k) {
    int questions = 0;
    Limits limits(60.0, k % 3 == 2 ? 150'000 : 0, [&] { return ++questions > k; });
    const TreeLimits tree = k == 6 ? TreeLimits{0.02, -1, -1, 1} : TreeLimits{0.0, 5, -1, 1};
    const Found found = solve(numbers, static_cast<Task>(k % 3), tree, 3, limits);
    if (found.stop == StopReason::none || !(found.lower < found.upper)) return false;
  }
  return true;
}

bool no_columns(std::mt19937& random) {
  const Numbers numbers = random_numbers(random, 20, 0);
  for (const Task task : {Task::labels, Task::squared, Task::absolute}) {
    Limits limits;
    const Found found = solve(numbers, task, {0.01, 3, -1, 1}, 2, limits);
    if (found.lower != found.upper) return false;
  }
  return true;
}

int run() {
  std::mt19937 random(17);
  if (!one_optimum(random)) return 1;
  if (!all_stop(random)) return std::puts("threshold threads: not stopped as told"), 1;
  if (!no_columns(random)) return std::puts("threshold threads: no columns, no leaf"), 1;
  std::puts("threshold threads: 144 searches with one optimum each, 9 stopped as told");
  return 0;
}

}  // namespace
}  // namespace treeproof

int main() { return treeproof::run(); }
