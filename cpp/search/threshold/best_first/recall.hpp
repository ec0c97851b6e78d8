// Answering from what is known of sets that were solved before (known_sets.hpp).
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

// Where the terminal solver takes over at once, sets are hardly ever met again. A minimum leaf size
// or a number of splits would have to be part of what is remembered.
template <Loss L, class Terminal>
bool Search<L, Terminal>::remembers_sets(const Task<Value>& task) const {
  return settings().use_sets && task.min_leaf == 1 && task.looks == nullptr &&
         settings().max_splits >= kNoLimit && task.depth > Terminal::kDepth;
}

// A tree of more rows costs, cut down to these, no less than they do, whatever its first split is:
// so the same bound is handed out for all features.
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
