// Proofs of numeric problems, derived once the search knows the answer.
//
// The search for numbers prunes with what neighbouring cuts taught it, in an order that would
// make a long story. A prover that knows the optimum needs less: it shows that every tree costs
// at least B by bounding, for each feature, a few cuts so well that the others follow by the
// rule *order* of docs/proof-format.md. Write l(x) and r(x) for what is known of the sides of
// the cut x, and L for the cost of a split. An interval (a, b) of cuts is closed if
// L + l(a) + r(b) >= B (a tree for more rows serves fewer), or, for labels, if its cuts lie
// within weight l(a) + r(a) + L - B of a, or likewise of b. Else its middle cut is bounded and
// both halves are looked at. Left of a cut only costs below B - L - r(b) matter, and right of it
// those below B - L - l(a).
//
// A side is bounded by nothing but counts where these suffice (a leaf; one split more), by a
// *look* (its best stump), or by a step of its own. What the search has settled about trees of
// two levels is in its record, with the tests that prove it (search/threshold/record.hpp); these
// are cited, and only what the record leaves open is solved anew. For deeper trees the search is
// asked for the optimum of the side, which is then proved in the same way.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/key.hpp"
#include "core/limits.hpp"
#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "proof/known_cuts.hpp"
#include "proof/step_text.hpp"
#include "search/threshold/axis.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/stump.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::proof {

// What trees may have: levels of splits and splits, -1 for any number.
struct Room {
  int depth;
  int splits;

  bool none() const { return depth == 0 || splits == 0; }
  bool one_split() const { return depth == 1 || splits == 1; }
  int below() const { return depth < 0 ? -1 : depth - 1; }
  // Whether what holds with this room holds with the other.
  bool covers(Room other) const {
    const auto least = [](int mine, int theirs) {
      return mine < 0 || (theirs >= 0 && mine >= theirs);
    };
    return least(depth, other.depth) && least(splits, other.splits);
  }
  bool operator==(const Room&) const = default;
};

template <class Value>
struct Proved {
  std::int64_t step = -1;
  Value bound{};  // less than asked for if the claim was too high, or a limit was hit
};

template <Loss L>
class Prover {
 public:
  using Value = typename L::Value;
  // The least cost of a tree on these rows, or the cut-off if that is less.
  using Optimum = std::function<Value(const RowSubset&, Room, Value cutoff)>;
  // The same for trees of depth two and so many splits, from counts of the cuts it lists.
  using TwoLevels = std::function<Value(const RowSubset&, int splits, Value cutoff,
                                        std::vector<threshold::Looked<Value>>& looks)>;
  using Record = threshold::Record<Value>;

  // `scale` turns costs into those of the proof. The record is that of a search for trees on the
  // whole table.
  Prover(const Columns& columns, const L& loss, Value split_cost, std::uint32_t min_leaf,
         Value scale, Optimum optimum, TwoLevels two_levels, const Record& record, Limits& limits,
         StepText& text)
      : columns_(&columns), loss_(&loss), split_cost_(split_cost), min_leaf_(min_leaf),
        scale_(scale), optimum_(std::move(optimum)), two_levels_(std::move(two_levels)),
        record_(&record), limits_(&limits), text_(&text), stumps_(columns, loss),
        chooser_(columns, loss, split_cost) {
    std::int32_t next = 0;
    for (std::int32_t f = 0; f < columns.n_features(); ++f) {
      first_test_.push_back(next);
      const std::int32_t n = columns.n_values(f);
      if (n < 2) continue;
      switch (columns.kind(f)) {
        case FeatureKind::ordered: next += n - 1; break;
        case FeatureKind::one_vs_rest: next += n == 2 ? 1 : n; break;
        case FeatureKind::multiway: next += 1; break;
      }
    }
  }

  // Writes steps that show: every tree on the whole table costs `bound` at least.
  Proved<Value> prove(Room room, Value bound) {
    const RowSubset rows = RowSubset::whole(*columns_);
    branch_.clear();
    return prove(rows, room, bound);
  }

 private:
  // A child and where its rows are: positions first .. last - 1 of the feature's list, or all
  // others.
  struct Side {
    std::int32_t feature;
    std::uint32_t first, last;
    bool inside;
    Literal literal;
    std::int32_t n_outcomes;
    Room room;
  };
  // What the proof will say of it, by a look or by a step.
  struct Claim {
    Side side;
    Value bound;
    std::int64_t step;  // kLook for a look, kLater for a step that is to be proved
  };
  // What a step cites for a child of a test.
  struct Cited {
    std::int32_t test;
    std::int32_t outcome;
    std::int32_t n_outcomes;
    std::int64_t step;

    auto operator<=>(const Cited&) const = default;
  };
  using Point = threshold::CutBounds<Value>;
  // A column of thresholds in a node, and the room on both sides of its cuts.
  struct Cuts {
    threshold::Axis<L> axis;
    Room left, right;
  };
  // Cuts of a column between two of which something is known.
  struct Interval {
    std::size_t column;
    Point a, b;

    Value bound() const { return a.left + b.right; }
  };
  struct Node {
    const RowSubset* rows;
    Room room;
    Value bound;
    Value proved;
    std::vector<Claim> claims;
    std::vector<Cuts> columns;   // of thresholds
    std::vector<Interval> open;  // a heap: the one of which least is known is on top
  };
  using Settled = threshold::Settled<Value>;
  struct Known {
    Room room;
    Value bound;
    std::int64_t step;
    bool exact;  // no tree proves more
  };
  static constexpr std::int64_t kLater = -2;

  bool closes(Value cost, Value bound) const { return loss_->closes(cost, bound); }
  bool closed(const Node& node, Value children) const {
    return closes(split_cost_ + children, node.bound);
  }
  Value needed(const Node& node) const { return node.bound - split_cost_; }
  bool stopped() const { return limits_->reason() != StopReason::none; }
  bool by_order() const { return min_leaf_ == 1; }

  Proved<Value> prove(const RowSubset& rows, Room room, Value bound) {
    Node node{&rows, room, bound, bound, {}, {}, {}};
    const Value leaf = stumps_.leaf(rows);
    node.proved = std::min(bound, leaf);
    const bool trivial = !(Value{} < node.proved) || room.none();
    if (!trivial && by_counts(room)) return prove_by_counts(rows, room, node.proved);
    for (std::int32_t f = 0; f < columns_->n_features() && !trivial; ++f) close_feature(node, f);
    close_intervals(node);
    std::vector<Cited> cited = cite(node);
    return write(room, node.proved, cited);
  }

  // Proves what the claims of a node need; lists what is to be cited in the order of tests.
  std::vector<Cited> cite(Node& node) {
    std::vector<Cited> cited;
    Value short_of{};
    for (const Claim& claim : node.claims) {
      std::int64_t step = claim.step;
      if (step == kLater) {
        if (stopped()) {
          node.proved = Value{};
          return {};
        }
        const Proved<Value> known = prove_child(node, claim);
        step = known.step;
        short_of += std::max(Value{}, claim.bound - known.bound);
      }
      cited.push_back({claim.side.literal.test, claim.side.literal.outcome,
                       claim.side.n_outcomes, step});
    }
    node.proved -= short_of;
    return cited;
  }

  // Writes the step of the present branch.
  Proved<Value> write(Room room, Value bound, std::vector<Cited>& cited) {
    const Value claim = std::max(bound, Value{});
    if (claim <= Value{}) cited.clear();
    std::ranges::sort(cited);
    const auto repeated = std::ranges::unique(cited);
    cited.erase(repeated.begin(), repeated.end());
    text_->begin(branch_, room.depth, room.splits, claim * scale_);
    for (std::size_t k = 0; k < cited.size();) {
      const Cited& first = cited[k];
      text_->use(first.test);
      for (std::int32_t outcome = 0; outcome < first.n_outcomes; ++outcome) {
        text_->outcome();
        for (; k < cited.size() && cited[k].test == first.test && cited[k].outcome == outcome; ++k)
          text_->cite(cited[k].step);
      }
    }
    return {text_->end(), claim};
  }

  Proved<Value> prove_child(const Node& node, const Claim& claim) {
    RowSubset inside, outside;
    partitioner_.cut_out(*node.rows, claim.side.feature, claim.side.first, claim.side.last, inside,
                         outside);
    return prove_child(claim.side.inside ? inside : outside, claim.side, claim.bound);
  }

  Proved<Value> prove_child(const RowSubset& rows, const Side& side, Value bound) {
    Key key;
    for (std::uint32_t r = 0; r < rows.size(); ++r) key += random_key(rows.row(r));
    for (const Known& known : known_[key])
      if (known.room.covers(side.room) &&
          ((known.exact && known.room == side.room) || known.bound >= bound))
        return {known.step, known.bound};
    branch_.push_back(side.literal);
    const Proved<Value> proved = prove(rows, side.room, bound);
    branch_.pop_back();
    const bool exact = proved.bound < bound && !stopped();
    known_[key].push_back({side.room, proved.bound, proved.step, exact});
    return proved;
  }

  // Whether counts of children and their stumps are all that a step needs: trees of two levels
  // or of two splits.
  bool by_counts(Room room) const {
    return two_levels_ && room.depth != 1 && (room.depth == 2 || room.splits == 2);
  }

  // Writes a step that looks at both sides of the tests which the solver of two levels counted.
  Proved<Value> prove_by_counts(const RowSubset& rows, Room room, Value bound) {
    if (const Settled* known = settled(room); known != nullptr)
      return write_settled(room, std::min(bound, known->bound), known->tests);
    looks_.clear();
    const Value claim = std::clamp(two_levels_(rows, room.splits, bound, looks_), Value{}, bound);
    return write_settled(room, claim, chooser_.choose(rows, room.splits, claim, looks_));
  }

  Proved<Value> write_settled(Room room, Value bound,
                              const std::vector<threshold::CountedTest>& tests) {
    children_.clear();
    for (const threshold::CountedTest& test : tests) list_children(test);
    return write(room, bound, children_);
  }

  // What the record says of trees in the whole table.
  const Settled* settled(Room room) const {
    const std::optional<Settled>& whole = record_->whole();
    return branch_.empty() && whole && covers(*whole, room) ? &*whole : nullptr;
  }
  static bool covers(const Settled& settled, Room room) {
    return Room{2, settled.splits}.covers(room);
  }

  void list_children(const threshold::CountedTest& counted) {
    const std::int32_t first = first_test(counted.feature);
    const std::int32_t n_values = columns_->n_values(counted.feature);
    switch (columns_->kind(counted.feature)) {
      case FeatureKind::ordered:
        // Several tests may make this cut; see raise_side.
        children_.push_back({first + counted.low, 0, 2, kLook});
        children_.push_back({first + counted.high, 1, 2, kLook});
        break;
      case FeatureKind::one_vs_rest: {
        const bool mirrored = n_values == 2 && counted.low == 1;
        const std::int32_t test = mirrored ? first : first + counted.low;
        children_.push_back({test, 0, 2, kLook});
        children_.push_back({test, 1, 2, kLook});
        break;
      }
      case FeatureKind::multiway:
        children_.push_back({first, counted.low, n_values, kLook});
        break;
    }
  }

  // A lower bound on the optimum of a side, as good as `cutoff` if it can be; notes what has to
  // be cited for it.
  Value bound_side(Node& node, const RowSubset& rows, const Side& side, Value cutoff) {
    limits_->stop(rows.size() * static_cast<std::uint32_t>(columns_->n_features()) / 200 + 1);
    const Value leaf = stumps_.leaf(rows);
    if (side.room.none()) return leaf;
    const Value uncited = std::min(leaf, split_cost_);
    if (closes(uncited, cutoff)) return uncited;
    Value looked{};
    if (side.room.one_split() || Value{} < split_cost_) {
      const threshold::Split<Value> stump = stumps_.best_by_loss(rows, min_leaf_);
      looked = leaf;
      if (stump.feature >= 0) looked = std::min(leaf, split_cost_ + stump.score);
      const bool exact = side.room.one_split() || stump.feature < 0;
      if (!exact) looked = std::min(looked, 2 * split_cost_);
      if (exact || closes(looked, cutoff)) {
        node.claims.push_back({side, looked, kLook});
        return looked;
      }
    }
    if (by_counts(side.room)) {
      const Settled* known = settled(side, cutoff);
      const Proved<Value> proved =
          known != nullptr ? prove_settled(*known, side) : prove_child(rows, side, cutoff);
      node.claims.push_back({side, proved.bound, proved.step});
      return std::max(proved.bound, looked);
    }
    const Value best = std::min(cutoff, optimum_(rows, side.room, cutoff));
    const bool look = best <= looked;
    node.claims.push_back({side, look ? looked : best, look ? kLook : kLater});
    return std::max(best, looked);
  }

  // What the record says of trees in a side of a cut of the whole table, if that is enough, or all
  // that can be said.
  const Settled* settled(const Side& side, Value cutoff) const {
    if (!branch_.empty()) return nullptr;
    for (const Settled& known : record_->sides())
      if (known.side.feature == side.feature && known.side.first == side.first &&
          known.side.last == side.last && known.side.inside == side.inside &&
          covers(known, side.room) &&
          ((known.exact && known.splits == side.room.splits) || closes(known.bound, cutoff)))
        return &known;
    return nullptr;
  }

  Proved<Value> prove_settled(const Settled& known, const Side& side) {
    branch_.push_back(side.literal);
    const Proved<Value> proved = write_settled(side.room, known.bound, known.tests);
    branch_.pop_back();
    return proved;
  }

  // Trees that start with some test may cost no more than this.
  void fail(Node& node, Value children) {
    node.proved = std::min(node.proved, split_cost_ + children);
  }

  void close_feature(Node& node, std::int32_t f) {
    const FeatureView view(*columns_, *node.rows, f);
    if (view.constant()) return;
    const bool by_halves = columns_->kind(f) == FeatureKind::ordered && by_order();
    close_feature(node, f, view);
    if (stopped() && !by_halves) fail(node, Value{});
  }

  void close_feature(Node& node, std::int32_t f, const FeatureView& view) {
    if (columns_->kind(f) == FeatureKind::multiway) {
      close_multiway(node, f, view);
      return;
    }
    const int below = node.room.below();
    const int last = node.room.splits < 0 ? 0 : node.room.splits - 1;
    for (int j = 0; j <= last; ++j) {
      const Room left{below, node.room.splits < 0 ? -1 : j};
      const Room right{below, node.room.splits < 0 ? -1 : last - j};
      if (left.none() && right.none()) continue;  // leaves: the checker counts
      if (columns_->kind(f) == FeatureKind::ordered) close_thresholds(node, f, left, right, view);
      else close_categories(node, f, left, right, view);
    }
  }

  // ---- thresholds ------------------------------------------------------------------------

  void close_thresholds(Node& node, std::int32_t f, Room left, Room right,
                        const FeatureView& view) {
    const std::uint32_t n = node.rows->size();
    Cuts cuts{threshold::Axis<L>(*columns_, *loss_, *node.rows, f, split_cost_), left, right};
    cuts.axis.bound_leaves(left.none(), right.none());
    if (by_order()) {
      cite_record(node, cuts);
      node.columns.push_back(std::move(cuts));
      return;
    }
    for (std::uint32_t p = min_leaf_; p + min_leaf_ <= n && !stopped(); ++p) {
      if (!view.boundary(p)) continue;
      Point x = cuts.axis.known_at(p);
      if (closed(node, x.left + x.right)) continue;
      cut(node, cuts.axis.feature(), p);
      raise_side(node, cuts, x, true, needed(node) - x.right);
      if (!closed(node, x.left + x.right))
        raise_side(node, cuts, x, false, needed(node) - x.left);
      if (!closed(node, x.left + x.right)) fail(node, x.left + x.right);
    }
  }

  void cut(const Node& node, std::int32_t feature, std::uint32_t p) {
    if (levels_.size() <= branch_.size()) levels_.resize(branch_.size() + 1);
    Parts& parts = levels_[branch_.size()];
    partitioner_.cut(*node.rows, feature, p, parts.left, parts.right);
  }

  // Cites what the record says of a column's cuts, and lists what that leaves open.
  void cite_record(Node& node, const Cuts& cuts) {
    KnownCuts<L> known(*loss_, cuts.axis, needed(node));
    if (branch_.empty())
      for (const Settled& settled : record_->sides())
        if (settled.side.feature == cuts.axis.feature() &&
            covers(settled, settled.side.inside ? cuts.left : cuts.right))
          known.add(settled);
    std::vector<std::pair<Point, Point>> open;
    for (const Settled* settled : known.choose(open)) {
      const Side side = side_of(cuts, settled->side.last, settled->side.inside);
      const Proved<Value> proved = prove_settled(*settled, side);
      node.claims.push_back({side, proved.bound, proved.step});
    }
    for (const auto& [a, b] : open) node.open.push_back({node.columns.size(), a, b});
  }

  static std::int32_t lowest_code(const FeatureView& view, std::uint32_t position) {
    return static_cast<std::int32_t>(view.rank_at(position - 1));
  }
  static std::int32_t highest_code(const FeatureView& view, std::uint32_t position) {
    return static_cast<std::int32_t>(view.rank_at(position)) - 1;
  }

  // Several tests may make the same cut of these rows. By *order* the bound of the lowest code
  // on the left, and of the highest on the right, serves them all.
  Side side_of(const Cuts& cuts, std::uint32_t position, bool left) const {
    const std::int32_t f = cuts.axis.feature();
    const FeatureView& view = cuts.axis.view();
    const std::int32_t code = left ? lowest_code(view, position) : highest_code(view, position);
    return {f, 0, position, left, {first_test(f) + code, left ? 0 : 1}, 2,
            left ? cuts.left : cuts.right};
  }

  // Without *order* each of the tests is cited.
  void raise_side(Node& node, const Cuts& cuts, Point& x, bool left, Value cutoff) {
    const Side side = side_of(cuts, x.position, left);
    Value& known = left ? x.left : x.right;
    const std::size_t before = node.claims.size();
    Parts& parts = levels_[branch_.size()];
    known = std::max(known, bound_side(node, left ? parts.left : parts.right, side, cutoff));
    if (by_order() || node.claims.size() == before) return;
    const FeatureView& view = cuts.axis.view();
    for (std::int32_t code = lowest_code(view, x.position);
         code <= highest_code(view, x.position); ++code) {
      Claim same = node.claims[before];
      same.side.literal.test = first_test(side.feature) + code;
      if (same.side.literal.test != side.literal.test) node.claims.push_back(same);
    }
  }

  // Shows that no cut of the columns of thresholds is cheaper than the node's bound. The interval
  // of which least is known comes first, so that what is left when time is up is known best.
  void close_intervals(Node& node) {
    const auto later = [](const Interval& x, const Interval& y) { return x.bound() > y.bound(); };
    std::ranges::make_heap(node.open, later);
    while (!node.open.empty()) {
      std::ranges::pop_heap(node.open, later);
      const Interval next = node.open.back();
      node.open.pop_back();
      if (closed(node, next.bound())) return;  // so are all others
      if (stopped()) return fail(node, next.bound());
      const Cuts& cuts = node.columns[next.column];
      const std::optional<Point> x = middle(node, cuts, next.a, next.b);
      if (!x) continue;
      for (const Interval& half : {Interval{next.column, next.a, *x},
                                   Interval{next.column, *x, next.b}}) {
        node.open.push_back(half);
        std::ranges::push_heap(node.open, later);
      }
    }
  }

  // The cut in the middle of those between a and b that are left, bounded; none if none is left.
  std::optional<Point> middle(Node& node, const Cuts& cuts, const Point& a, const Point& b) {
    const Value need = needed(node);
    std::uint32_t low = a.position + 1, high = b.position - 1;
    cuts.axis.shrink(a, b, need, low, high);
    if (low > high) return {};
    const std::uint32_t p = cuts.axis.view().nearest_boundary(low + (high - low) / 2, low, high);
    if (p == 0) return {};
    Point x = cuts.axis.known_at(p);
    x.left = std::max(x.left, a.left);
    x.right = std::max(x.right, b.right);
    if constexpr (L::kUnitStep) {
      x.left = std::max(x.left, b.left - cuts.axis.weight_between(p, b.position));
      x.right = std::max(x.right, a.right - cuts.axis.weight_between(a.position, p));
    }
    if (!closed(node, x.left + x.right)) {
      cut(node, cuts.axis.feature(), p);
      if (!closed(node, x.left + b.right)) raise_side(node, cuts, x, true, need - b.right);
      if (!closed(node, a.left + x.right)) raise_side(node, cuts, x, false, need - a.left);
      if (!closed(node, x.left + x.right)) fail(node, x.left + x.right);
    }
    return x;
  }

  // ---- categories ------------------------------------------------------------------------

  void close_categories(Node& node, std::int32_t f, Room left, Room right,
                        const FeatureView& view) {
    const std::uint32_t n = node.rows->size();
    for (std::uint32_t first = 0; first < n && !stopped();) {
      const std::uint32_t last = view.run_end(first);
      const auto code = static_cast<std::int32_t>(view.rank_at(first));
      const std::uint32_t size = last - first;
      const bool mirrored = columns_->n_values(f) == 2 && code == 1;  // has no test of its own
      if (size >= min_leaf_ && n - size >= min_leaf_ && !mirrored) {
        RowSubset inside, outside;
        partitioner_.cut_out(*node.rows, f, first, last, inside, outside);
        const std::int32_t test = first_test(f) + code;
        const Side yes{f, first, last, true, {test, 0}, 2, left};
        const Side no{f, first, last, false, {test, 1}, 2, right};
        const Value out = bound_side(node, outside, no, needed(node));
        if (!closed(node, out)) {
          const Value in = bound_side(node, inside, yes, needed(node) - out);
          if (!closed(node, in + out)) fail(node, in + out);
        }
      }
      first = last;
    }
  }

  void close_multiway(Node& node, std::int32_t f, const FeatureView& view) {
    const std::vector<std::uint32_t> starts = view.runs();
    const int below = node.room.below();
    const int k = node.room.splits;
    if (k == 1 || below == 0) return;
    std::vector<RowSubset> parts;
    partitioner_.cut_runs(*node.rows, f, starts, parts);
    for (const RowSubset& part : parts)
      if (part.size() < min_leaf_) return;
    // best[j]: the least sum of the children's bounds if they have j splits.
    std::vector<Value> best(static_cast<std::size_t>(std::max(k, 1)), Value{});
    for (std::size_t c = 0; c < parts.size(); ++c) {
      const std::uint32_t last = c + 1 < parts.size() ? starts[c + 1] : node.rows->size();
      const auto code = static_cast<std::int32_t>(view.rank_at(starts[c]));
      std::vector<Value> next(best.size(), loss_->infinite());
      for (std::size_t j = 0; j < best.size(); ++j) {
        const Room room{below, k < 0 ? -1 : static_cast<int>(j)};
        const Side side{f, starts[c], last, true, {first_test(f), code},
                        columns_->n_values(f), room};
        const Value bound = bound_side(node, parts[c], side, needed(node));
        for (std::size_t i = j; i < best.size(); ++i)
          next[i] = std::min(next[i], best[i - j] + bound);
      }
      best = std::move(next);
    }
    if (!closed(node, best.back())) fail(node, best.back());
  }

  std::int32_t first_test(std::int32_t f) const {
    return first_test_[static_cast<std::size_t>(f)];
  }

  struct Parts {
    RowSubset left, right;
  };

  const Columns* columns_;
  const L* loss_;
  Value split_cost_;
  std::uint32_t min_leaf_;
  Value scale_;
  Optimum optimum_;
  TwoLevels two_levels_;  // empty if there is none
  const Record* record_;
  Limits* limits_;
  StepText* text_;
  threshold::StumpSolver<L> stumps_;
  Partitioner partitioner_;
  std::vector<std::int32_t> first_test_;
  std::vector<Parts> levels_;  // the sides of a cut, for each depth of the branch
  std::vector<Literal> branch_;
  threshold::TestChooser<L> chooser_;
  std::vector<threshold::Looked<Value>> looks_;
  std::vector<Cited> children_;
  std::unordered_map<Key, std::vector<Known>, KeyHash> known_;
};

}  // namespace treeproof::proof
