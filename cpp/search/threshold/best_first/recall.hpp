// Answers a task from what is known of sets that were solved before (known_sets.hpp).
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

// Whether results are stored for this task. If the terminal solver takes over at once, sets hardly
// ever occur again; and a minimum leaf size or a maximum number of splits would have to be part of
// the key.
template <Loss L, class Terminal>
bool Search<L, Terminal>::remembers_sets(const Task<Value>& task) const {
  return settings().use_sets && task.min_leaf == 1 && task.counted_cuts == nullptr &&
         settings().max_splits >= kNoLimit && task.depth > Terminal::kDepth;
}

// A tree for more rows, restricted to these rows, costs at least the stored bound, whatever its
// first split is. Therefore every feature gets the same bound.
template <Loss L, class Terminal>
bool Search<L, Terminal>::recall(const Task<Value>& task, const Key& key, Answer<Value>& answer) {
  const auto known = sets_.find(key, task.depth, penalty());
  const bool useless = !(known.lower < answer.upper);
  if (!useless && known.tree == nullptr) return false;
  ++context_->counters->recalled_sets;
  if (useless) answer.lower = answer.found ? answer.upper : known.lower;
  else answer = {known.lower, known.lower, true, *known.tree};
  std::ranges::fill(task.lower_out, answer.lower);
  return true;
}

}  // namespace treeproof::threshold
