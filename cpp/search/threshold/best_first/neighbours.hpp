// What the bounds at the ends of an interval say about the cuts between them: which of these cuts
// the unit step settles, and what a new cut inherits (search.hpp states both rules).
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

// Removes from both ends of the interval the cuts which, by the unit step, cost at least the
// budget.
template <Loss L, class Terminal>
void Search<L, Terminal>::shrink(Frame& frame, const Item& item, Value budget, std::uint32_t& low,
                                 std::uint32_t& high) {
  const std::vector<Value>& before = frame.candidates[item.candidate].cumulative;
  const CutPoint& a = frame.points[item.a];
  const CutPoint& b = frame.points[item.b];
  const std::uint32_t was_low = low, was_high = high;
  const Value from_low = a.left + a.right - budget;
  const Value from_high = b.left + b.right - budget;
  if (from_low >= 0) {
    const auto beyond = std::ranges::upper_bound(before, before[a.position] + from_low);
    low = std::max(low, static_cast<std::uint32_t>(beyond - before.begin()));
  }
  if (from_high >= 0) {
    const auto within = std::ranges::lower_bound(before, before[b.position] - from_high);
    const auto first = static_cast<std::uint32_t>(within - before.begin());
    high = first == 0 ? 0 : std::min(high, first - 1);
  }
  if (low > was_low || high < was_high) {
    ++context_->counters->shrinks;
    piece(frame, item.candidate, penalty() + budget);
  }
}

template <Loss L, class Terminal>
std::uint32_t Search<L, Terminal>::middle(Frame& frame, const Item& item, Value budget) {
  const RootFeature& c = frame.candidates[item.candidate];
  const std::uint32_t min_leaf = frame.task->min_leaf;
  std::uint32_t low = std::max(frame.points[item.a].position + 1, min_leaf);
  std::uint32_t high = std::min(frame.points[item.b].position - 1, frame.size - min_leaf);
  if (!c.cumulative.empty()) shrink(frame, item, budget, low, high);
  if (low > high) return 0;
  const FeatureView view(*context_->columns, *frame.task->rows, c.feature);
  return view.nearest_boundary(low + (high - low) / 2, low, high);
}

// Returns lower bounds at a new cut x between a and b, for both sides and for each first feature of
// the children.
template <Loss L, class Terminal>
void Search<L, Terminal>::inherit(Frame& frame, const RootFeature& c, const CutPoint& a,
                                  const CutPoint& b, CutPoint& x) {
  Level& level = levels_[frame.level];
  const bool step = !c.cumulative.empty();
  const Value to_a = step ? c.cumulative[x.position] - c.cumulative[a.position] : Value{};
  const Value to_b = step ? c.cumulative[b.position] - c.cumulative[x.position] : Value{};
  x.left = a.left;
  x.right = b.right;
  if (step) {
    x.left = std::max(x.left, b.left - to_b);
    x.right = std::max(x.right, a.right - to_a);
  }
  // Cuts that are farther away may have better bounds. With a minimum leaf size, only the bounds of
  // seeds hold for all cuts.
  const std::size_t n = frame.task->min_leaf == 1 ? c.points.size() : c.n_seeds;
  for (std::size_t k = 0; k < n; ++k) {
    const CutPoint& other = frame.points[c.points[k]];
    if (other.position <= x.position) x.left = std::max(x.left, other.left);
    if (other.position >= x.position) x.right = std::max(x.right, other.right);
  }
  level.inherited_left.assign(n_features(), Value{});
  level.inherited_right.assign(n_features(), Value{});
  const auto take = [](std::vector<Value>& into, const std::vector<Value>& from, Value less) {
    for (std::size_t f = 0; f < from.size(); ++f) into[f] = std::max(into[f], from[f] - less);
  };
  take(level.inherited_left, a.left_features, Value{});
  take(level.inherited_right, b.right_features, Value{});
  if (step) {
    take(level.inherited_left, b.left_features, to_b);
    take(level.inherited_right, a.right_features, to_a);
  }
}

}  // namespace treeproof::threshold
