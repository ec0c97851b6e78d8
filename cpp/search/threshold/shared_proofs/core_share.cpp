// The groups of a node, worked on by one thread or by several.
//
// Threads share the outermost node only. One at a time holds it (gate.hpp): looks through the
// groups, takes a batch of them, and later enters what came of it. The solve in between, which
// is all of the work, happens apart. Groups that somebody works on stay in the list, marked, so
// the node is done when the list is empty.
#include <cstddef>
#include <utility>

#include "search/threshold/shared_proofs/core_search.hpp"

namespace treeproof::threshold {

void CoreSearch::share(Node& node) {
  Gate gate(crew_->n_threads());
  CoreExchange exchange;
  node.gate = &gate;
  exchange_ = &exchange;
  heard_ = 0;
  // Helpers start with what is known by now.
  const Cores deep = deep_cores_;
  const Cores shallow = shallow_cores_;
  const Witnesses witnesses = witnesses_;
  crew_->share(gate, [&] { take_turns(node); },
               [&](const Context<Misclassification>& context, ClassTerminal& terminal,
                   StumpSolver<Misclassification>& stumps) {
                 CoreSearch helper(context, terminal, stumps, weights_);
                 helper.deep_cores_ = deep;
                 helper.shallow_cores_ = shallow;
                 helper.witnesses_ = witnesses;
                 helper.exchange_ = &exchange;
                 helper.levels_.emplace_back();
                 helper.take_turns(node);
               });
  exchange_ = nullptr;
  node.gate = nullptr;
}

void CoreSearch::take_turns(Node& node) {
  Turn turn(node.gate, crew_ != nullptr);
  turn_ = &turn;
  work(node);
}

// Answers questions until no group has one.
void CoreSearch::work(Node& node) {
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
    else if (node.gate != nullptr && turn_->helps()) ++context_->counters->helped;
    if (node.level == 0 && progress_ && node.better) tell(node);
  }
}

// Looks through the groups that nobody works on, and drops those that are closed.
void CoreSearch::ask_all(Node& node) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < node.groups.size(); ++k) {
    CutGroup& group = node.groups[k];
    if (group.seen_by != this) {  // others count cores and witnesses in another way
      group.seen_cores = group.seen_witnesses = 0;
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

// What others have found since the last time.
void CoreSearch::hear() {
  if (exchange_ == nullptr) return;
  for (CoreNews& news : exchange_->read(this, heard_)) {
    if (news.witness) witnesses_.add(std::move(news.rows), news.cost, news.depth);
    else (news.shallow ? shallow_cores_ : deep_cores_)
             .add(std::move(news.rows), news.cost, news.depth);
  }
}

// All groups are being worked on. The clock and the caller are asked meanwhile.
void CoreSearch::await(Node& node) {
  constexpr std::uint32_t kLong = 1 << 20;  // microseconds: ask at once
  if (!turn_->await()) apart(node, [&] { context_->limits->stop(kLong); });
}

// Only the thread that began the search tells others.
void CoreSearch::tell(Node& node) {
  node.better = false;
  const Cost upper = node.answer.upper;
  apart(node, [&] { progress_(0, upper, true); });
}

}  // namespace treeproof::threshold
