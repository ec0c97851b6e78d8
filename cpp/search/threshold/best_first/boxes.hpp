// Passes on what is known of boxes (known_boxes.hpp): from the sides of earlier cuts to the side
// that is solved next, and from a solve back to its caller.
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

// Describes a side of a cut as a half. All ranks between two values that occur name the same rows:
// bounds are stored for the smallest such half and looked up for the largest one.
template <Loss L, class Terminal>
Half Search<L, Terminal>::half_of(const RowSubset& rows, const CutSide& side, bool smallest) const {
  const FeatureView view(*context_->columns, rows, side.feature);
  if (kind(side.feature) != FeatureKind::ordered)
    return {same_column(side.feature), side.inside ? Half::equal : Half::other,
            view.rank_at(side.first)};
  const std::uint32_t before = view.rank_at(side.last - 1) + 1;
  const std::uint32_t after = view.rank_at(side.last);
  if (side.inside) return {side.feature, Half::below, smallest ? before : after};
  return {side.feature, Half::from, smallest ? after : before};
}

// Lists what is known of the halves of one side of a cut.
template <Loss L, class Terminal>
void Search<L, Terminal>::ask_boxes(const Frame& frame, const CutSide& side,
                                    std::vector<KnownHalf<Value>>& halves) const {
  halves.clear();
  const Half outer = half_of(*frame.task->rows, side, false);
  for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
    if (f == outer.feature || f != same_column(f)) continue;
    const auto ask = [&](Half::Kind which) {
      frame.boxes->for_each(outer, f, which, [&](std::uint32_t rank, Value least) {
        halves.push_back({{f, which, rank}, least});
      });
    };
    if (kind(f) == FeatureKind::ordered) {
      ask(Half::below);
      ask(Half::from);
    } else {
      ask(Half::equal);
      if (kind(f) == FeatureKind::one_vs_rest) ask(Half::other);
    }
  }
}

template <Loss L, class Terminal>
void Search<L, Terminal>::keep_boxes(Frame& frame, const CutSide& side,
                                     const std::vector<KnownHalf<Value>>& halves) {
  const Half outer = half_of(*frame.task->rows, side, true);
  for (const KnownHalf<Value>& known : halves) frame.boxes->add(outer, known.half, known.least);
}

// Passes what a solve has learned about the halves of its rows to the caller.
template <Loss L, class Terminal>
void Search<L, Terminal>::tell_halves(const Frame& frame) const {
  std::vector<KnownHalf<Value>>& out = *frame.task->halves_out;
  out = frame.found_parts;
  const RowSubset& rows = *frame.task->rows;
  for (const RootFeature& c : frame.candidates) {
    if (kind(c.feature) == FeatureKind::multiway) continue;
    const bool ordered = kind(c.feature) == FeatureKind::ordered;
    for (const std::size_t k : c.points) {
      const CutPoint& point = frame.points[k];
      if (!point.solved) continue;
      CutSide side{c.feature, ordered ? 0 : point.position, point.position, true};
      out.push_back({half_of(rows, side, true), point.left});
      side.inside = false;
      out.push_back({half_of(rows, side, true), point.right});
    }
  }
}

// Returns what the caller knows about one category of the rows, or about all other categories.
template <Loss L, class Terminal>
typename L::Value Search<L, Terminal>::known_half(const Frame& frame, const Half& half) const {
  Value least{};
  for (const KnownHalf<Value>& known : frame.task->halves_in)
    if (known.half.feature == same_column(half.feature) && known.half.kind == half.kind &&
        known.half.rank == half.rank)
      least = std::max(least, known.least);
  return least;
}

}  // namespace treeproof::threshold
