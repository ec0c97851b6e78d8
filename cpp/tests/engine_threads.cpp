// Searches of several engines in threads of their own, for the thread sanitizer.
//
// They share what a process shares: read-only problems and the flag that stops them. First
// all engines solve the same small problems at once and must find the optimum that the
// sparse engine finds alone; then they search a hard problem until another thread sets the
// flag, and must come back with true bounds. Returns 0 if all is well.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "data/columns.hpp"
#include "search/branches/solve.hpp"
#include "search/miner/solve.hpp"
#include "search/sparse/solve.hpp"
#include "search/threshold/solve.hpp"
#include "tests/random_table.hpp"

namespace treeproof {
namespace {

struct Bounds {
  Cost lower = 0;
  Cost upper = 0;
  StopReason stop = StopReason::none;
};

// A table in the forms that the engines read; never changed once it is made.
struct Shared {
  explicit Shared(const tests::RandomTable& made)
      : table(made), problem(made.problem()),
        columns(
            sort_columns(made.features, made.codes, static_cast<std::int32_t>(made.labels.size()))),
        weights(made.labels.size(), 1) {}

  tests::RandomTable table;
  Problem problem;
  Columns columns;
  std::vector<Weight> weights;
};

const Observer kIgnore = [](const Event&) {};

Bounds of(const SearchResult& result) { return {result.lower, result.upper, result.stop}; }

Bounds sparse_search(const Shared& shared, const TreeLimits& tree, Limits& limits) {
  return of(sparse::solve(shared.problem, tree, {}, limits, kIgnore));
}

Bounds sparse_crew(const Shared& shared, const TreeLimits& tree, Limits& limits) {
  sparse::Options options;
  options.n_threads = 2;
  options.helpers_at_once = true;
  return of(sparse::solve(shared.problem, tree, options, limits, kIgnore));
}

Bounds branches_search(const Shared& shared, const TreeLimits& tree, Limits& limits) {
  return of(branches::solve(shared.problem, tree, limits, kIgnore));
}

Bounds miner_search(const Shared& shared, const TreeLimits& tree, Limits& limits) {
  return of(miner::solve(shared.problem, tree, limits, kIgnore));
}

Bounds threshold_search(const Shared& shared, const TreeLimits& tree, Limits& limits) {
  const auto total = static_cast<std::int64_t>(shared.weights.size());
  const auto result = threshold::solve_labels(
      shared.columns, {shared.table.labels, shared.table.n_classes, shared.weights, total}, tree,
      {}, limits, kIgnore);
  return {result.lower, result.upper, result.stop};
}

using Search = Bounds (*)(const Shared&, const TreeLimits&, Limits&);
constexpr Search kSearches[] = {sparse_search, sparse_crew,   branches_search,  threshold_search,
                                miner_search,  sparse_search, threshold_search, sparse_crew};

// Runs every search in a thread of its own.
std::vector<Bounds> together(const Shared& shared, const TreeLimits& tree,
                             const std::atomic<bool>& stop) {
  std::vector<Bounds> found(std::size(kSearches));
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < found.size(); ++k)
    threads.emplace_back([&, k] {
      Limits limits(60.0, 0, [&stop] { return stop.load(); });
      found[k] = kSearches[k](shared, tree, limits);
    });
  for (std::thread& thread : threads) thread.join();
  return found;
}

bool one_optimum() {
  std::mt19937 random(11);
  const std::atomic<bool> never = false;
  for (int k = 0; k < 12; ++k) {
    const Shared shared(tests::random_table(random, 30 + 3 * k, 4, k % 3 == 2));
    const TreeLimits tree{0.02, k % 2 == 0 ? 2 : 3, -1, 1};
    Limits limits;
    const Cost wanted = sparse_search(shared, tree, limits).upper;
    for (const Bounds& found : together(shared, tree, never))
      if (found.lower != wanted || found.upper != wanted) return false;
  }
  return true;
}

bool all_stop() {
  std::mt19937 random(13);
  const Shared shared(tests::random_table(random, 600, 40, false));
  for (int k = 0; k < 3; ++k) {
    std::atomic<bool> stop = false;
    std::thread button([&stop, k] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100 * k));
      stop = true;
    });
    const std::vector<Bounds> found = together(shared, {0.0005, -1, -1, 1}, stop);
    button.join();
    for (const Bounds& bounds : found)
      if (bounds.stop != StopReason::interrupted || bounds.lower > bounds.upper) return false;
  }
  return true;
}

int run() {
  if (!one_optimum()) return std::puts("engines in threads: optima differ"), 1;
  if (!all_stop()) return std::puts("engines in threads: not all stopped as told"), 1;
  std::puts("engines in threads: 96 searches with one optimum each, 24 stopped as told");
  return 0;
}

}  // namespace
}  // namespace treeproof

int main() { return treeproof::run(); }
