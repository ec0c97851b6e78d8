// Processes the groups of a node, with one thread or several.
//
// Threads share the outermost node only. One thread at a time holds its lock (gate.hpp) to examine
// the groups, to take a batch of them, or to enter its results. The solve in between, which is
// nearly all of the work, happens without the lock. Groups that are being worked on stay in the
// list, marked, so that the node is finished when the list is empty.
#include <cstddef>
#include <utility>

#include "search/threshold/shared_proofs/common_rows_search.hpp"

namespace treeproof::threshold {

void CommonRowsSearch::share(Node& node) {
  Gate gate(crew_->n_threads());
  CostlySetExchange exchange;
  node.gate = &gate;
  exchange_ = &exchange;
  heard_ = 0;
  // Helpers start with the costly sets and witnesses known by now.
  const CostlySets deep = deep_sets_;
  const CostlySets shallow = shallow_sets_;
  const Witnesses witnesses = witnesses_;
  crew_->share(
      gate, [&] { take_turns(node); },
      [&](const Context<Misclassification>& context, ClassTerminal& terminal,
          StumpSolver<Misclassification>& stumps) {
        CommonRowsSearch helper(context, terminal, stumps, weights_);
        helper.deep_sets_ = deep;
        helper.shallow_sets_ = shallow;
        helper.witnesses_ = witnesses;
        helper.exchange_ = &exchange;
        helper.levels_.emplace_back();
        helper.take_turns(node);
      });
  exchange_ = nullptr;
  node.gate = nullptr;
}

void CommonRowsSearch::take_turns(Node& node) {
  GateHold hold(node.gate, crew_ != nullptr);
  gate_hold_ = &hold;
  work(node);
}

// Answers requests until no group has one.
void CommonRowsSearch::work(Node& node) {
  while (!node.groups.empty() && !apart(node, [&] { return context_->limits->stop(20); })) {
    hear();
    if (node.level == 0) hear_others(node.answer);
    ask_all(node);
    if (stopped() || node.done()) return;
    const bool halved = !node.halves.empty();
    for (CutGroup& half : node.halves) node.groups.push_back(std::move(half));
    node.halves.clear();
    if (halved || node.groups.empty()) continue;
    const bool worked = settle_one(node) || run_batch(node);
    if (node.done()) return;
    if (!worked) await(node);
    else if (node.gate != nullptr && gate_hold_->helps()) ++context_->counters->helped;
    if (node.level == 0 && progress_ && node.better) tell(node);
  }
}

// Examines the groups that no thread works on, and drops those that are settled.
void CommonRowsSearch::ask_all(Node& node) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < node.groups.size(); ++k) {
    CutGroup& group = node.groups[k];
    if (group.seen_by != this) {  // other searches number costly sets and witnesses differently
      group.seen_sets = group.seen_witnesses = 0;
      group.seen_by = this;
    }
    const bool open = group.taken_by != nullptr || asks_still(node, group) || ask(node, group);
    if (stopped() || node.done()) return;
    if (!open) continue;
    if (kept != k) node.groups[kept] = std::move(group);
    ++kept;
  }
  node.groups.erase(node.groups.begin() + static_cast<std::ptrdiff_t>(kept), node.groups.end());
}

// Reads what other threads have posted since the last call.
void CommonRowsSearch::hear() {
  if (exchange_ == nullptr) return;
  for (CostlySetNews& news : exchange_->read(this, heard_)) {
    if (news.witness) witnesses_.add(std::move(news.rows), news.cost, news.depth);
    else
      (news.shallow ? shallow_sets_ : deep_sets_).add(std::move(news.rows), news.cost, news.depth);
  }
}

// All groups are being worked on. The clock and the caller are polled meanwhile.
void CommonRowsSearch::await(Node& node) {
  if (!gate_hold_->await()) apart(node, [&] { context_->limits->stop_now(); });
}

// Only the thread that started the search reports to observers.
void CommonRowsSearch::tell(Node& node) {
  node.better = false;
  const Cost upper = node.answer.upper;
  apart(node, [&] { progress_(0, upper, true); });
}

}  // namespace treeproof::threshold
