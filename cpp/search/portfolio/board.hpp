// The best trees and bounds of every depth, shared by all searches of one fit.
//
// A level is a limit on the depth. A tree of depth k belongs to all levels from k on, and a lower
// bound for one level also holds for all lower levels, since they have fewer trees.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "search/exchange.hpp"

namespace treeproof::portfolio {

inline constexpr int kAnyDepth = 1 << 30;

template <class Value>
class Board {
 public:
  // `max_depth`: the maximum depth that the fit allows. `closes(lower, upper)` says whether a bound
  // proves a cost; for real-valued costs this includes a tolerance. Every tree costs `forced` in
  // addition to its splits.
  Board(int max_depth, Value infinite, Value split_cost,
        std::function<bool(Value lower, Value upper)> closes, Value forced = {})
      : max_depth_(max_depth), infinite_(infinite), split_cost_(split_cost),
        closes_(std::move(closes)), forced_(forced) {}

  int max_depth() const { return max_depth_; }

  // A search may end once the best tree costs at most `absolute`, plus this share of its own cost,
  // more than the lower bound.
  void tolerate(double absolute, double relative) {
    absolute_tolerance_ = absolute;
    relative_tolerance_ = relative;
  }
  // Whether the gap of the whole problem is small enough for the search to end.
  bool close_enough() const {
    if (!(absolute_tolerance_ > 0.0) && !(relative_tolerance_ > 0.0)) return false;
    const auto cost = static_cast<double>(upper(max_depth_));
    const double gap = cost - static_cast<double>(lower(max_depth_));
    return gap <= absolute_tolerance_ + relative_tolerance_ * cost;
  }

  // Records a tree. Returns true if it is an improvement.
  bool found(const SplitTree& tree, Value cost) {
    const int depth = tree.depth();
    const std::scoped_lock guard(mutex_);
    check(
        [&] {
          return std::all_of(lower_.lower_bound(depth), lower_.end(),
                             [&](const auto& known) { return closes_(cost, known.second); });
        },
        "no tree costs less than a proved bound");
    if (!(cost < upper_below(depth))) return false;
    trees_[depth] = {tree, cost};
    // Remove the deeper trees that cost no less: nobody needs them any more.
    for (auto it = trees_.upper_bound(depth); it != trees_.end();)
      it = cost <= it->second.cost ? trees_.erase(it) : std::next(it);
    ++news_;
    return true;
  }

  // Records that no tree of at most this depth costs less. (Deeper trees have more splits than
  // that.) Returns true if this is an improvement.
  bool proved(int depth, Value lower) {
    const std::scoped_lock guard(mutex_);
    bool news = raise(depth, lower);
    if (depth < max_depth_)
      news |=
          raise(max_depth_, std::min(lower, forced_ + static_cast<Value>(depth + 1) * split_cost_));
    return news;
  }

  Value upper(int depth) const {
    const std::scoped_lock guard(mutex_);
    return upper_below(depth);
  }
  Value lower(int depth) const {
    const std::scoped_lock guard(mutex_);
    Value best{};
    for (auto it = lower_.lower_bound(depth); it != lower_.end(); ++it)
      best = std::max(best, it->second);
    return best;
  }
  std::optional<CostedTree<Value>> best(int depth) const {
    const std::scoped_lock guard(mutex_);
    const auto above = trees_.upper_bound(depth);
    if (above == trees_.begin()) return std::nullopt;
    return std::prev(above)->second;
  }

  // Whether it is proved that no tree of at most this depth costs less than `cost`.
  bool closed(int depth, Value cost) const { return closes_(lower(depth), cost); }
  bool solved() const { return closed(max_depth_, upper(max_depth_)); }

  // A counter that grows with every better tree or bound, so that readers see that something
  // changed.
  std::uint64_t news() const { return news_.load(); }

 private:
  // Trees are stored by depth, each cheaper than all shallower ones.
  Value upper_below(int depth) const {
    const auto above = trees_.upper_bound(depth);
    return above == trees_.begin() ? infinite_ : std::prev(above)->second.cost;
  }
  bool raise(int depth, Value lower) {
    Value& known = lower_[depth];
    if (!(known < lower)) return false;
    check([&] { return closes_(upper_below(depth), lower); },
          "no bound exceeds the cost of a known tree");
    known = lower;
    ++news_;
    return true;
  }

  const int max_depth_;
  const Value infinite_;
  const Value split_cost_;
  const std::function<bool(Value, Value)> closes_;
  const Value forced_;
  double absolute_tolerance_ = 0.0;
  double relative_tolerance_ = 0.0;
  mutable std::mutex mutex_;
  std::map<int, CostedTree<Value>> trees_;
  std::map<int, Value> lower_;
  std::atomic<std::uint64_t> news_ = 0;
};

// The board as the search of one level sees it.
template <class Value>
class LevelExchange final : public Exchange<Value> {
 public:
  // `rivals`: only trees that cost less than all known trees of at most this depth are of interest.
  // For a shallow level, whose best tree is wanted even if deeper trees cost less, it is the level
  // itself.
  LevelExchange(Board<Value>& board, int level, int rivals, std::function<void()> call)
      : board_(board), level_(level), rivals_(rivals), call_(std::move(call)) {}

  Value upper() const override { return board_.upper(rivals_); }
  std::optional<CostedTree<Value>> better_than(Value cost) const override {
    std::optional<CostedTree<Value>> best = board_.best(rivals_);
    if (best && !(best->cost < cost)) best.reset();
    return best;
  }
  void found(const SplitTree& tree, Value cost) override {
    if (board_.found(tree, cost)) call_();
  }
  void proved(Value lower) override {
    if (board_.proved(level_, lower)) call_();
  }

 private:
  Board<Value>& board_;
  const int level_;
  const int rivals_;
  const std::function<void()> call_;
};

}  // namespace treeproof::portfolio
