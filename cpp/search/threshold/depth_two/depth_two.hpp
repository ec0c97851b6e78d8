// Optimal trees of depth two over every threshold.
//
// For a root feature, sweeping the cut through its sorted list keeps histograms of the left
// side for all second features at once (class_lanes.hpp, moment_lanes.hpp); a cut is then
// bounded in one pass over the bins. Write l(x) and r(x) for the optimal cost left and right
// of the cut x, with at most one more split on each side.
//
//   monotone   l rises and r falls with x, because a tree for more rows serves fewer rows at
//              no higher cost. So l(x) + r(x) >= l(x1) + r(x2) on [x1, x2].
//   unit step  (labels) leaving out rows of weight w lowers an optimal cost by at most w. So
//              l + r changes by at most the weight passed, in both directions.
//
// Stage 1 bounds two dozen cuts of every feature. Stage 2 takes the features in the order of their
// bounds, and bisects the intervals that are still open; as long as no tree below the cut-off is
// known, this follows stage 1 of the feature at once, while the window is at its end. Exact stumps
// are computed only if a bound leaves something to gain, with a cut-off: if l(x) reaches best -
// r(x2), all of [x, x2] is settled. Bisection instead of a left-to-right sweep in stage 2 was 4 to
// 7 times faster on noisy tables; 24 coarse cuts were better than 6 or 12.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/candidates.hpp"
#include "search/threshold/depth_two/lane_memory.hpp"
#include "search/threshold/depth_two/rebuild.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/depth_two/weight_steps.hpp"
#include "search/threshold/relaxed_minimum.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <Loss L, class Lanes>
class DepthTwo {
 public:
  using Value = typename L::Value;

  DepthTwo(const Context<L>& context, Lanes& lanes, StumpSolver<L>& stumps)
      : context_(&context), lanes_(&lanes), rebuild_(context, stumps) {}

  Answer<Value> solve(const Task<Value>& task) {
    ++context_->counters->depth_two_solves;
    task_ = &task;
    size_ = task.rows->size();
    min_leaf_ = task.min_leaf;
    best_ = task.cutoff;
    best_root_ = BestRoot{};
    if (lanes_->load(*task.rows, task.around)) ++context_->counters->shared_bins;
    visited_ = 0;
    const Value leaf = lanes_->leaf_of_all();
    if (leaf < best_) {
      best_ = leaf;
      best_root_.found = true;
    }
    list_candidates(*context_, task, candidates_);
    stopped_ = false;
    whole_ = Value{};
    if (!context_->loss->closes(context_->settings.split_cost, best_)) {
      bound_whole();
      sweep_all();
      refine_all();
      copy_doubles();
    } else {
      for (Candidate& c : candidates_) raise_both(c, context_->settings.split_cost);
    }
    return answer(leaf);
  }

  // Builds the tree of a planned answer to this task.
  SplitTree tree(const Task<Value>& task, const BestRoot& root) {
    Value cost{};
    return rebuild_(task, root, cost, [](std::uint32_t) { return false; });
  }

  // The cuts of stage 1 of the last solve: bounds for sides that split at most once more.
  // Empty for features that were not swept.
  std::span<const CutBounds<Value>> cuts(std::int32_t f) const {
    if (context_->restricted(f)) return {};  // each of its ways to split has its own points
    for (const Candidate& c : candidates_)
      if (c.feature == f) return c.points;
    return {};
  }

 private:
  using Point = CutBounds<Value>;
  using Candidate = RootCandidate<Value>;

  // Reports this cut to the prover. Trivial cuts, with all rows on one side, are skipped.
  void look(const Candidate& c, std::uint32_t first, const Point& x) const {
    const std::uint32_t inside = x.position - first;
    if (task_->counted_cuts != nullptr && inside > 0 && inside < size_)
      task_->counted_cuts->push_back({c.feature, first, x.position, x.left, x.right});
  }
  Value at_end(Value bound) const { return task_->counted_cuts != nullptr ? Value{} : bound; }
  static void raise(Value& bound, Value to) { bound = std::max(bound, to); }
  static void raise_both(Candidate& c, Value to) {
    raise(c.lower, to);
    raise(c.own, to);
  }
  Value penalty() const { return context_->settings.split_cost; }
  // The total cost that both children must stay below.
  Value budget() const { return best_ - penalty(); }
  bool closed(Value children) const { return context_->loss->closes(penalty() + children, best_); }
  // Counts the work since the last call: rows moved through all lanes, and rows visited by scans.
  bool stop(std::uint32_t rows_moved) {
    constexpr std::uint64_t kNanosecondsToScanRow = 8;
    const std::uint64_t visited = lanes_->visited() - std::exchange(visited_, lanes_->visited());
    nanoseconds_ += lanes_->nanoseconds_to_move(rows_moved) + visited * kNanosecondsToScanRow;
    return stop_after(
        static_cast<std::uint32_t>(std::exchange(nanoseconds_, nanoseconds_ % 1000) / 1000));
  }
  bool stop_after(std::uint32_t microseconds) {
    stopped_ = context_->limits->stop(microseconds);
    return stopped_;
  }
  FeatureKind kind(std::int32_t f) const { return context_->columns->kind(f); }

  Value side_leaf(const Candidate& c, Side side) const {
    const std::int32_t says = side == Side::left ? c.left_says : c.right_says;
    if constexpr (requires { lanes_->leaf_saying(side, says); })
      if (says >= 0) return lanes_->leaf_saying(side, says);
    return lanes_->leaf(side);
  }
  // Returns the cost of a side, given the loss of its best stump.
  Value side_cost(bool splits, Value leaf, Value stump) const {
    return splits ? std::min(leaf, penalty() + stump) : leaf;
  }
  Value exact_side(const Candidate& c, Side side, Value cap) {
    const bool splits = side == Side::left ? c.left_splits : c.right_splits;
    const Value leaf = side_leaf(c, side);
    if (!splits || leaf <= penalty()) return leaf;
    const Value stump_cap = std::min(cap, leaf) - penalty();
    return std::min(leaf, penalty() + lanes_->exact(side, stump_cap, *context_->counters));
  }

  void improve(const Candidate& c, TestKind test, std::uint32_t first, std::uint32_t last,
               Value children) {
    if (penalty() + children >= best_) return;
    best_ = penalty() + children;
    best_root_ = {true,          c.feature,      test,        first,       last,
                  c.left_splits, c.right_splits, c.left_says, c.right_says};
  }

  // Lower bounds of both sides at the current window, with relaxed minima. Trees found on the way
  // (which need the true minimum) improve the best one.
  Point bound_cut(const Candidate& c, std::uint32_t min_left, std::uint32_t min_right,
                  TestKind test, std::uint32_t first, std::uint32_t last) {
    const Value leaf_left = side_leaf(c, Side::left), leaf_right = side_leaf(c, Side::right);
    const StumpBounds<Value> b = lanes_->bounds(min_left, min_right, *context_->counters);
    const Point point{last, side_cost(c.left_splits, leaf_left, b.left_lower),
                      side_cost(c.right_splits, leaf_right, b.right_lower)};
    if (min_left == min_leaf_ && min_right == min_leaf_ && last - first >= min_leaf_ &&
        size_ - (last - first) >= min_leaf_)
      improve(c, test, first, last,
              side_cost(c.left_splits, leaf_left, b.left_upper) +
                  side_cost(c.right_splits, leaf_right, b.right_upper));
    return point;
  }

  // ---- stage 1 -------------------------------------------------------------------------

  void sweep_all() {
    for (Candidate& c : candidates_) {
      if (stopped_) return;
      if (context_->loss->closes(c.lower, best_)) {
        ++context_->counters->inherited_prunes;
        continue;
      }
      const FeatureView view(*context_->columns, *task_->rows, c.feature);
      if (view.constant() || size_ < 2 * min_leaf_) {
        c.lower = c.own = context_->loss->infinite();
        continue;
      }
      c.doubled = doubled(c.feature, view);
      if (c.doubled) {
        ++context_->counters->doubled_splits;
        continue;
      }
      ++context_->counters->sweeps;
      lanes_->begin(c.feature);
      switch (kind(c.feature)) {
        case FeatureKind::ordered:
          if (looks_twice()) coarse_cuts_twice(c, view);
          else coarse_cuts(c, view);
          // If no tree is below the cut-off, every feature has to be refined, so the order does not
          // matter.
          if (!best_root_.found && !stopped_ && !context_->loss->closes(c.lower, best_)) {
            refine(c, true);
            c.refined = true;
          }
          break;
        case FeatureKind::one_vs_rest: one_vs_rest(c, view); break;
        case FeatureKind::multiway: multiway(c, view); break;
      }
    }
  }

  // A multiway split into two is the same as one category against the rest, if the column may be
  // split that way as well.
  bool doubled(std::int32_t f, const FeatureView& view) const {
    return kind(f) == FeatureKind::multiway && task_->counted_cuts == nullptr &&
           task_->splits >= 3 && context_->double_of(f) >= 0 && view.two_runs();
  }
  // Takes over the bounds that are known of the other split; they also hold for more rows, in which
  // it has more children, since restricted to these rows it is the same split.
  void copy_doubles() {
    for (Candidate& c : candidates_) {
      if (!c.doubled) continue;
      for (const Candidate& other : candidates_)
        if (other.feature == context_->double_of(c.feature)) {
          raise(c.lower, other.lower);
          raise(c.own, other.own);
        }
    }
  }

  // Bounds the best tree of depth one on all rows. It serves as a bound at both ends of every
  // feature's list, where no cut is and all rows are on one side.
  void bound_whole() {
    lanes_->begin(0);
    lanes_->window(0, 0);
    whole_ = side_cost(true, lanes_->leaf(Side::right),
                       lanes_->bounds(1, 1, *context_->counters).right_lower);
  }

  // depth_two/coarse_cuts.hpp
  void coarse_cuts(Candidate& c, const FeatureView& view);
  void coarse_cuts_twice(Candidate& c, const FeatureView& view);
  void fill_in(Candidate& c, const FeatureView& view, std::size_t from);
  void bound_intervals(Candidate& c);
  static constexpr bool kLooksBetween =
      requires(Lanes lanes, Value cap) { lanes.between(0u, 0u, cap, cap); };
  // Whether bounds of a cut take so much longer than moving rows that the window may pass twice.
  bool looks_twice() const {
    if constexpr (requires { lanes_->looks_twice(); })
      return min_leaf_ == 1 && task_->counted_cuts == nullptr && lanes_->looks_twice();
    else return false;
  }
  // Tells the lanes what is known of both sides of the next cut, and what costs do not matter. A
  // proof counts every column at each of its cuts.
  void look_between(const Point& a, const Point& b) {
    if constexpr (kLooksBetween)
      if (task_->counted_cuts == nullptr)
        lanes_->between(a.position, b.position, budget() - b.right - penalty(),
                        budget() - a.left - penalty());
  }

  // Returns a lower bound for the cuts strictly between a and b, and for a and b themselves if they
  // are cuts.
  Value interval_bound(const Point& a, const Point& b) const {
    const Value monotone = a.left + b.right;
    if constexpr (L::kUnitStep) {
      if (context_->unit_step(min_leaf_)) {
        const Value width = lanes_->weight_between(a.position, b.position);
        return std::max(monotone,
                        context_->round_up((a.left + a.right + b.left + b.right - width + 1) / 2));
      }
    }
    return monotone;
  }

  // ---- stage 2 -------------------------------------------------------------------------

  void refine_all() {
    order_.clear();
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (candidates_[k].points.size() >= 2 && !candidates_[k].refined) order_.push_back(k);
    std::ranges::sort(order_, [&](std::size_t a, std::size_t b) {
      return candidates_[a].lower < candidates_[b].lower;
    });
    for (const std::size_t k : order_) {
      if (stopped_) return;
      Candidate& c = candidates_[k];
      if (context_->loss->closes(c.lower, best_)) continue;
      ++context_->counters->sweeps;
      lanes_->begin(c.feature);
      refine(c, false);
    }
  }

  // At the end of stage 1 the window holds all rows. With `back`, the cuts are taken from there
  // backwards, so that the window passes every row once. Otherwise all coarse cuts come first,
  // since they may have good trees.
  void refine(Candidate& c, bool back) {
    const FeatureView view(*context_->columns, *task_->rows, c.feature);
    pieces_ = own_pieces_ = context_->loss->infinite();
    back_ = back;
    if (back) {
      for (std::size_t k = c.points.size() - 1; k-- > 0 && !stopped_;) {
        if (k > 0) settle_coarse(c, k);
        bisect(c, view, c.points[k], c.points[k + 1]);
      }
    } else {
      for (std::size_t k = 1; k + 1 < c.points.size() && !stopped_; ++k) settle_coarse(c, k);
      for (std::size_t k = 0; k + 1 < c.points.size() && !stopped_; ++k)
        bisect(c, view, c.points[k], c.points[k + 1]);
    }
    if (stopped_) return;
    raise(c.lower, penalty() + pieces_);
    raise(c.own, penalty() + own_pieces_);
  }

  void settle_coarse(Candidate& c, std::size_t k) {
    Point& point = c.points[k];
    Value own = point.left + point.right;
    if (!closed(own)) {
      if (stop(size_ / 24)) return;
      own = settle(c, point, c.points[k - 1], c.points[k + 1]);
    }
    piece(point.left + point.right, own);
  }

  // Cuts whose children cost at least `bound`, and at least `own` on these rows alone. With a
  // minimum leaf size, values that also hold for neighbouring cuts are lower.
  void piece(Value bound, Value own) {
    pieces_ = std::min(pieces_, bound);
    own_pieces_ = std::min(own_pieces_, own);
  }

  // Exact values at a cut between a and b, as far as they matter: l only below budget - r(b), and r
  // only below budget - l(a). If l + r then stays below the budget, neither was cut off, so the sum
  // is exact and some tree attains it.
  Value settle(const Candidate& c, Point& x, const Point& a, const Point& b) {
    const std::uint32_t p = x.position;
    lanes_->window(0, p);
    look_between(a, b);
    const std::uint32_t min_left = relaxed_minimum(min_leaf_, b.position - p);
    const std::uint32_t min_right = relaxed_minimum(min_leaf_, p - a.position);
    Point fresh = bound_cut(c, min_left, min_right, TestKind::threshold, 0, p);
    raise(x.left, std::max(fresh.left, a.left));
    raise(x.right, std::max(fresh.right, b.right));
    if (!closed(x.left + b.right)) raise(x.left, exact_side(c, Side::left, budget() - b.right));
    if (!closed(a.left + x.right)) raise(x.right, exact_side(c, Side::right, budget() - a.left));
    if (closed(x.left + x.right)) return x.left + x.right;
    if (p < min_leaf_ || size_ - p < min_leaf_) return context_->loss->infinite();
    if (min_left == min_leaf_ && min_right == min_leaf_) {
      improve(c, TestKind::threshold, 0, p, x.left + x.right);
      return x.left + x.right;
    }
    // The relaxed values leave something to gain, so the true values are computed.
    fresh = bound_cut(c, min_leaf_, min_leaf_, TestKind::threshold, 0, p);
    if (closed(fresh.left + fresh.right)) return fresh.left + fresh.right;
    const Value left = exact_side(c, Side::left, budget() - fresh.right);
    if (closed(left + fresh.right)) return left + fresh.right;
    const Value right = exact_side(c, Side::right, budget() - left);
    if (!closed(left + right)) improve(c, TestKind::threshold, 0, p, left + right);
    return left + right;
  }

  void bisect(const Candidate& c, const FeatureView& view, const Point& a, const Point& b) {
    if (stopped_) return;
    const Value bound = interval_bound(a, b);
    if (closed(bound)) {
      ++(closed(a.left + b.right) ? context_->counters->interval_prunes
                                  : context_->counters->step_prunes);
      piece(bound, bound);
      return;
    }
    std::uint32_t low = std::max(a.position + 1, min_leaf_);
    std::uint32_t high = std::min(b.position - 1, size_ - min_leaf_);
    if (context_->unit_step(min_leaf_)) {
      // Cuts within (value at the end - budget) of an end cost at least the budget.
      const Value from_low = a.left + a.right - budget();
      const Value from_high = b.left + b.right - budget();
      if (from_low >= 0 || from_high >= 0) {
        const std::uint32_t was_low = low, was_high = high;
        if (from_low >= 0) low = std::max(low, advance(*lanes_, a.position, size_, from_low));
        if (from_high >= 0) high = std::min(high, retreat(*lanes_, b.position, from_high));
        if (low > was_low || high < was_high) {
          ++context_->counters->shrinks;
          piece(budget(), budget());
        }
      }
    }
    if (low > high) return;
    const std::uint32_t p = view.nearest_boundary(low + (high - low) / 2, low, high);
    if (p == 0) return;
    if (stop((b.position - a.position) / 2)) return;
    Point x{p, Value{}, Value{}};
    const Value own = settle(c, x, a, b);
    look(c, 0, x);
    piece(x.left + x.right, own);
    if (back_) bisect(c, view, x, b);
    bisect(c, view, a, x);
    if (!back_) bisect(c, view, x, b);
  }

  // ---- categorical roots: depth_two/category_roots.hpp ---------------------------------

  void one_vs_rest(Candidate& c, const FeatureView& view);
  void multiway(Candidate& c, const FeatureView& view);
  // Returns the weight of positions of the root feature's list, for problems that may leave out
  // categories.
  Value weight_of(std::uint32_t first, std::uint32_t last) const {
    if constexpr (L::kUnitStep)
      if (context_->settings.leave_out) return lanes_->weight_between(first, last);
    return Value{};
  }

  // ---- the answer ----------------------------------------------------------------------

  Answer<Value> answer(Value leaf) {
    for (const Candidate& c : candidates_)
      for (const Point& point : c.points) look(c, 0, point);
    if (stopped_ && rebuild_.slow(*task_->rows)) {
      best_ = std::min(leaf, task_->cutoff);
      best_root_ = BestRoot{.found = leaf < task_->cutoff};
    }
    Answer<Value> out;
    out.lower = leaf;
    Value lower = leaf;  // also for supersets of these rows
    for (const Candidate& c : candidates_) {
      check([&] { return c.lower <= c.own; }, "a bound for more rows holds for fewer");
      out.lower = std::min(out.lower, c.own);
      lower = std::min(lower, c.lower);
    }
    out.found = best_root_.found;
    out.upper = best_;
    // Sums of real numbers depend on their order, so unless lanes count, the tree is built to know
    // its cost.
    if (Lanes::kCounts && task_->may_plan && !stopped_ && best_root_.found) {
      out.planned = best_root_.feature >= 0;
      out.root = best_root_;
      ++context_->counters->planned_trees;
    } else if (best_root_.found) {
      const auto stop_here = [&](std::uint32_t work) { return stop_after(work); };
      out.tree = rebuild_(*task_, best_root_, out.upper, stop_here);
      if (stopped_) best_root_.found = out.found = keep_cheaper(*task_, leaf, out);
    }
    // If the bound proves the cost within the tolerance of the loss, the cost itself is the bound.
    const bool proved = context_->loss->closes(out.lower, out.upper);
    check([&] { return stopped_ || proved; }, "a finished solve of depth two proves its answer");
    if (proved && best_root_.found) out.lower = out.upper;
    else if (proved) raise(out.lower, out.upper);
    hand_out(proved && best_root_.found ? out.lower : lower);
    return out;
  }

  // Writes bounds for each feature that also hold for supersets of these rows. On a superset, the
  // first split of a tree may leave all of these rows on one side; the tree then costs the penalty
  // plus at least the best tree of depth one on them (bounded by `whole_`), or of any depth allowed
  // here.
  void hand_out(Value lower) {
    if (task_->lower_out.empty()) return;
    const Value one_sided = penalty() + std::max(whole_, lower);
    std::ranges::fill(task_->lower_out, one_sided);
    for (const Candidate& c : candidates_) {
      Value& out = task_->lower_out[static_cast<std::size_t>(c.feature)];
      out = std::min(out, c.lower);
    }
  }

  const Context<L>* context_;
  Lanes* lanes_;
  Rebuilder<L> rebuild_;

  const Task<Value>* task_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t min_leaf_ = 1;
  Value best_{};
  Value whole_{};       // lower bound on the cost of these rows with one level less
  Value pieces_{};      // over the cuts of a candidate, the least bound on the children,
  Value own_pieces_{};  // and the least bound for these rows alone
  BestRoot best_root_;
  bool stopped_ = false;
  bool back_ = false;              // cuts are bisected from right to left
  std::uint64_t visited_ = 0;      // rows visited by scans when limits were last polled
  std::uint64_t nanoseconds_ = 0;  // of work that the limits have not been told of yet
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> order_;
  std::vector<Value> gains_;
};

}  // namespace treeproof::threshold

#include "search/threshold/depth_two/category_roots.hpp"
#include "search/threshold/depth_two/coarse_cuts.hpp"
