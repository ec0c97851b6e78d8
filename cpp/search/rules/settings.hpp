// The settings of a search over rules, and what its parts share.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/limits.hpp"
#include "search/result.hpp"
#include "search/rules/row_layout.hpp"

namespace treeproof::rules {

// Each of these can be switched off; the optimum must not change.
#define TREEPROOF_RULES_SWITCHES(X)                                           \
  X(sure_rows, "bound groups of roots by the rows whose side they agree on")  \
  X(survivors, "hand down only the second splits that can still pay off")     \
  X(several, "bound groups of roots by subproblems with two splits or more")  \
  X(incumbent, "look for a good tree before proving that there is no better") \
  X(distinct_rules, "restrict the rules of a subproblem to distinct partitions")

struct Settings {
  Cost split_cost = 0;
  int max_splits = 2;
  int max_depth = 64;
  LeafSize least_leaf;
  int n_threads = 1;
#define X(name, what) bool name = true;
  TREEPROOF_RULES_SWITCHES(X)
#undef X
};

// A tree over rules of the store: a leaf, or a rule with its positive and negative side.
struct Draft {
  std::int32_t rule = -1;
  std::vector<Draft> sides;

  bool is_leaf() const { return rule < 0; }
};

// No tree of a subproblem costs less than `lower`; `draft` costs `upper`.
struct Answer {
  Cost lower = 0;
  Cost upper = kInfiniteCost;
  Draft draft;
};

// How often each thing happened, for one thread.
#define TREEPROOF_RULES_COUNTERS(X)                                            \
  X(groups, "groups of roots that were split further or evaluated")            \
  X(cut_by_leaves, "groups closed because their leaves alone cost too much")   \
  X(cut_by_splits, "groups closed because no second split pays off")           \
  X(cut_by_subproblems, "groups closed because no two or more splits pay off") \
  X(solved_for_groups, "subproblems solved to bound a group")                  \
  X(dropped_splits, "second splits not handed down")                           \
  X(roots, "single rules evaluated as a root")                                 \
  X(subproblems, "subproblems solved for two splits or more")

struct Counters {
#define X(name, what) std::int64_t name = 0;
  TREEPROOF_RULES_COUNTERS(X)
#undef X
  void add(const Counters& other) {
#define X(name, what) name += other.name;
    TREEPROOF_RULES_COUNTERS(X)
#undef X
  }
};

// Limits are polled by one thread only; the others see the flag.
class Control {
 public:
  explicit Control(Limits& limits) : limits_(limits) {}

  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Ends the search in all threads.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  // Called by the thread that owns the limits.
  bool poll(std::uint32_t work) {
    if (limits_.stop(work)) stop();
    return stopped();
  }

 private:
  Limits& limits_;
  std::atomic<bool> stopped_{false};
};

// The approximate number of microseconds for scanning this many rules.
inline std::uint32_t scan_work(std::size_t n_rules, std::size_t n_words) {
  return static_cast<std::uint32_t>(1 + n_rules * n_words / 512);
}

// One thread's view.
struct Worker {
  Control& control;
  bool owns_limits = true;
  Counters counters;

  bool stop(std::uint32_t work) { return owns_limits ? control.poll(work) : control.stopped(); }
};

}  // namespace treeproof::rules
