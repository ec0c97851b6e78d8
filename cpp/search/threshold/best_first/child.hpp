// Solves one side of a cut, starting from what is known of it, and records what settles it. Part of
// best_first/search.hpp.
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

// Solves one side of a cut; the candidate may require it to be a leaf of a given class.
template <Loss L, class Terminal>
auto Search<L, Terminal>::side(Frame& frame, const RootFeature& c, bool left,
                               std::uint32_t min_leaf, Value cutoff, Value known) -> Answer<Value> {
  Level& level = levels_[frame.level];
  const RowSubset& rows = left ? level.left : level.right;
  std::vector<Value>& out = left ? level.out_left : level.out_right;
  if (c.way.says >= 0 && (left ? c.way.left_leaf : c.way.right_leaf)) {
    out.assign(n_features(), Value{});
    const Value cost = apart(frame, [&] { return stumps_->leaf_saying(rows, c.way.says); });
    return {cost, std::min(cost, cutoff), cost < cutoff, {}};
  }
  return child(frame, rows, left ? c.left_splits : c.right_splits, min_leaf, cutoff,
               left ? level.inherited_left : level.inherited_right, out, known);
}

template <Loss L, class Terminal>
auto Search<L, Terminal>::child(Frame& frame, const RowSubset& rows, int splits,
                                std::uint32_t min_leaf, Value cutoff,
                                const std::vector<Value>& inherited, std::vector<Value>& out,
                                Value known) -> Answer<Value> {
  out.resize(n_features());
  Task<Value> task{
      &rows,
      cutoff,
      frame.depth,
      splits,
      min_leaf,
      settings().use_inheritance ? std::span<const Value>(inherited) : std::span<const Value>(),
      std::span<Value>(out),
      known};
  if (frame.around) task.around = &*frame.around;
  task.may_plan = frame.depth <= Terminal::kDepth && frame.record == nullptr;
  Level& level = levels_[frame.level];
  CutSide side = level.cut;
  side.inside = &rows != &level.right;
  if (frame.boxes) {
    ask_boxes(frame, side, level.halves_in);
    level.halves_out.clear();
    context_->counters->boxes_used += static_cast<std::int64_t>(level.halves_in.size());
    task.halves_in = level.halves_in;
    task.halves_out = &level.halves_out;
    Answer<Value> answer = apart(frame, [&] { return solve(task, frame.level + 1); });
    keep_boxes(frame, side, level.halves_out);
    return answer;
  }
  if (frame.record == nullptr) return apart(frame, [&] { return solve(task, frame.level + 1); });
  std::optional<Settled<Value>> settled;
  Answer<Value> answer =
      apart(frame, [&] { return solve_settling(task, frame.level + 1, side, settled); });
  if (settled) frame.record->add_side(std::move(*settled));
  return answer;
}

// Records what proves the answer, if the solver of depth two has found it. Bounds that a feature
// inherits from other rows have no counterpart in a proof, so the solver is not given them.
template <Loss L, class Terminal>
auto Search<L, Terminal>::solve_settling(const Task<Value>& task, std::size_t level,
                                         const CutSide& side,
                                         std::optional<Settled<Value>>& settled) -> Answer<Value> {
  counted_cuts_.clear();
  Task<Value> noted = task;
  noted.lower_in = {};
  noted.counted_cuts = &counted_cuts_;
  Answer<Value> answer = solve(noted, level);
  if (counted_cuts_.empty() || context_->limits->reason() != StopReason::none) return answer;
  const int splits = task.splits < most_splits(kRecorded) ? task.splits : -1;
  settled = Settled<Value>{side, splits, answer.lower, answer.found,
                           chooser_.choose(*task.rows, splits, answer.lower, counted_cuts_)};
  return answer;
}

}  // namespace treeproof::threshold
