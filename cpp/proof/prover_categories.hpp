// Columns of categories in a proof: every test is bounded by its own children (prover.hpp).
#pragma once

#include "proof/prover.hpp"

namespace treeproof::proof {

template <Loss L>
void Prover<L>::close_categories(Node& node, std::int32_t f, TreeBudget left, TreeBudget right,
                                 const FeatureView& view) {
  const std::uint32_t n = node.rows->size();
  for (std::uint32_t first = 0; first < n && !stopped();) {
    const std::uint32_t last = view.run_end(first);
    const auto code = static_cast<std::int32_t>(view.rank_at(first));
    const std::uint32_t size = last - first;
    const bool mirrored = columns_->n_values(f) == 2 && code == 1;  // its test is that of code 0
    if (size >= min_leaf_ && n - size >= min_leaf_ && !mirrored) {
      RowSubset inside, outside;
      partitioner_.cut_out(*node.rows, f, first, last, inside, outside);
      const std::int32_t test = first_test(f) + code;
      const Side yes{f, first, last, true, {test, 0}, 2, left};
      const Side no{f, first, last, false, {test, 1}, 2, right};
      const Value out = bound_side(node, outside, no, needed(node));
      if (!closed(node, out)) {
        const Value in = bound_side(node, inside, yes, needed(node) - out);
        if (!closed(node, in + out)) fail(node, in + out);
      }
    }
    first = last;
  }
}

template <Loss L>
void Prover<L>::close_multiway(Node& node, std::int32_t f, const FeatureView& view) {
  const std::vector<std::uint32_t> starts = view.runs();
  const int below = node.budget.below();
  const int k = node.budget.splits;
  if (k == 1 || below == 0) return;
  std::vector<RowSubset> parts;
  partitioner_.cut_runs(*node.rows, f, starts, parts);
  for (const RowSubset& part : parts)
    if (part.size() < min_leaf_) return;
  const Value further = context_->settings.price()(static_cast<std::int64_t>(parts.size())) -
                        split_cost_;  // for the children after the second
  // best[j]: the least sum of the bounds of the children examined so far, if they have j splits
  // together.
  std::vector<Value> best(static_cast<std::size_t>(std::max(k, 1)), Value{});
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const std::uint32_t last = c + 1 < parts.size() ? starts[c + 1] : node.rows->size();
    const auto code = static_cast<std::int32_t>(view.rank_at(starts[c]));
    std::vector<Value> next(best.size(), loss_->infinite());
    for (std::size_t j = 0; j < best.size(); ++j) {
      const TreeBudget budget{below, k < 0 ? -1 : static_cast<int>(j)};
      const Side side{f,     starts[c], last, true, {first_test(f), code}, columns_->n_values(f),
                      budget};
      const Value bound = bound_side(node, parts[c], side, needed(node) - further);
      for (std::size_t i = j; i < best.size(); ++i)
        next[i] = std::min(next[i], best[i - j] + bound);
    }
    best = std::move(next);
  }
  if (!closed(node, further + best.back())) fail(node, further + best.back());
}

}  // namespace treeproof::proof
