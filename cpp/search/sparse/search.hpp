// The depth-first search with a budget: is there a tree for these rows that costs less than the
// budget? The answer is a pair of bounds, which is written to the memo. Splits are tried in the
// order of their bounds, and the easier child is solved first, because a child that turns out to be
// too expensive rules out the split before its harder sibling is searched.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/steps.hpp"
#include "search/memo.hpp"
#include "search/sparse/depth_three.hpp"
#include "search/sparse/expand.hpp"
#include "search/sparse/refute.hpp"
#include "search/sparse/work_marks.hpp"

namespace treeproof::sparse {

template <class Word>
class Search {
 public:
  // `marks` are shared by the threads that share the memo; null if there is only one thread. With
  // `preparing`, the constructor throws `Stopped` when a limit is reached before the search can
  // begin.
  Search(const Layout& layout, const Settings& settings, Limits& limits, Memo& memo,
         WorkMarks* marks = nullptr, bool preparing = false);

  Bounds root() const;

  // Raises the lower bound of the root to `budget` or solves the root, unless stopped. `work`
  // limits this call to about this many microseconds (0: no limit).
  void deepen(Cost budget, std::int64_t work);

  // A helper stops and unwinds as soon as the number of its current order changes.
  void obey(const std::atomic<std::uint32_t>* orders) { orders_ = orders; }
  void take_order() { order_ = orders_->load(std::memory_order_acquire); }

  // Solves any set of rows whose bounds the memo has dropped; or, given a budget, only decides
  // whether some tree costs less.
  Bounds resolve(const std::vector<std::int32_t>& rows, int depth_left,
                 Cost budget = kInfiniteCost);

  // Reports every proof step to this listener from now on (null: to none).
  void listen(StepListener* listener) { listener_ = listener; }
  StepListener* listener() const { return listener_; }

  const Memo& memo() const { return memo_; }
  Memo& memo() { return memo_; }
  Counters& counters() { return counters_; }
  std::int64_t work_done() const { return work_done_; }
  int depth_limit() const { return depth_limit_; }
  // The memory of the current path; the memo counts its own.
  std::uint64_t bytes() const;
  Cost split_cost() const { return settings_.split_cost; }
  SplitPrice<Cost> price() const { return settings_.price(); }
  bool out_of_time() const { return limits_.reason() != StopReason::none; }

  // The key of the memo for rows with this many levels left below them.
  Key key_at(Key rows, int depth_left) const;
  // All bounds known for rows with this many levels left, including those of neighbouring depths.
  Bounds known(const Key& rows, int depth_left) const;
  int child_depth(int depth_left) const {
    return depth_left >= kUnlimited ? kUnlimited : depth_left - 1;
  }

  // A node of the current path: its rows and its expansion.
  struct Level {
    Frame<Word> frame;
    Expansion<Word> expansion;
    std::vector<std::uint8_t> used;   // per candidate: finished or in progress
    std::vector<std::uint8_t> tried;  // per child of the current candidate
    std::vector<Key> child_keys;      // per child of the current candidate
    std::vector<Use> uses;            // the proof so far, if there is a listener
    // Only with several threads:
    // per candidate: postponed, because another thread works on one of its children
    std::vector<std::uint8_t> deferred;
    int depth_left = 0;
    Cost budget = 0;
    // lower bound on the cost of everything but the child being solved
    Cost others = 0;
  };
  Level& level(std::size_t depth);
  std::int32_t outcome(const Level& here, const Candidate& candidate, std::int32_t k) const;
  // The branch of the current node, which is kept only if there is a listener.
  std::vector<Literal>& branch() { return branch_; }
  Expander<Word>& expander() { return expander_; }
  const kernels::Kernels<Word>& kernel() const { return kernel_; }
  // Also counts work; true if the search has to unwind.
  bool stop();

 private:
  Bounds solve(std::size_t depth, int depth_left, Cost budget);
  bool solve_three_levels(Level& here, Bounds& node);
  void look_at_prices();
  std::size_t pick(const Level& here, Cost best, bool& alone) const;
  void follow_others(std::size_t depth);
  bool settled_by_others(std::size_t depth, Bounds& node);
  void begin_use(Level& here, const Candidate& candidate) const;
  void settle(Level& here, std::size_t a, Bounds& node) const;
  void refine(Level& here, std::size_t a, int depth_left, Bounds& node);
  void refute_two_splits(Level& here, const Candidate& candidate, std::int32_t k, int depth_left);
  void learn_tree(Level& here, std::int32_t child, const Key& rows, int depth_left, Cost cost,
                  std::int32_t test);
  bool refute_three_splits(Level& here, Frame<Word>& packed, std::int32_t child, const Key& rows,
                           int depth_left, Cost budget);
  bool work_on(std::size_t depth, int depth_left, std::size_t a, bool alone, Bounds& node);
  void find_child_keys(Level& here, const Candidate& candidate) const;
  void raise_child(Level& here, const Candidate& candidate, std::int32_t k, const Bounds& child,
                   int below);
  void cite(Level& here, const Candidate& candidate, std::int32_t k, bool by_expansion,
            const Key& key, Cost bound);
  void share_bounds(Level& here, const Candidate& done, bool unlimited);
  template <class Raise>
  Cost share_with(Level& here, const Candidate& done, const Candidate& open, const Raise& raise);

  const Layout& layout_;
  const Settings& settings_;
  const kernels::Kernels<Word>& kernel_;
  Limits& limits_;
  Counters counters_;
  Expander<Word> expander_;
  Refuter<Word> refuter_;
  DepthThree<Word> three_;
  Memo& memo_;
  WorkMarks* marks_;
  const std::atomic<std::uint32_t>* orders_ = nullptr;
  std::uint32_t order_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Literal> branch_;  // branch of the current node, if there is a listener
  StepListener* listener_ = nullptr;
  int depth_limit_;
  bool similarity_is_sound_;
  bool refutation_is_sound_;
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  std::size_t top_ = 0;              // depth of the first node of the path
  std::size_t leave_to_ = kNowhere;  // depth of a node that other threads have settled
  std::int64_t work_done_ = 0;
  std::int64_t work_limit_ = 0;
  std::uint32_t price_version_ = 0;
  std::vector<Count<Word>> quarter_total_, quarter_most_;
  std::vector<std::int64_t> part_total_, part_minority_;
};

extern template class Search<std::uint16_t>;
extern template class Search<std::uint32_t>;

}  // namespace treeproof::sparse
