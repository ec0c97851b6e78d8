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
// *look* (its best stump), or by a step of its own: the optimum of its rows, for which the
// caller's search is asked, proved in the same way.
#pragma once

#include <algorithm>
#include <concepts>
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
#include "proof/side_stumps.hpp"
#include "proof/step_text.hpp"
#include "search/threshold/stump.hpp"

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

  // `scale` turns costs into those of the proof.
  Prover(const Columns& columns, const L& loss, Value split_cost, std::uint32_t min_leaf,
         Value scale, Optimum optimum, Limits& limits, StepText& text)
      : columns_(&columns), loss_(&loss), split_cost_(split_cost), min_leaf_(min_leaf),
        scale_(scale), optimum_(std::move(optimum)), limits_(&limits), text_(&text),
        stumps_(columns, loss) {
    if constexpr (std::same_as<L, Misclassification>) {
      if (min_leaf == 1 && SideStumps::serves(columns)) side_stumps_.emplace(columns, loss);
    }
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
    bool look;
  };
  struct Node {
    const RowSubset* rows;
    Room room;
    Value bound;
    Value proved;
    std::vector<Claim> claims;
  };
  struct Point {
    std::uint32_t position;
    Value left;
    Value right;
  };
  // A column of thresholds in a node.
  struct Axis {
    std::int32_t feature;
    Room left, right;
    std::vector<Value> weight;                // of the rows before each position
    std::vector<Value> base_left, base_right;  // what is known without citing anything
  };
  struct Known {
    Room room;
    Value bound;
    std::int64_t step;
  };

  bool closes(Value cost, Value bound) const { return loss_->closes(cost, bound); }
  bool closed(const Node& node, Value children) const {
    return closes(split_cost_ + children, node.bound);
  }
  Value needed(const Node& node) const { return node.bound - split_cost_; }
  bool stopped() const { return limits_->reason() != StopReason::none; }
  bool by_order() const { return min_leaf_ == 1; }

  Proved<Value> prove(const RowSubset& rows, Room room, Value bound) {
    Node node{&rows, room, bound, bound, {}};
    const Value leaf = stumps_.leaf(rows);
    node.proved = std::min(bound, leaf);
    const bool trivial = !(Value{} < node.proved) || room.none();
    if (side_stumps_ && !trivial) side_stumps_->prepare(rows);
    for (std::int32_t f = 0; f < columns_->n_features() && !trivial && !stopped(); ++f)
      close_feature(node, f);
    std::vector<CitedTest> uses = cite(node);
    if (stopped()) node.proved = Value{};
    const Value claim = std::max(node.proved, Value{});
    if (claim <= Value{}) uses.clear();
    return {text_->put(branch_, room.depth, room.splits, claim * scale_, uses), claim};
  }

  // Proves what the claims of a node need, and lists them by test.
  std::vector<CitedTest> cite(Node& node) {
    std::vector<CitedTest> uses;
    std::unordered_map<std::int32_t, std::size_t> place;
    Value short_of{};
    for (const Claim& claim : node.claims) {
      if (stopped()) return {};
      std::int64_t step = kLook;
      if (!claim.look) {
        const Proved<Value> known = prove_child(node, claim);
        step = known.step;
        short_of += std::max(Value{}, claim.bound - known.bound);
      }
      const auto [at, fresh] = place.try_emplace(claim.side.literal.test, uses.size());
      if (fresh) {
        uses.push_back({claim.side.literal.test, {}});
        uses.back().cited.resize(static_cast<std::size_t>(claim.side.n_outcomes));
      }
      auto& cited = uses[at->second].cited[static_cast<std::size_t>(claim.side.literal.outcome)];
      if (std::ranges::find(cited, step) == cited.end()) cited.push_back(step);
    }
    node.proved = std::min(node.proved, node.bound - short_of);
    return uses;
  }

  Proved<Value> prove_child(const Node& node, const Claim& claim) {
    RowSubset inside, outside;
    partitioner_.cut_out(*node.rows, claim.side.feature, claim.side.first, claim.side.last, inside, outside);
    const RowSubset& rows = claim.side.inside ? inside : outside;
    Key key;
    for (std::uint32_t r = 0; r < rows.size(); ++r) key += random_key(rows.row(r));
    for (const Known& known : known_[key])
      if (known.room.covers(claim.side.room) && known.bound >= claim.bound)
        return {known.step, known.bound};
    branch_.push_back(claim.side.literal);
    const Proved<Value> proved = prove(rows, claim.side.room, claim.bound);
    branch_.pop_back();
    known_[key].push_back({claim.side.room, proved.bound, proved.step});
    return proved;
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
        add_claim(node, side, looked, true);
        return looked;
      }
    }
    const Value best = std::min(cutoff, optimum_(rows, side.room, cutoff));
    const bool look = best <= looked;
    add_claim(node, side, look ? looked : best, look);
    return std::max(best, looked);
  }

  Value look_at_side(Node& node, const Side& side, bool left) {
    limits_->stop(node.rows->size() * static_cast<std::uint32_t>(columns_->n_features()) / 400 +
                  1);
    const SideStumps::Losses& losses = left ? side_stumps_->left() : side_stumps_->right();
    const auto leaf = static_cast<Value>(losses.leaf);
    if (side.room.none()) return leaf;
    const Value looked = std::min(leaf, split_cost_ + static_cast<Value>(losses.stump));
    add_claim(node, side, looked, true);
    return looked;
  }

  static void add_claim(Node& node, const Side& side, Value bound, bool look) {
    node.claims.push_back({side, bound, look});
  }

  void fail(Node& node, Value children) {
    node.proved = std::min(node.proved, split_cost_ + children);
  }

  void close_feature(Node& node, std::int32_t f) {
    const FeatureView view(*columns_, *node.rows, f);
    if (view.constant()) return;
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
    Axis axis{f, left, right, {}, {}, {}};
    weigh(node, axis);
    if (by_order()) {
      bisect(node, axis, view, {0, Value{}, Value{}}, {n, Value{}, Value{}});
      return;
    }
    for (std::uint32_t p = min_leaf_; p + min_leaf_ <= n && !stopped(); ++p) {
      if (!view.boundary(p)) continue;
      Point x = known_at(axis, p);
      if (closed(node, x.left + x.right)) continue;
      cut(node, axis, p);
      raise_side(node, axis, x, true, needed(node) - x.right);
      if (!closed(node, x.left + x.right))
        raise_side(node, axis, x, false, needed(node) - x.left);
      if (!closed(node, x.left + x.right)) fail(node, x.left + x.right);
    }
  }

  void weigh(const Node& node, Axis& axis) {
    const RowSubset& rows = *node.rows;
    const std::uint32_t* list = rows.list(axis.feature);
    const std::uint32_t n = rows.size();
    axis.weight.resize(n + 1);
    for (std::uint32_t k = 0; k < n; ++k)
      axis.weight[k + 1] = axis.weight[k] + loss_->weight(rows.row(list[k]));
    const bool nothing = split_cost_ <= Value{};
    axis.base_left.assign(n + 1, Value{});
    axis.base_right.assign(n + 1, Value{});
    const auto base = [&](Room room, Value leaf) {
      return room.none() ? leaf : std::min(leaf, split_cost_);
    };
    if (!nothing || axis.left.none()) {
      auto tally = loss_->tally();
      for (std::uint32_t k = 0; k < n; ++k) {
        loss_->add(tally, rows.row(list[k]));
        axis.base_left[k + 1] = base(axis.left, loss_->value(tally));
      }
    }
    if (!nothing || axis.right.none()) {
      auto tally = loss_->tally();
      for (std::uint32_t k = n; k-- > 0;) {
        loss_->add(tally, rows.row(list[k]));
        axis.base_right[k] = base(axis.right, loss_->value(tally));
      }
    }
  }

  static Point known_at(const Axis& axis, std::uint32_t p) {
    return {p, axis.base_left[p], axis.base_right[p]};
  }

  // Whether a look settles what there is to know of both sides.
  bool by_looks(const Axis& axis) const {
    const auto shallow = [](Room room) { return room.none() || room.one_split(); };
    return side_stumps_ && shallow(axis.left) && shallow(axis.right);
  }

  void cut(const Node& node, const Axis& axis, std::uint32_t p) {
    if (by_looks(axis)) {
      side_stumps_->cut(*node.rows, axis.feature, p);
      return;
    }
    if (levels_.size() <= branch_.size()) levels_.resize(branch_.size() + 1);
    Parts& parts = levels_[branch_.size()];
    partitioner_.cut(*node.rows, axis.feature, p, parts.left, parts.right);
  }

  // Several tests may make the same cut of these rows. By *order* the bound of the lowest code
  // on the left, and of the highest on the right, serves them all; without it, each is cited.
  void raise_side(Node& node, const Axis& axis, Point& x, bool left, Value cutoff) {
    const FeatureView view(*columns_, *node.rows, axis.feature);
    const auto lowest = static_cast<std::int32_t>(view.rank_at(x.position - 1));
    const auto highest = static_cast<std::int32_t>(view.rank_at(x.position)) - 1;
    const auto test = first_test(axis.feature) + (left ? lowest : highest);
    Side side{axis.feature, 0, x.position, left, {test, left ? 0 : 1}, 2,
              left ? axis.left : axis.right};
    Value& known = left ? x.left : x.right;
    const std::size_t before = node.claims.size();
    if (by_looks(axis)) {
      known = std::max(known, look_at_side(node, side, left));
    } else {
      Parts& parts = levels_[branch_.size()];
      known = std::max(known, bound_side(node, left ? parts.left : parts.right, side, cutoff));
    }
    if (by_order() || node.claims.size() == before) return;
    for (std::int32_t code = lowest; code <= highest; ++code) {
      Claim same = node.claims[before];
      same.side.literal.test = first_test(axis.feature) + code;
      if (same.side.literal.test != test) node.claims.push_back(same);
    }
  }

  // Shows that no cut strictly between a and b is cheaper than the node's bound.
  void bisect(Node& node, const Axis& axis, const FeatureView& view, const Point& a,
              const Point& b) {
    if (stopped() || closed(node, a.left + b.right)) return;
    const Value need = needed(node);
    std::uint32_t low = a.position + 1, high = b.position - 1;
    if constexpr (L::kUnitStep) shrink(axis, a, b, need, low, high);
    if (low > high) return;
    const std::uint32_t p = view.nearest_boundary(low + (high - low) / 2, low, high);
    if (p == 0) return;
    Point x = known_at(axis, p);
    x.left = std::max(x.left, a.left);
    x.right = std::max(x.right, b.right);
    if constexpr (L::kUnitStep) {
      x.left = std::max(x.left, b.left - (axis.weight[b.position] - axis.weight[p]));
      x.right = std::max(x.right, a.right - (axis.weight[p] - axis.weight[a.position]));
    }
    if (!closed(node, x.left + x.right)) {
      cut(node, axis, p);
      if (!closed(node, x.left + b.right)) raise_side(node, axis, x, true, need - b.right);
      if (!closed(node, a.left + x.right)) raise_side(node, axis, x, false, need - a.left);
      if (!closed(node, x.left + x.right)) fail(node, x.left + x.right);
    }
    bisect(node, axis, view, a, x);
    bisect(node, axis, view, x, b);
  }

  // Leaves out the cuts that a's or b's value reaches by their distance, and those that split
  // off no more than a split costs (not admissible).
  void shrink(const Axis& axis, const Point& a, const Point& b, Value need, std::uint32_t& low,
              std::uint32_t& high) const {
    const auto& before = axis.weight;
    const auto advance = [&](Value reach) {
      const auto beyond = std::ranges::upper_bound(before, reach);
      low = std::max(low, static_cast<std::uint32_t>(beyond - before.begin()));
    };
    const auto retreat = [&](Value reach) {
      const auto within = std::ranges::lower_bound(before, reach);
      const auto first = static_cast<std::uint32_t>(within - before.begin());
      high = first == 0 ? 0 : std::min(high, first - 1);
    };
    const Value from_a = a.left + a.right - need, from_b = b.left + b.right - need;
    if (from_a >= 0) advance(before[a.position] + from_a);
    if (from_b >= 0) retreat(before[b.position] - from_b);
    if (split_cost_ > 0) {
      advance(split_cost_);
      retreat(before.back() - split_cost_);
    }
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
  Limits* limits_;
  StepText* text_;
  threshold::StumpSolver<L> stumps_;
  std::optional<SideStumps> side_stumps_;  // for labels
  Partitioner partitioner_;
  std::vector<std::int32_t> first_test_;
  std::vector<Parts> levels_;  // the sides of a cut, for each depth of the branch
  std::vector<Literal> branch_;
  std::unordered_map<Key, std::vector<Known>, KeyHash> known_;
};

}  // namespace treeproof::proof
