// Evaluates a branch from its counts, and finds its children under a test. Both best-first search
// and backtracking use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/options.hpp"
#include "data/literal_bits.hpp"

namespace treeproof::branches {

// The bounds of a branch from its counts alone, by Proposition 4.2.
struct Evaluation {
  Cost leaf = 0;
  Cost lower = 0;
  Weight weight = 0;
  bool complete = false;
  bool purified = false;  // complete because a leaf costs no more than one split
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
  // Only plans the layout of the bits; `fill` must be called before the first split.
  Splitter(const Problem& problem, const TreeLimits& tree_limits)
      : problem_(problem),
        split_cost_(treeproof::split_cost(tree_limits.split_penalty, problem.total_weight)),
        max_depth_(tree_limits.max_depth), min_samples_(tree_limits.min_samples_leaf),
        bits_(problem, tree_limits.min_samples_leaf > 1) {}

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
  // Appends the children of a branch with these rows under a test, as Child{outcome, value, ...}.
  // Returns false, and appends nothing, if the test does not split them: all rows are in one child,
  // or a child has too few.
  template <class Child>
  bool split(const RowSet& rows, const Counts& whole, std::int32_t test, std::int32_t depth,
             std::vector<Child>& children) {
    bits_.count_outcomes(rows, whole, test, counts_);
    const std::int32_t n = problem_.tests[static_cast<std::size_t>(test)].n_outcomes;
    const auto n_classes = static_cast<std::size_t>(problem_.n_classes);
    const std::size_t before = children.size();
    bool allowed = true;
    for (std::int32_t o = 0; o < n && allowed; ++o) {
      const auto outcome = static_cast<std::size_t>(o);
      const Weight* const by_class = counts_.weight.data() + outcome * n_classes;
      const std::int64_t samples = counts_.samples[outcome];
      if (std::all_of(by_class, by_class + n_classes, [](Weight w) { return w == 0; })) continue;
      allowed = min_samples_ <= 1 || samples >= min_samples_;
      children.push_back({o, evaluate(by_class, samples, depth + 1)});
    }
    allowed = allowed && children.size() - before >= 2;
    if (!allowed) children.resize(before);
    return allowed;
  }

 private:
  const Problem& problem_;
  Cost split_cost_;
  std::int32_t max_depth_;
  std::int64_t min_samples_;
  LiteralBits bits_;
  Counts counts_;
};

// The purification bound (Proposition 4.2): a branch that stays a leaf costs its errors;
// one that is split costs at least one split, were all its children pure. A branch whose
// errors cost no more than a split is therefore complete, and so is one that may not be
// split any more.
inline Evaluation Splitter::evaluate(const Weight* by_class, std::int64_t samples,
                                     std::int32_t depth) const {
  Evaluation value;
  Weight majority = 0;
  for (std::int32_t k = 0; k < problem_.n_classes; ++k) {
    value.weight += by_class[k];
    majority = std::max(majority, by_class[k]);
  }
  value.leaf = cost_of(value.weight - majority);
  value.lower = value.leaf;
  const bool splittable = depth != max_depth_ && (min_samples_ <= 1 || samples >= 2 * min_samples_);
  if (value.leaf <= split_cost_ || !splittable) {
    value.complete = true;
    value.purified = splittable;
  } else {
    value.lower = split_cost_;
  }
  return value;
}

}  // namespace treeproof::branches
