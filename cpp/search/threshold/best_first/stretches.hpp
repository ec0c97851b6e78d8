// Uses all known cuts of a feature to find out which parts (stretches) of an interval are open.
//
// Left sides grow from cut to cut and right sides shrink, so a bound on a left side holds for all
// later ones, and a bound on a right side for all earlier ones. Between two neighbouring cuts this
// leaves the bounds of search.hpp, and an interval is open only where one of these is too low. Cuts
// at the ends of a closed interval are closed with it, since the bound on the right side of the cut
// before it is at least as high.
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
void Search<L, Terminal>::pass_along(Frame& frame, const RootFeature& c) {
  Value least{};
  for (const std::size_t k : c.points)
    least = frame.points[k].left = std::max(frame.points[k].left, least);
  least = Value{};
  for (auto k = c.points.rbegin(); k != c.points.rend(); ++k)
    least = frame.points[*k].right = std::max(frame.points[*k].right, least);
}

// Returns whether the whole interval is still open, and raises its bound if so. Otherwise the
// stretches that are still open are queued in its place.
template <Loss L, class Terminal>
bool Search<L, Terminal>::is_one_stretch(Frame& frame, Item& item) {
  const RootFeature& c = frame.candidates[item.candidate];
  const auto place = [&](std::size_t x) {
    return std::ranges::find(c.points, x) - c.points.begin();
  };
  const auto from = place(item.a), to = place(item.b);
  const auto at = [&](std::ptrdiff_t k) { return c.points[static_cast<std::size_t>(k)]; };
  Value closed_bound = infinite();
  Value open_bound = infinite();
  std::ptrdiff_t open_from = from;
  const auto leave = [&](std::ptrdiff_t end) {
    if (open_from < end &&
        frame.points[at(end)].position - frame.points[at(open_from)].position > 1)
      frame.queue.push({open_bound, item.candidate, at(open_from), at(end)});
    open_from = end + 1;
    open_bound = infinite();
  };
  bool whole = true;
  for (std::ptrdiff_t k = from; k < to; ++k) {
    const Value own = std::max(item.bound, interval_bound(frame, item.candidate, at(k), at(k + 1)));
    if (closes(own, frame.best)) {
      whole = false;
      closed_bound = std::min(closed_bound, own);
      leave(k);
    } else {
      open_bound = std::min(open_bound, own);
    }
  }
  if (whole) {
    item.bound = open_bound;
    return true;
  }
  leave(to);
  ++context_->counters->interval_prunes;
  piece(frame, item.candidate, closed_bound);
  return false;
}

}  // namespace treeproof::threshold
