// Opens a piece of work of the best-first search: an interval at the cut in its middle, a single
// cut, or a category. Values are read again after each child is solved, since other threads may
// have raised a bound or found a better tree in the meantime. A cut-off that was computed from an
// older, more expensive tree is still valid; it only proves more than necessary.
#pragma once

#include "search/threshold/best_first/search.hpp"
#include "search/threshold/relaxed_minimum.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
bool Search<L, Terminal>::open(Frame& frame, const Item& item) {
  switch (kind(frame.candidates[item.candidate].feature)) {
    case FeatureKind::ordered:
      if (item.a == item.b) return open_cut(frame, item);
      return staged(frame) ? open_staged(frame, item) : open_interval(frame, item);
    case FeatureKind::one_vs_rest: return open_category(frame, item);
    case FeatureKind::multiway: return open_multiway(frame, item);
  }
  return true;
}

template <Loss L, class Terminal>
bool Search<L, Terminal>::open_interval(Frame& frame, const Item& item) {
  // Long: both sides are solved, in either order, between the same two ends of the interval.
  const RootFeature& c = frame.candidates[item.candidate];
  const std::uint32_t min_leaf = frame.task->min_leaf;
  const Value budget = frame.best - penalty();
  const CutPoint& a = frame.points[item.a];
  const CutPoint& b = frame.points[item.b];
  const std::uint32_t p = middle(frame, item, budget);
  if (p == 0) return true;

  const std::size_t x = new_point(frame, item.candidate, p);
  CutPoint& point = frame.points[x];
  inherit(frame, c, a, b, point);
  const std::uint32_t min_left = relaxed_minimum(min_leaf, b.position - p);
  const std::uint32_t min_right = relaxed_minimum(min_leaf, p - a.position);
  Level& level = levels_[frame.level];
  cut(frame, c.feature, 0, p);
  Answer<Value> left, right;
  const auto solve_left = [&] {
    left = side(frame, c, true, min_left, budget - b.right, point.left);
    if (left.lower + b.right >= budget) ++context_->counters->cutoffs;
    point.left = std::max(point.left, left.lower);
  };
  const auto solve_right = [&] {
    right = side(frame, c, false, min_right, budget - a.left, point.right);
    if (right.lower + a.left >= budget) ++context_->counters->cutoffs;
    point.right = std::max(point.right, right.lower);
  };
  point.solved = true;
  if (2 * p >= frame.size) {
    solve_left();
    if (!context_->limits->stop(0)) solve_right();
  } else {
    solve_right();
    if (!context_->limits->stop(0)) solve_left();
  }
  const bool exact = min_left == min_leaf && min_right == min_leaf;
  if (exact && left.found && right.found) join(frame, c, TestKind::threshold, 0, p, left, right);
  if (context_->limits->reason() != StopReason::none) return false;

  if (settings().use_inheritance) {
    point.left_features = level.out_left;
    point.right_features = level.out_right;
  }
  const Value here = penalty() + point.left + point.right;
  if (exact && left.found && right.found) {
    piece(frame, item.candidate, here);
  } else if (exact) {  // one side reached its cut-off, so the cut is no better than the best tree
    wait(frame, {std::max(here, frame.best), item.candidate, x, x});
  } else {  // these values are relaxed; a separate point gets the true ones
    const std::size_t own = new_point(frame, item.candidate, p);
    frame.points[own].left = frame.points[x].left;
    frame.points[own].right = frame.points[x].right;
    wait(frame, {here, item.candidate, own, own});
  }
  push(frame, item, item.a, x);
  push(frame, item, x, item.b);
  return true;
}

// Opens a single cut with the true minimum leaf size.
template <Loss L, class Terminal>
bool Search<L, Terminal>::open_cut(Frame& frame, const Item& item) {
  const RootFeature& c = frame.candidates[item.candidate];
  return solve_pair(frame, item, c, TestKind::threshold, 0, frame.points[item.a].position);
}

template <Loss L, class Terminal>
bool Search<L, Terminal>::open_category(Frame& frame, const Item& item) {
  const RootFeature& c = frame.candidates[item.candidate];
  const FeatureView view(*context_->columns, *frame.task->rows, c.feature);
  const std::uint32_t first = frame.points[item.a].position;
  const std::uint32_t last = view.run_end(first);
  const std::uint32_t min_leaf = frame.task->min_leaf;
  if (last - first < min_leaf || frame.size - (last - first) < min_leaf) return true;
  return solve_pair(frame, item, c, TestKind::equals, first, last);
}

// Solves both sides of one cut, starting from the bounds of its point. Unless both sides return a
// tree, the cut is not better than the best tree.
template <Loss L, class Terminal>
bool Search<L, Terminal>::solve_pair(Frame& frame, const Item& item, const RootFeature& c,
                                     TestKind test, std::uint32_t first, std::uint32_t last) {
  if (staged(frame)) return solve_staged(frame, item, c, test, first, last);
  const std::uint32_t min_leaf = frame.task->min_leaf;
  const Value budget = frame.best - penalty();
  Level& level = levels_[frame.level];
  CutPoint& point = frame.points[item.a];
  const auto known = [&](std::vector<Value>& into, const std::vector<Value>& from) {
    into = from;
    into.resize(n_features(), Value{});
  };
  known(level.inherited_left, point.left_features);
  known(level.inherited_right, point.right_features);
  cut(frame, c.feature, first, last);
  point.solved = true;
  Answer<Value> left, right;
  const auto solve_left = [&] {
    left = side(frame, c, true, min_leaf, budget - point.right, point.left);
    point.left = std::max(point.left, left.lower);
    if (settings().use_inheritance) raise_all(point.left_features, level.out_left);
  };
  const auto solve_right = [&] {
    right = side(frame, c, false, min_leaf, budget - point.left, point.right);
    point.right = std::max(point.right, right.lower);
    if (settings().use_inheritance) raise_all(point.right_features, level.out_right);
  };
  const auto open_still = [&] {
    return penalty() + point.left + point.right < frame.best && !context_->limits->stop(0);
  };
  if (level.left.size() <= level.right.size()) {
    solve_left();
    if (open_still()) solve_right();
  } else {
    solve_right();
    if (open_still()) solve_left();
  }
  if (left.found && right.found) join(frame, c, test, first, last, left, right);
  if (context_->limits->reason() != StopReason::none) return false;
  const Value here = penalty() + point.left + point.right;
  if (left.found && right.found) {
    piece(frame, item.candidate, here);
  } else {
    wait(frame, {std::max(here, frame.best), item.candidate, item.a, item.b});
  }
  return true;
}

}  // namespace treeproof::threshold
