// The settings of the sparse search, and its counters.
#pragma once

#include <cstdint>
#include <string>

#include "bounds/prices/price_board.hpp"
#include "core/cost.hpp"

namespace treeproof::sparse {

// Every bound and every heuristic of the search can be switched off; the optimum must not change
// (the test suite runs all combinations). X(name, what it does)
#define TREEPROOF_SPARSE_SWITCHES(X)                                                  \
  X(lookahead, "pair counts: exact leaf and one-split cost of every child")           \
  X(admissible, "drop tests with a side too small to pay for a split")                \
  X(equal_tests, "keep one of several tests that part the rows alike")                \
  X(covering, "bound by the largest literal of each class")                           \
  X(rounding, "bound by whole numbers of splits and errors")                          \
  X(merging, "drop a split that costs more than giving its rows to one child's tree") \
  X(similarity, "bound a child by finished children that share most of its rows")     \
  X(similarity_leaf, "the same, with the rows not shared made a leaf")                \
  X(two_splits, "refute trees of exactly two splits before expanding a child")        \
  X(three_splits, "refute trees of exactly three splits before expanding a child")    \
  X(easy_first, "solve the child with the smaller upper bound first")                 \
  X(discrepancy, "look for good trees by limited discrepancy search")                 \
  X(prices, "bound a child by the prices of its rows")                                \
  X(triples, "triple counts: the best trees of depth two of all children at once")

struct Switches {
#define X(name, what) bool name = true;
  TREEPROOF_SPARSE_SWITCHES(X)
#undef X
};

#define TREEPROOF_SPARSE_COUNTERS(X) \
  X(expansions)                      \
  X(memo_hits)                       \
  X(memo_entries)                    \
  X(memo_evictions)                  \
  X(memo_bytes)                      \
  X(memory_bytes)                    \
  X(checkpoints)                     \
  X(checkpoint_failures)             \
  X(rounds)                          \
  X(admissible_dropped)              \
  X(equal_tests_dropped)             \
  X(lookahead_solved)                \
  X(covering_raised)                 \
  X(rounding_raised)                 \
  X(merging_dropped)                 \
  X(similarity_raised)               \
  X(similarity_leaf_raised)          \
  X(two_splits_raised)               \
  X(two_splits_solved)               \
  X(three_splits_raised)             \
  X(discrepancy_visits)              \
  X(discrepancy_improved)            \
  X(prices_raised)                   \
  X(triples_solved)

struct Counters {
#define X(name) std::int64_t name = 0;
  TREEPROOF_SPARSE_COUNTERS(X)
#undef X
};

// Deliberately unsound bounds for tests: the checkers must reject a proof that depends on one. They
// are never switched on outside the tests. X(name, what is wrong)
#define TREEPROOF_SPARSE_FAULTS(X)                                              \
  X(none, "nothing")                                                            \
  X(lookahead, "children get the cost of their best small tree as lower bound") \
  X(admissible, "a side must pay for eight splits")                             \
  X(covering, "one leaf too many is charged for")                               \
  X(rounding, "a unit of weight too much")                                      \
  X(merging, "the split saved is counted nine times")                           \
  X(similarity, "the rows not shared are free")                                 \
  X(similarity_leaf, "the split that parts the rows is free")                   \
  X(two_splits, "trees of four splits are taken for refuted too")               \
  X(forced, "forced errors count twice")                                        \
  X(last_split, "the last split looked at is forgotten")

enum class Fault {
#define X(name, what) name,
  TREEPROOF_SPARSE_FAULTS(X)
#undef X
};

struct Settings {
  Cost split_cost = 0;     // of a split with two children
  Cost further_child = 0;  // of each further child
  int max_depth = -1;
  std::int64_t min_samples_leaf = 1;
  Switches switches;
  int n_threads = 1;
  // for tests: start helpers at once, not only when a search proves long
  bool helpers_at_once = false;
  std::string kernel;  // empty: the best kernel for this machine
  Fault fault = Fault::none;
  Cost cutoff = kInfiniteCost;  // a lower bound of this much is enough
  // prices of the rows of the problem; null if there are none
  const prices::PriceBoard* prices = nullptr;
  bool cites_prices = false;  // proof steps may cite the prices, because they do not change

  bool has(Fault f) const { return fault == f; }
  SplitPrice<Cost> price() const { return {split_cost, further_child}; }
};

// No depth limit.
inline constexpr int kUnlimited = 1 << 20;

}  // namespace treeproof::sparse
