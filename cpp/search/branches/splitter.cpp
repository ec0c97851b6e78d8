#include "search/branches/splitter.hpp"

#include <algorithm>

namespace treeproof::branches {

Splitter::Splitter(const Problem& problem, const TreeLimits& tree_limits)
    : problem_(problem),
      split_cost_(treeproof::split_cost(tree_limits.split_penalty, problem.total_weight)),
      max_depth_(tree_limits.max_depth),
      min_samples_(tree_limits.min_samples_leaf),
      bits_(problem, tree_limits.min_samples_leaf > 1) {}

// The purification bound (Proposition 4.2): a branch that stays a leaf costs its errors;
// one that is split costs at least one split, were all its children pure. A branch whose
// errors cost no more than a split is therefore complete, and so is one that may not be
// split any more.
Evaluation Splitter::evaluate(const Weight* by_class, std::int64_t samples,
                              std::int32_t depth) const {
  Evaluation value;
  Weight majority = 0;
  for (std::int32_t k = 0; k < problem_.n_classes; ++k) {
    value.weight += by_class[k];
    majority = std::max(majority, by_class[k]);
  }
  value.leaf = cost_of(value.weight - majority);
  value.lower = value.leaf;
  const bool splittable =
      depth != max_depth_ && (min_samples_ <= 1 || samples >= 2 * min_samples_);
  if (value.leaf <= split_cost_ || !splittable) {
    value.complete = true;
    value.purified = splittable;
  } else {
    value.lower = split_cost_;
  }
  return value;
}

bool Splitter::split(const RowSet& rows, const Counts& whole, std::int32_t test,
                     std::int32_t depth, std::vector<Outcome>& outcomes) {
  bits_.count_outcomes(rows, whole, test, counts_);
  const std::int32_t n = problem_.tests[static_cast<std::size_t>(test)].n_outcomes;
  const auto n_classes = static_cast<std::size_t>(problem_.n_classes);
  outcomes.clear();
  for (std::int32_t o = 0; o < n; ++o) {
    const auto outcome = static_cast<std::size_t>(o);
    const Weight* const by_class = counts_.weight.data() + outcome * n_classes;
    const std::int64_t samples = counts_.samples[outcome];
    if (std::all_of(by_class, by_class + n_classes, [](Weight w) { return w == 0; })) continue;
    if (min_samples_ > 1 && samples < min_samples_) return false;
    outcomes.push_back({o, evaluate(by_class, samples, depth + 1)});
  }
  return outcomes.size() >= 2;
}

}  // namespace treeproof::branches
