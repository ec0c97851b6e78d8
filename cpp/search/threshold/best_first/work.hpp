// Distributes the pieces of work of a solve among threads, and reports its progress.
//
// Pieces are opened in the order of their lower bounds. A piece whose bound is below the optimum
// has to be opened whatever tree is known, so that threads which take the lowest pieces from one
// queue do little more work than one thread would, and the optimum does not depend on them. A
// thread locks the shared frame (gate.hpp) only to choose a piece or to enter a result; solving the
// two sides of a cut, which is nearly all of the work, happens without the lock (`Search::apart`),
// in memory of its own.
//
// A piece that is being opened is listed in `running`: the reported lower bound must not exceed its
// bound, and the search is finished only when nothing is running. A thread that is stopped, or out
// of memory, returns its piece.
#pragma once

#include <algorithm>
#include <utility>

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

// The piece of work that this thread is opening. Both lists have room for one piece of each thread,
// so that returning a piece never has to allocate memory.
template <Loss L, class Terminal>
struct Search<L, Terminal>::Claim {
  Claim(Frame& of, const Item& piece) : frame(of), item(piece) { frame.running.push_back(item); }
  ~Claim() {
    const auto mine = std::ranges::find_if(frame.running, [&](const Item& other) {
      return other.candidate == item.candidate && other.a == item.a && other.b == item.b;
    });
    *mine = frame.running.back();
    frame.running.pop_back();
    if (!finished) frame.returned.push_back(item);
    if (frame.gate != nullptr) frame.gate->changed.notify_all();
  }
  Frame& frame;
  const Item item;
  bool finished = false;
};

template <Loss L, class Terminal>
void Search<L, Terminal>::share(Frame& frame) {
  Gate gate(crew_->n_threads());
  frame.gate = &gate;
  crew_->share(
      gate, [&] { work(frame); },
      [&](const Context<L>& context, Terminal& terminal, StumpSolver<L>& stumps) {
        Search helper(context, terminal, stumps);
        helper.work(frame);
      });
  frame.gate = nullptr;
}

template <Loss L, class Terminal>
void Search<L, Terminal>::work(threshold::Frame<Value>& frame) {
  while (levels_.size() <= frame.level) levels_.emplace_back();
  if (frame.level > 0) {
    work_on(frame);
    return;
  }
  GateHold hold(frame.gate, crew_ != nullptr);
  gate_hold_ = &hold;
  work_on(frame);
}

template <Loss L, class Terminal>
void Search<L, Terminal>::work_on(Frame& frame) {
  if (frame.running.capacity() == 0) {
    const std::size_t threads = frame.gate != nullptr ? frame.gate->n_threads : 1;
    frame.running.reserve(threads);
    frame.returned.reserve(threads);
  }
  while (context_->limits->reason() == StopReason::none) {
    frame.take_back();
    if (frame.level == 0) hear(frame);
    if (done(frame)) {
      if (frame.running.empty()) return;
      await(frame);
      continue;
    }
    // The caller may take some time to answer, so it is called without the lock.
    if (apart(frame, [&] { return context_->limits->stop(); })) return;
    if (done(frame)) continue;
    Item item = frame.queue.top();
    frame.queue.pop();
    if (!refresh(frame, item)) continue;
    const bool first = frame.queue.empty() || !(frame.queue.top().bound < item.bound);
    if (!first || closes(item.bound, frame.best)) {
      wait(frame, item);
      continue;
    }
    {
      Claim claim(frame, item);
      claim.finished = open(frame, item);
    }
    if (frame.gate != nullptr && gate_hold_->helps()) ++context_->counters->helped;
    if (frame.level == 0 && progress_) report(frame);
  }
}

// There is nothing to open at the moment, but other threads may add new pieces. The clock and the
// caller are polled meanwhile.
template <Loss L, class Terminal>
void Search<L, Terminal>::await(Frame& frame) {
  if (!gate_hold_->await()) apart(frame, [&] { context_->limits->stop_now(); });
  if (progress_ && frame.better) report(frame);
}

// Raises the bound of a piece to what is known now: bounds at its ends or at cuts within it may
// have risen since it was queued. False if other pieces have replaced it.
template <Loss L, class Terminal>
bool Search<L, Terminal>::refresh(Frame& frame, Item& item) {
  const RootFeature& c = frame.candidates[item.candidate];
  if (kind(c.feature) == FeatureKind::multiway) return true;
  const CutPoint& a = frame.points[item.a];
  if (item.a == item.b) {
    item.bound = std::max(item.bound, penalty() + a.left + a.right);
    return true;
  }
  if (frame.task->min_leaf == 1) {
    pass_along(frame, c);
    return is_one_stretch(frame, item);
  }
  item.bound = std::max(item.bound, interval_bound(frame, item.candidate, item.a, item.b));
  return true;
}

// Only the thread that started the search reports to observers, so that their calls are sequential.
template <Loss L, class Terminal>
void Search<L, Terminal>::report(Frame& frame) {
  const Value upper = frame.best;
  Value lower = upper;
  if (!frame.queue.empty()) lower = std::min(lower, frame.queue.top().bound);
  for (const Value p : frame.pieces) lower = std::min(lower, p);
  for (const Item& item : frame.running) lower = std::min(lower, item.bound);
  for (const Item& item : frame.returned) lower = std::min(lower, item.bound);
  const bool better = std::exchange(frame.better, false);
  apart(frame, [&] { progress_(lower, upper, better); });
}

template <Loss L, class Terminal>
void Search<L, Terminal>::improve(Frame& frame, Value cost, SplitTree tree) {
  if (!(cost < frame.best)) return;  // another thread has found a better one
  frame.best = cost;
  frame.answer.found = true;
  frame.answer.tree = std::move(tree);
  frame.better = true;
  if (frame.level == 0 && exchange_ != nullptr) exchange_->found(frame.answer.tree, cost);
  if (frame.level == 0 && progress_) report(frame);
}

// Adopts a cheaper tree that another search for the same problem has found.
template <Loss L, class Terminal>
void Search<L, Terminal>::hear(Frame& frame) {
  if (exchange_ == nullptr || !(exchange_->upper() < frame.best)) return;
  std::optional<CostedTree<Value>> better = exchange_->better_than(frame.best);
  if (!better) return;
  frame.best = better->cost;
  frame.answer.found = true;
  frame.answer.tree = std::move(better->tree);
}

// Counts the columns, the sets of all levels, and the cuts of this frame; the rest is small.
template <Loss L, class Terminal>
void Search<L, Terminal>::check_memory(const Frame& frame) {
  const std::uint64_t allowance = context_->limits->memory_allowance();
  if (allowance == 0) return;
  const Columns& columns = *context_->columns;
  std::uint64_t sets = 0;
  for (const Level& level : levels_) sets += level.left.bytes() + level.right.bytes();
  std::uint64_t bytes = columns.bytes();
  bytes += frame.points.size() * (sizeof(CutPoint) + 2 * sizeof(Value) * n_features());
  if (frame.record != nullptr) bytes += frame.record->bytes();
  bytes += gate_hold_->counted(sets);
  if (bytes > allowance) context_->limits->memory_exhausted();
}

}  // namespace treeproof::threshold
