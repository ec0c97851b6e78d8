// Solves a task of any depth: without a search if possible, otherwise by the terminal solver or by
// the search. Part of best_first/search.hpp.
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
auto Search<L, Terminal>::solve(const Task<Value>& task, std::size_t level) -> Answer<Value> {
  const Value leaf = stumps_->leaf(*task.rows);
  Answer<Value> answer;
  answer.found = leaf < task.cutoff;
  answer.upper = answer.found ? leaf : task.cutoff;
  if (level == 0 && incumbent_.found && incumbent_.upper < answer.upper)
    answer = std::move(incumbent_);
  const int affordable_splits = affordable(answer.upper);
  // Every split adds at least one leaf, and every leaf has rows of its own.
  const auto leaves =
      static_cast<int>(std::min<std::uint32_t>(task.rows->size() / task.min_leaf, 1u << 30));
  const int room = std::min({task.depth, task.splits, leaves - 1});
  const int depth = std::min(room, affordable_splits);
  const bool may_split = room > 0;
  if (!may_split || depth <= 0 || closes(penalty(), answer.upper)) {
    // A tree is a leaf or has a split, and the penalty of a single split already reaches the
    // cut-off.
    if (!task.lower_out.empty()) std::ranges::fill(task.lower_out, penalty());
    answer.lower = may_split ? answer.upper : leaf;
    return answer;
  }
  const Value least = std::max(partition_bound(task, depth, answer.upper), priced(*task.rows));
  if (closes(least, answer.upper)) {  // no partition of the rows into leaves is good enough
    ++(kPriced ? context_->counters->price_prunes : context_->counters->partition_prunes);
    if (!task.lower_out.empty()) std::ranges::fill(task.lower_out, std::max(penalty(), least));
    answer.lower = answer.found ? answer.upper : least;
    return answer;
  }
  const bool remembers = level > 0 && remembers_sets(task);
  const Key key = remembers ? key_of(*task.rows) : Key{};
  if (remembers && recall(task, key, answer)) return answer;
  Task<Value> inner = task;
  inner.depth = depth;
  if (depth <= Terminal::kDepth) {
    inner.cutoff = answer.upper;
    Answer<Value> better = terminal_->solve(inner);
    if (better.found || !answer.found) answer = std::move(better);
    else answer.lower = std::min(answer.upper, better.lower);
  } else {
    answer = search(inner, level, std::move(answer), least);
  }
  hold_for_deeper_trees(task, depth, room, affordable_splits, answer);
  if (remembers && context_->limits->reason() == StopReason::none)
    sets_.keep(key, task.depth, answer);
  return answer;
}

// Lowers the bounds so that they also hold for trees deeper than those that were considered.
template <Loss L, class Terminal>
void Search<L, Terminal>::hold_for_deeper_trees(const Task<Value>& task, int depth, int room,
                                                int affordable_splits,
                                                Answer<Value>& answer) const {
  if (depth < room) {
    // Trees with more splits were not considered. They cost at least `deeper`, which is not below
    // the cut-off (so a tree that was found is optimal nevertheless), but may be below the bound of
    // the shallow search.
    const Value deeper = static_cast<Value>(affordable_splits + 1) * penalty();
    for (Value& out : task.lower_out) out = std::min(out, deeper);
    if (!answer.found || !closes(deeper, answer.upper))
      answer.lower = std::min(answer.lower, deeper);
  }
  if (depth < task.depth && task.halves_out != nullptr)
    // Trees of greater depth on a half have at least as many splits as that depth.
    for (KnownHalf<Value>& known : *task.halves_out)
      known.least = std::min(known.least, static_cast<Value>(depth) * penalty());
  // The returned bounds must also hold for supersets of the rows, whose trees may be deeper: if the
  // first split leaves all of these rows on one side, any tree for them may follow below it.
  if (room < std::min(task.depth, task.splits))
    for (Value& out : task.lower_out) out = std::min(out, penalty() + answer.lower);
}

}  // namespace treeproof::threshold
