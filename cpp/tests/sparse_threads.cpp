// Random problems solved by one thread and by several at once, for the thread sanitizer:
// same optimum, and every step a thread cites was told before. Returns 0 if all is well.
// `make sanitize-threads` builds and runs it.
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

#include "search/sparse/solve.hpp"
#include "tests/random_table.hpp"

namespace treeproof {
namespace {

// Checks that citations point backwards to steps that are strong enough.
class Auditor : public StepListener {
 public:
  void begin(Cost) override { best_.clear(); }
  void step(const Step& step) override {
    for (const Use& use : *step.uses)
      for (const Citation& c : use.citations)
        if (!c.by_expansion && best_[c.key] < c.bound) sound = false;
    Cost& best = best_[step.key];
    best = std::max(best, step.bound);
  }
  bool sound = true;

 private:
  std::unordered_map<Key, Cost, KeyHash> best_;
};

int run() {
  std::mt19937 random(7);
  for (int k = 0; k < 30; ++k) {
    const auto n_rows = 60 + static_cast<std::int32_t>(random() % 60);
    const auto n_features = 6 + static_cast<std::int32_t>(random() % 3);
    const Problem problem = tests::random_table(random, n_rows, n_features, k % 3 == 2).problem();
    TreeLimits tree_limits{0.004, k % 4 == 3 ? 4 : -1, k % 10 == 9 ? 5 : -1, 1};
    sparse::Options options;
    options.helpers_at_once = true;
    // The bounds that settle small problems at once are off: there must be work to share.
    options.switches.two_splits = false;
    options.switches.lookahead = k % 2 == 0;
    const std::uint64_t bytes = k % 5 == 4 ? 60'000 : 0;  // a memo that has to forget
    Cost wanted = -1;
    for (int threads = 1; threads <= 4; ++threads) {
      options.n_threads = threads;
      Limits limits(0.0, bytes);
      Auditor auditor;
      const bool told = (k + threads) % 2 == 0;
      const SearchResult result =
          sparse::solve(problem, tree_limits, options, limits, {}, told ? &auditor : nullptr);
      if (threads == 1) wanted = result.upper;
      if (result.optimal() && result.upper == wanted && auditor.sound) continue;
      std::printf("problem %d with %d threads: %lld .. %lld instead of %lld%s\n", k, threads,
                  static_cast<long long>(result.lower), static_cast<long long>(result.upper),
                  static_cast<long long>(wanted), auditor.sound ? "" : ", unsound steps");
      return 1;
    }
  }
  std::puts("sparse threads: 120 searches, one optimum each");
  return 0;
}

}  // namespace
}  // namespace treeproof

int main() { return treeproof::run(); }
