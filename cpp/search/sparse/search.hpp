// The budgeted depth-first search: is there a tree for these rows that costs less than the
// budget? The answer is always a pair of bounds, written to the memo. Splits are tried in
// the order of their bounds, the easy child first, because a child that turns out too dear
// closes the split before its harder sibling is touched.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/steps.hpp"
#include "search/memo.hpp"
#include "search/sparse/expand.hpp"
#include "search/sparse/refute.hpp"
#include "search/sparse/work_marks.hpp"

namespace treeproof::sparse {

template <class Word>
class Search {
 public:
  // `marks`: of the threads that share the memo; null if there is only this one.
  Search(const Layout& layout, const Settings& settings, Limits& limits, Memo& memo,
         WorkMarks* marks = nullptr);

  Bounds root() const;

  // Raises the root's lower bound to `budget` or solves it, unless stopped. `work` limits
  // this call to about so many microseconds (0: no limit).
  void deepen(Cost budget, std::int64_t work);

  // A helper unwinds as soon as the number of its orders is not the one it took.
  void obey(const std::atomic<std::uint32_t>* orders) { orders_ = orders; }
  void take_order() { order_ = orders_->load(std::memory_order_acquire); }

  // Solves any set of rows, for knowledge the memo has had to give up; or, given a budget,
  // only as far as to know whether a tree costs less.
  Bounds resolve(const std::vector<std::int32_t>& rows, int depth_left,
                 Cost budget = kInfiniteCost);

  // Tells a listener (or none) every step of the argument for a lower bound from now on.
  void listen(StepListener* listener) { listener_ = listener; }
  StepListener* listener() const { return listener_; }

  const Memo& memo() const { return memo_; }
  Memo& memo() { return memo_; }
  Counters& counters() { return counters_; }
  std::int64_t work_done() const { return work_done_; }
  int depth_limit() const { return depth_limit_; }
  // What the path occupies; the memo counts its own.
  std::uint64_t bytes() const;
  Cost split_cost() const { return settings_.split_cost; }
  SplitPrice<Cost> price() const { return settings_.price(); }
  bool out_of_time() const { return limits_.reason() != StopReason::none; }

  // The memo's key for rows with a number of levels left below them.
  Key key_at(Key rows, int depth_left) const;
  // All that is known about rows with so many levels left, neighbouring depths included.
  Bounds known(const Key& rows, int depth_left) const;
  int child_depth(int depth_left) const {
    return depth_left >= kUnlimited ? kUnlimited : depth_left - 1;
  }

  // A node of the current path: its rows and its expansion.
  struct Level {
    Frame<Word> frame;
    Expansion<Word> expansion;
    std::vector<std::uint8_t> used;     // per candidate: finished or being worked on
    std::vector<std::uint8_t> tried;    // per child of the current candidate
    std::vector<Key> child_keys;        // per child of the current candidate
    std::vector<Use> uses;              // the argument so far, if anyone listens
    // With other threads about:
    std::vector<std::uint8_t> deferred; // per candidate: put off, a child is marked
    int depth_left = 0;
    Cost budget = 0;
    Cost others = 0;                    // what all but the child being solved cost at least
  };
  Level& level(std::size_t depth);
  std::int32_t outcome(const Level& here, const Candidate& candidate, std::int32_t k) const;
  // The branch of the node being worked on, kept while someone listens.
  std::vector<Literal>& branch() { return branch_; }
  Expander<Word>& expander() { return expander_; }
  const kernels::Kernels<Word>& kernel() const { return kernel_; }
  // Also tracks work; true if the search has to unwind.
  bool stop();

 private:
  Bounds solve(std::size_t depth, int depth_left, Cost budget);
  void look_at_prices();
  std::size_t pick(const Level& here, Cost best, bool& alone) const;
  void follow_others(std::size_t depth);
  bool settled_by_others(std::size_t depth, Bounds& node);
  void begin_use(Level& here, const Candidate& candidate) const;
  void settle(Level& here, std::size_t a, Bounds& node) const;
  void refine(Level& here, std::size_t a, int depth_left, Bounds& node);
  void refute_two_splits(Level& here, const Candidate& candidate, std::int32_t k,
                         int depth_left);
  void learn_tree(Level& here, std::int32_t child, const Key& rows, int depth_left, Cost cost,
                  std::int32_t test);
  bool refute_three_splits(Level& here, Frame<Word>& packed, std::int32_t child,
                           const Key& rows, int depth_left, Cost budget);
  bool work_on(std::size_t depth, int depth_left, std::size_t a, bool alone, Bounds& node);
  void find_child_keys(Level& here, const Candidate& candidate) const;
  void raise_child(Level& here, const Candidate& candidate, std::int32_t k,
                   const Bounds& child, int below);
  void cite(Level& here, const Candidate& candidate, std::int32_t k, bool by_expansion,
            const Key& key, Cost bound);
  void share_bounds(Level& here, const Candidate& done, bool unlimited);
  template <class Raise>
  Cost share_with(Level& here, const Candidate& done, const Candidate& open,
                  const Raise& raise);

  const Layout& layout_;
  const Settings& settings_;
  const kernels::Kernels<Word>& kernel_;
  Limits& limits_;
  Counters counters_;
  Expander<Word> expander_;
  Refuter<Word> refuter_;
  Memo& memo_;
  WorkMarks* marks_;
  const std::atomic<std::uint32_t>* orders_ = nullptr;
  std::uint32_t order_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Literal> branch_;  // of the current node, if anyone listens
  StepListener* listener_ = nullptr;
  int depth_limit_;
  bool similarity_is_sound_;
  bool refutation_is_sound_;
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  std::size_t top_ = 0;            // depth of the path's first node
  std::size_t leave_to_ = kNowhere;  // depth of a node that others have settled
  std::int64_t work_done_ = 0;
  std::int64_t work_limit_ = 0;
  std::uint32_t price_version_ = 0;
  std::vector<Count<Word>> quarter_total_, quarter_most_;
  std::vector<std::int64_t> part_total_, part_minority_;
};

extern template class Search<std::uint16_t>;
extern template class Search<std::uint32_t>;

}  // namespace treeproof::sparse
