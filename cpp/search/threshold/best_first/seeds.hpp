// The initial intervals of the best-first search for a feature.
//
// With a penalty, the look-ahead of depth two has bounded two dozen cuts: a side costs at least as
// much as its best tree with one split, or at least two penalties. These *seeds* settle some of the
// intervals between them. Each group of neighbouring intervals that remain open becomes one piece
// of work, and the seeds inside it only contribute their bounds to new cuts. (With one interval
// between each two seeds, the search took 2.5 times as many solves on breast cancer at depth
// three.)
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
void Search<L, Terminal>::list_candidates(Frame& frame, Value ends) {
  const Task<Value>& task = *frame.task;
  const int cap = most_splits(frame.depth);
  const bool bounded = splits_matter(frame);
  for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
    const FeatureView view(*context_->columns, *task.rows, f);
    if (view.constant()) continue;
    Value bound = std::max(penalty(), ends);
    if (!task.lower_in.empty()) bound = std::max(bound, task.lower_in[static_cast<std::size_t>(f)]);
    if (closes(bound, frame.best)) {
      ++context_->counters->inherited_prunes;
      frame.pieces[static_cast<std::size_t>(f)] = bound;
    } else if (!bounded && frame.record == nullptr && context_->double_of(f) >= 0 &&
               view.two_runs()) {
      // This is a multiway split into two, which the column's other kind of split contains as well.
      ++context_->counters->doubled_splits;
      frame.doubled.push_back(f);
    } else {
      for (const SplitWay& way : context_->ways(f)) {
        const int rest = bounded ? task.splits - 1 : task.splits;
        if (way.left_leaf || way.right_leaf)
          list_candidate(frame, view, f, way, bound, ends, way.left_leaf ? 0 : rest,
                         way.right_leaf ? 0 : rest);
        else if (!bounded || kind(f) == FeatureKind::multiway)
          list_candidate(frame, view, f, way, bound, ends, task.splits, task.splits);
        else
          for (int left = std::max(0, rest - cap); left <= std::min(cap, rest); ++left)
            list_candidate(frame, view, f, way, bound, ends, left, rest - left);
      }
    }
  }
}

template <Loss L, class Terminal>
void Search<L, Terminal>::list_candidate(Frame& frame, const FeatureView& view, std::int32_t f,
                                         const SplitWay& way, Value bound, Value ends, int left,
                                         int right) {
  frame.candidates.push_back({f, left, right, way, {}, {}, {}, 0});
  const std::size_t c = frame.candidates.size() - 1;
  if (kind(f) == FeatureKind::ordered) {
    weigh(frame, frame.candidates[c]);
    if constexpr (kPriced) prices_.sum_along(*frame.task->rows, f, frame.candidates[c].priced);
    queue_intervals(frame, c, bound, ends);
  } else if (kind(f) == FeatureKind::one_vs_rest) {
    // With two categories, it makes no difference which of them is separated from the other.
    const bool once = left == right && frame.record == nullptr && view.two_runs();
    for (const std::uint32_t start : view.runs())
      if (start == 0 || !once) queue_category(frame, c, start, bound);
  } else {
    MultiwayCost<Value> sum = settings().multiway();
    for (const std::uint32_t start : view.runs()) {
      const Value known = known_half(frame, {f, Half::equal, view.rank_at(start)});
      sum.add(known,
              settings().leave_out ? weight_of_run(frame, f, start, view.run_end(start)) : Value{});
    }
    const std::size_t a = new_point(frame, c, 0);
    wait(frame, {std::max(bound, sum.total()), c, a, a});
  }
}

// Returns the weight of positions first .. last - 1 of a feature's list.
template <Loss L, class Terminal>
auto Search<L, Terminal>::weight_of_run(const Frame& frame, std::int32_t f, std::uint32_t first,
                                        std::uint32_t last) const -> Value {
  const RowSubset& rows = *frame.task->rows;
  Value weight{};
  for (std::uint32_t k = first; k < last; ++k)
    weight += context_->loss->weight(rows.row(rows.list(f)[k]));
  return weight;
}

// Whether the depth, the penalty and the rows allow more splits than the task does.
template <Loss L, class Terminal>
bool Search<L, Terminal>::splits_matter(const Frame& frame) const {
  const auto room = static_cast<int>(
      std::min<std::uint32_t>(frame.size / frame.task->min_leaf, std::uint32_t{1} << 30));
  return frame.task->splits <
         std::min({most_splits(frame.depth + 1), affordable(frame.best), room - 1});
}

template <Loss L, class Terminal>
void Search<L, Terminal>::queue_category(Frame& frame, std::size_t c, std::uint32_t start,
                                         Value bound) {
  const std::int32_t f = frame.candidates[c].feature;
  const std::uint32_t rank = FeatureView(*context_->columns, *frame.task->rows, f).rank_at(start);
  const std::size_t a = new_point(frame, c, start);
  CutPoint& point = frame.points[a];
  point.left = std::max(point.left, known_half(frame, {f, Half::equal, rank}));
  point.right = std::max(point.right, known_half(frame, {f, Half::other, rank}));
  wait(frame, {std::max(bound, penalty() + point.left + point.right), c, a, a});
}

// Makes points of the cuts of the look-ahead and of those about which the caller knows something.
// The bound of a half holds for the first cut that has all of its rows on one side, and for the
// cuts beyond it.
template <Loss L, class Terminal>
void Search<L, Terminal>::list_seeds(Frame& frame, std::size_t c) {
  const std::int32_t f = frame.candidates[c].feature;
  if (penalty() > 0) {
    for (const CutBounds<Value>& cut : terminal_->cuts(f)) {
      if (cut.position == 0 || cut.position == frame.size) continue;
      CutPoint& point = frame.points[new_point(frame, c, cut.position)];
      point.left = std::max(point.left, std::min(cut.left, 2 * penalty()));
      point.right = std::max(point.right, std::min(cut.right, 2 * penalty()));
    }
  }
  const FeatureView view(*context_->columns, *frame.task->rows, f);
  for (const KnownHalf<Value>& known : frame.task->halves_in) {
    if (known.half.feature != f) continue;
    const std::uint32_t position = view.lower_bound(known.half.rank);
    if (position == 0 || position == frame.size) continue;
    CutPoint& point = frame.points[new_point(frame, c, position)];
    Value& side = known.half.kind == Half::below ? point.left : point.right;
    side = std::max(side, known.least);
  }
}

template <Loss L, class Terminal>
void Search<L, Terminal>::queue_intervals(Frame& frame, std::size_t c, Value bound, Value ends) {
  // The two ends are not cuts, but bounds hold there: all rows are on one side.
  const std::size_t first = new_point(frame, c, 0);
  frame.points[first].right = std::max(frame.points[first].right, ends);
  list_seeds(frame, c);
  const std::size_t last = new_point(frame, c, frame.size);
  frame.points[last].left = std::max(frame.points[last].left, ends);
  if (frame.task->min_leaf == 1) {
    pass_along(frame, frame.candidates[c]);
    Item whole{bound, c, first, last};
    if (is_one_stretch(frame, whole)) wait(frame, whole);
    return;
  }
  frame.candidates[c].n_seeds = last + 1 - first;  // seeds are neighbours in this list

  std::size_t open_from = first;
  Value open_bound = infinite();
  for (std::size_t a = first; a < last; ++a) {
    const Value own = std::max(bound, interval_bound(frame, c, a, a + 1));
    if (!closes(own, frame.best)) {
      open_bound = std::min(open_bound, own);
      continue;
    }
    ++context_->counters->interval_prunes;
    piece(frame, c, own);
    if (open_from < a) wait(frame, {open_bound, c, open_from, a});
    if (a > first) queue_single(frame, c, a, bound);
    open_from = a + 1;
    open_bound = infinite();
  }
  if (open_from < last) {
    wait(frame, {open_bound, c, open_from, last});
    if (open_from > first) queue_single(frame, c, open_from, bound);
  }
}

template <Loss L, class Terminal>
void Search<L, Terminal>::queue_single(Frame& frame, std::size_t c, std::size_t x, Value bound) {
  const std::uint32_t position = frame.points[x].position;
  const std::uint32_t min_leaf = frame.task->min_leaf;
  if (position < min_leaf || frame.size - position < min_leaf) return;
  // With a minimum leaf size, the values of the cut itself differ from those that are valid for its
  // neighbours.
  std::size_t own = x;
  if (min_leaf > 1) {
    own = new_point(frame, c, position);
    frame.points[own].left = frame.points[x].left;
    frame.points[own].right = frame.points[x].right;
  }
  const Value here = penalty() + frame.points[own].left + frame.points[own].right;
  wait(frame, {std::max(bound, here), c, own, own});
}

}  // namespace treeproof::threshold
