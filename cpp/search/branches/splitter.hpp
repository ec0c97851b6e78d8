// What the counts of a branch say about it, and its children under a test. Both ways of
// searching, best-first and backtracking, ask here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/options.hpp"
#include "data/literal_bits.hpp"

namespace treeproof::branches {

// What Proposition 4.2 says of a branch from its counts alone.
struct Evaluation {
  Cost leaf = 0;
  Cost lower = 0;
  Weight weight = 0;
  bool complete = false;
  bool purified = false;  // complete because a leaf costs no more than one split
};

struct Outcome {
  std::int32_t number = 0;  // of the test's outcomes
  Evaluation value;
};

struct Counters {
  std::int64_t iterations = 0;
  std::int64_t expansions = 0;
  std::int64_t evaluations = 0;  // child branches whose rows were counted
  std::int64_t purified = 0;     // of these, closed by the purification bound at once
  std::int64_t memo_hits = 0;    // of these, known to the memo with better values
  std::int64_t refreshes = 0;    // actions brought up to date while backpropagating
  std::int64_t longest_path = 0;
  std::int64_t turned_to_backtracking = 0;  // 1: memory ended the best-first search
  std::int64_t backtracked = 0;             // branches expanded while backtracking
};

class Splitter {
 public:
  // `bits` need not be filled before the first split.
  Splitter(const Problem& problem, const TreeLimits& tree_limits);

  void fill() { bits_.fill(problem_); }
  const Problem& problem() const { return problem_; }
  LiteralBits& bits() { return bits_; }
  const LiteralBits& bits() const { return bits_; }
  Cost split_cost() const { return split_cost_; }
  std::int32_t n_tests() const { return static_cast<std::int32_t>(problem_.tests.size()); }

  Evaluation evaluate(const Weight* by_class, std::int64_t samples, std::int32_t depth) const;
  // Of a whole set of rows, counted in `whole`.
  Evaluation evaluate(const Counts& whole, std::int32_t depth) const {
    return evaluate(whole.weight.data(), whole.samples[0], depth);
  }
  // The outcomes of a test on these rows of a branch. False where the test is no split of
  // them: all rows in one child, or a child with too few.
  bool split(const RowSet& rows, const Counts& whole, std::int32_t test, std::int32_t depth,
             std::vector<Outcome>& outcomes);

 private:
  const Problem& problem_;
  Cost split_cost_;
  std::int32_t max_depth_;
  std::int64_t min_samples_;
  LiteralBits bits_;
  Counts counts_;
};

}  // namespace treeproof::branches
