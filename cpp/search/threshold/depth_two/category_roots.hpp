// Roots of trees of depth two that split a categorical column. Part of depth_two/depth_two.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "search/threshold/depth_two/depth_two.hpp"

namespace treeproof::threshold {

template <Loss L, class Lanes>
void DepthTwo<L, Lanes>::one_vs_rest(Candidate& c, const FeatureView& view) {
  Value lower = context_->loss->infinite();
  for (std::uint32_t first = 0; first < size_;) {
    const std::uint32_t last = view.run_end(first);
    if (last - first >= min_leaf_ && size_ - (last - first) >= min_leaf_) {
      if (stop(last - first)) return;
      lanes_->window(first, last);
      Point x = bound_cut(c, min_leaf_, min_leaf_, TestKind::equals, first, last);
      if (!closed(x.left + x.right)) {
        x.left = exact_side(c, Side::left, budget() - x.right);
        if (!closed(x.left + x.right)) x.right = exact_side(c, Side::right, budget() - x.left);
        if (!closed(x.left + x.right)) improve(c, TestKind::equals, first, last, x.left + x.right);
      }
      look(c, first, x);
      lower = std::min(lower, x.left + x.right);
    }
    // With two categories, it makes no difference which of them is separated from the other.
    first = first == 0 && task_->counted_cuts == nullptr && c.left_splits == c.right_splits &&
                    view.two_runs()
                ? size_
                : last;
  }
  raise_both(c, penalty() + lower);
}

// A root with one child for each category. If the number of splits is limited, the children that
// gain most from a second split get one.
template <Loss L, class Lanes>
void DepthTwo<L, Lanes>::multiway(Candidate& c, const FeatureView& view) {
  const std::vector<std::uint32_t> starts = view.runs();
  MultiwayCost<Value> sum = context_->settings.multiway();
  gains_.clear();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::uint32_t last = k + 1 < starts.size() ? starts[k + 1] : size_;
    if (last - starts[k] < min_leaf_) {
      c.lower = c.own = context_->loss->infinite();
      return;
    }
    if (stop(last - starts[k])) return;
    lanes_->window(starts[k], last);
    look(c, starts[k], {last, Value{}, Value{}});
    const Value leaf = lanes_->leaf(Side::left);
    Value cost = leaf;
    if (c.left_splits) {
      lanes_->bounds(min_leaf_, 1, *context_->counters);
      cost = exact_side(c, Side::left, leaf);
      gains_.push_back(leaf - cost);
    }
    sum.add(cost, weight_of(starts[k], last));
  }
  std::ranges::sort(gains_, std::greater<>());
  Value total = sum.total();
  for (auto k = static_cast<std::size_t>(std::max(task_->splits - 1, 0)); k < gains_.size(); ++k)
    total += gains_[k];
  improve(c, TestKind::multiway, 0, size_, total - penalty());
  raise_both(c, total);
}

}  // namespace treeproof::threshold
