// The best-first search with a penalty if deep trees are possible: children are solved in stages.
//
// A tree cheaper than k penalties has fewer than k splits, hence fewer than k levels. Solving a
// child with a cut-off of 3 penalties takes one solve of depth two, and each further penalty makes
// the subproblem one level deeper and many times more expensive. A side is therefore deepened only
// if its bound is what keeps the lowest piece of work open, by one penalty at a time; what is known
// of the other side by then keeps its cut-off small.
//
// For an interval (a, b), three things can raise the bound l(a) + r(b): deepening left of a,
// deepening right of b, or bisecting. Bisecting is cheap (depth two), but useless if l and r are
// already known for all depths examined, because nothing varies between such ends. Then an end is
// deepened, which also helps all cuts beyond it.
#pragma once

#include "search/threshold/best_first/search.hpp"
#include "search/threshold/relaxed_minimum.hpp"

namespace treeproof::threshold {

// The next cut-off for a side that costs at least `known`, of which only costs below `limit`
// matter: the next whole number of penalties, or a quarter of what is left if that is more.
template <Loss L, class Terminal>
typename L::Value Search<L, Terminal>::stage(Value known, Value limit) const {
  const Value further = known + (limit - known) / 4;
  const auto steps = static_cast<std::int64_t>(further / penalty());
  Value next =
      static_cast<Value>(std::max<std::int64_t>(steps + 1, Terminal::kDepth + 1)) * penalty();
  if (!(known < next)) next += penalty();  // rounding of real-valued costs
  return std::min(limit, next);
}

// Solves one side of the cut x again with a higher cut-off; `left` and `right` of the level hold
// the rows.
template <Loss L, class Terminal>
Answer<typename L::Value> Search<L, Terminal>::deepen(Frame& frame, const RootFeature& c,
                                                      std::size_t x, bool left,
                                                      std::uint32_t min_leaf, Value cutoff) {
  Level& level = levels_[frame.level];
  CutPoint& point = frame.points[x];
  std::vector<Value>& features = left ? point.left_features : point.right_features;
  std::vector<Value>& inherited = left ? level.inherited_left : level.inherited_right;
  const std::vector<Value>& out = left ? level.out_left : level.out_right;
  inherited = features;
  inherited.resize(n_features(), Value{});
  Answer<Value> answer = side(frame, c, left, min_leaf, cutoff, left ? point.left : point.right);
  if (context_->limits->reason() != StopReason::none) return answer;
  ++context_->counters->deepenings;
  Value& bound = left ? point.left : point.right;
  // No tree is below the cut-off, up to the tolerance of real-valued costs (which must not cause
  // the same stage to be repeated forever).
  bound = std::max(bound, answer.found ? answer.lower : std::max(answer.lower, cutoff));
  if (answer.found) (left ? point.left_exact : point.right_exact) = true;
  if (settings().use_inheritance) raise_all(features, out);
  point.solved = true;
  if (frame.task->min_leaf == 1 && kind(c.feature) == FeatureKind::ordered) pass_along(frame, c);
  return answer;
}

template <Loss L, class Terminal>
bool Search<L, Terminal>::open_staged(Frame& frame, const Item& item) {
  const RootFeature& c = frame.candidates[item.candidate];
  const std::uint32_t min_leaf = frame.task->min_leaf;
  const Value budget = frame.best - penalty();
  const CutPoint& a = frame.points[item.a];
  const CutPoint& b = frame.points[item.b];
  const std::uint32_t p = middle(frame, item, budget);
  if (p == 0) return true;

  const Value shallow = static_cast<Value>(Terminal::kDepth + 1) * penalty();
  const bool left_flat = a.position > 0 && !a.left_exact && !(a.left < shallow);
  const bool right_flat = b.position < frame.size && !b.right_exact && !(b.right < shallow);
  const bool right_varies = !(a.left + a.right < budget) || penalty() < 2 * (a.right - b.right);
  const bool left_varies = !(b.left + b.right < budget) || penalty() < 2 * (b.left - a.left);
  if ((left_flat && right_flat) || (left_flat && !right_varies) || (right_flat && !left_varies)) {
    const bool left = left_flat && (!right_flat || !(b.right < a.left));
    cut(frame, c.feature, 0, left ? a.position : b.position);
    const Value cutoff = left ? stage(a.left, budget - b.right) : stage(b.right, budget - a.left);
    deepen(frame, c, left ? item.a : item.b, left,
           relaxed_minimum(min_leaf, b.position - a.position), cutoff);
    if (context_->limits->reason() != StopReason::none) return false;
    wait(frame, {std::max(item.bound, interval_bound(frame, item.candidate, item.a, item.b)),
                 item.candidate, item.a, item.b});
    return true;
  }

  const std::size_t x = new_point(frame, item.candidate, p);
  CutPoint& point = frame.points[x];
  inherit(frame, c, a, b, point);
  Level& level = levels_[frame.level];
  point.left_features = level.inherited_left;
  point.right_features = level.inherited_right;
  cut(frame, c.feature, 0, p);
  if (!left_flat && point.left < budget - b.right)
    deepen(frame, c, x, true, relaxed_minimum(min_leaf, b.position - p),
           stage(point.left, budget - b.right));
  if (!right_flat && point.right < budget - a.left && !context_->limits->stop(0))
    deepen(frame, c, x, false, relaxed_minimum(min_leaf, p - a.position),
           stage(point.right, budget - a.left));
  if (context_->limits->reason() != StopReason::none) return false;
  std::size_t own = x;
  if (min_leaf > 1) {  // the true minimum gets a point of its own
    own = new_point(frame, item.candidate, p);
    frame.points[own].left = frame.points[x].left;
    frame.points[own].right = frame.points[x].right;
  }
  wait(frame, {std::max(item.bound, penalty() + frame.points[x].left + frame.points[x].right),
               item.candidate, own, own});
  push(frame, item, item.a, x);
  push(frame, item, x, item.b);
  return true;
}

// A single cut: the side with the weaker bound is deepened by one stage. Once both sides are exact
// and cheap enough, their trees are built.
template <Loss L, class Terminal>
bool Search<L, Terminal>::solve_staged(Frame& frame, const Item& item, const RootFeature& c,
                                       TestKind test, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t min_leaf = frame.task->min_leaf;
  const Value budget = frame.best - penalty();
  CutPoint& point = frame.points[item.a];
  cut(frame, c.feature, first, last);
  if (!point.left_exact || !point.right_exact) {
    const bool left = !point.left_exact && (point.right_exact || !(point.right < point.left));
    const Value known = left ? point.left : point.right;
    const Value other = left ? point.right : point.left;
    deepen(frame, c, item.a, left, min_leaf, stage(known, budget - other));
  }
  const Value sum = point.left + point.right;
  if (point.left_exact && point.right_exact && sum < budget &&
      context_->limits->reason() == StopReason::none) {
    Answer<Value> left = deepen(frame, c, item.a, true, min_leaf, budget - point.right);
    Answer<Value> right = deepen(frame, c, item.a, false, min_leaf, budget - point.left);
    if (left.found && right.found) join(frame, c, test, first, last, left, right);
  }
  if (context_->limits->reason() != StopReason::none) return false;
  wait(frame, {penalty() + point.left + point.right, item.candidate, item.a, item.b});
  return true;
}

}  // namespace treeproof::threshold
