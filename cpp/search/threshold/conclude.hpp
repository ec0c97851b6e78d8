// Makes the result of a search from its answer: what was proved, and for which trees.
#pragma once

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "search/exchange.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/solve.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

// A search that was stopped during its first sweeps may have a worse tree than CART; then CART's
// tree is returned.
template <class L, class FirstTree>
void improve_by_greedy_tree(const Context<L>& context, const Task<typename L::Value>& task,
                            FirstTree& first, Answer<typename L::Value>& answer) {
  if (context.restricted() || context.loss->closes(answer.lower, answer.upper)) return;
  Answer<typename L::Value> greedy = first.greedy(task);
  if (greedy.upper >= answer.upper) return;
  answer.upper = greedy.upper;
  answer.tree = std::move(greedy.tree);
}

// The tree is optimal if the proved bound reaches its cost, within the tolerance of the loss.
template <class L>
Result<typename L::Value> conclude(const Context<L>& context, Answer<typename L::Value> answer,
                                   Exchange<typename L::Value>* exchange) {
  using Value = typename L::Value;
  Result<Value> result;
  result.tree = std::move(answer.tree);
  result.lower = std::clamp(answer.lower, Value{}, answer.upper);
  result.upper = answer.upper;
  result.split_cost = context.settings.split_cost;
  result.optimal = context.loss->closes(answer.lower, answer.upper);
  result.stop = context.limits->reason();
  check([&] { return result.optimal || result.stop != StopReason::none; },
        "a finished search proves its tree");
  if (result.optimal) result.lower = result.upper;
  if (exchange != nullptr) {
    if (answer.found) exchange->found(result.tree, result.upper);
    exchange->proved(result.lower);
  }
  result.statistics = context.counters->named();
  return result;
}

}  // namespace treeproof::threshold
