// The cuts of stage 1 of depth two: two dozen of every feature. Part of depth_two.hpp.
//
// Where moving rows takes little time beside bounding a cut, every fourth cut comes first. The
// window then moves back, and the cuts between two of these are bounded only if the monotone bound
// leaves something to gain between them.
#pragma once

#include "search/threshold/depth_two/depth_two.hpp"

namespace treeproof::threshold {

// Bounds that hold for fewer rows hold for more, and every interval is bounded by its two ends.
template <Loss L, class Lanes>
void DepthTwo<L, Lanes>::bound_intervals(Candidate& c) {
  for (std::size_t k = 1; k < c.points.size(); ++k) raise(c.points[k].left, c.points[k - 1].left);
  for (std::size_t k = c.points.size() - 1; k-- > 0;)
    raise(c.points[k].right, c.points[k + 1].right);
  Value lower = context_->loss->infinite();
  for (std::size_t k = 0; k + 1 < c.points.size(); ++k)
    lower = std::min(lower, interval_bound(c.points[k], c.points[k + 1]));
  raise_both(c, penalty() + lower);
}

template <Loss L, class Lanes>
void DepthTwo<L, Lanes>::coarse_cuts(Candidate& c, const FeatureView& view) {
  const std::uint32_t coarse = context_->settings.coarse_cuts;
  const bool relaxed = min_leaf_ > 1;
  const Value leaf = lanes_->leaf_of_all();
  c.points.push_back({0, Value{}, at_end(c.right_splits ? whole_ : leaf)});
  std::uint32_t skip_to = 1;
  for (std::uint32_t k = 1; k < coarse; ++k) {
    const auto wish = static_cast<std::uint32_t>(std::uint64_t{size_} * k / coarse);
    if (wish < skip_to || wish == 0) continue;
    const std::uint32_t p = view.nearest_boundary(wish, skip_to, size_ - 1);
    if (p == 0) continue;
    const std::uint32_t moved = p - c.points.back().position;
    if (stop(moved)) return;
    lanes_->window(0, p);
    Point point = bound_cut(c, 1, 1, TestKind::threshold, 0, p);
    if (relaxed && !closed(point.left + point.right))
      bound_cut(c, min_leaf_, min_leaf_, TestKind::threshold, 0, p);
    raise(point.left, c.points.back().left);
    c.points.push_back(point);
    skip_to = p + 1;
    if (context_->unit_step(min_leaf_)) {
      const Value slack = point.left + point.right - budget();
      // The next cut settles cuts before it as well, most often nearly as many as this one.
      const Value reach = slack + 3 * (slack / 4);
      while (slack > 0 && skip_to < size_ && lanes_->weight_between(p, skip_to) <= reach)
        skip_to += std::max(1u, size_ / (4 * coarse));
    }
  }
  c.points.push_back({size_, at_end(c.left_splits ? whole_ : leaf), Value{}});
  bound_intervals(c);
}

template <Loss L, class Lanes>
void DepthTwo<L, Lanes>::coarse_cuts_twice(Candidate& c, const FeatureView& view) {
  constexpr std::uint32_t kEvery = 4;
  const std::uint32_t coarse = context_->settings.coarse_cuts;
  const Value leaf = lanes_->leaf_of_all();
  c.points.push_back({0, Value{}, c.right_splits ? whole_ : leaf});
  const Point end{size_, c.left_splits ? whole_ : leaf, Value{}};
  for (std::uint32_t k = kEvery; k < coarse; k += kEvery) {
    const auto wish = static_cast<std::uint32_t>(std::uint64_t{size_} * k / coarse);
    const Point& before = c.points.back();
    if (wish <= before.position) continue;
    const std::uint32_t p = view.nearest_boundary(wish, before.position + 1, size_ - 1);
    if (p == 0) continue;
    if (stop(p - before.position)) return;
    lanes_->window(0, p);
    look_between(before, end);
    Point point = bound_cut(c, 1, 1, TestKind::threshold, 0, p);
    raise(point.left, before.left);
    c.points.push_back(point);
  }
  c.points.push_back(end);
  for (std::size_t k = c.points.size() - 1; k-- > 0;) {
    raise(c.points[k].right, c.points[k + 1].right);
    fill_in(c, view, k);
    if (stopped_) return;
  }
  bound_intervals(c);
}

// Bounds the cuts between two neighbouring points of a feature, from right to left.
template <Loss L, class Lanes>
void DepthTwo<L, Lanes>::fill_in(Candidate& c, const FeatureView& view, std::size_t from) {
  const std::uint32_t coarse = context_->settings.coarse_cuts;
  const Point a = c.points[from];
  Point b = c.points[from + 1];
  for (std::uint32_t k = coarse - 1; k > 0; --k) {
    const auto wish = static_cast<std::uint32_t>(std::uint64_t{size_} * k / coarse);
    if (wish >= b.position) continue;
    if (wish <= a.position || closed(a.left + b.right)) return;
    const std::uint32_t p = view.nearest_boundary(wish, a.position + 1, b.position - 1);
    if (p == 0) continue;
    if (stop(b.position - p)) return;
    lanes_->window(0, p);
    look_between(a, b);
    Point point = bound_cut(c, 1, 1, TestKind::threshold, 0, p);
    raise(point.left, a.left);
    raise(point.right, b.right);
    c.points.insert(c.points.begin() + static_cast<std::ptrdiff_t>(from) + 1, point);
    b = point;
  }
}

}  // namespace treeproof::threshold
