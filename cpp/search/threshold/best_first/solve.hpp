// Solving a task of any depth: what needs no search, then the terminal solver or the search.
// Part of best_first/search.hpp.
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
    // The tree is a leaf, or it has a split, whose penalty alone is already too much.
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

// Lowers bounds to what also holds for trees that are deeper than those that were considered.
template <Loss L, class Terminal>
void Search<L, Terminal>::hold_for_deeper_trees(const Task<Value>& task, int depth, int room,
                                                int affordable_splits,
                                                Answer<Value>& answer) const {
  if (depth < room) {
    // Trees with more splits were not considered. They cost at least this, which is not less than
    // the cut-off (so a tree that was found is still optimal), but possibly less than the bound
    // of the shallow search.
    const Value deeper = static_cast<Value>(affordable_splits + 1) * penalty();
    for (Value& out : task.lower_out) out = std::min(out, deeper);
    if (!answer.found || !closes(deeper, answer.upper))
      answer.lower = std::min(answer.lower, deeper);
  }
  if (depth < task.depth && task.halves_out != nullptr)
    // Halves with deeper trees have as many splits as the trees here have levels.
    for (KnownHalf<Value>& known : *task.halves_out)
      known.least = std::min(known.least, static_cast<Value>(depth) * penalty());
  // The returned bounds must also hold for more rows, whose trees may be deeper: a first split
  // that leaves all of these rows on one side may have any tree for them below it.
  if (room < std::min(task.depth, task.splits))
    for (Value& out : task.lower_out) out = std::min(out, penalty() + answer.lower);
}

}  // namespace treeproof::threshold
