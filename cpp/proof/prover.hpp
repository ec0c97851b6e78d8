// Proofs for numeric columns, derived after the search has found the answer.
//
// The search over thresholds prunes with bounds of neighbouring cuts, so that a proof that follows
// its order would be very long. A prover that knows the optimum needs less. It shows that every
// tree costs at least B by bounding, for each feature, a few cuts so well that the others follow by
// the rule *order* of docs/proof-format.md. Write l(x) and r(x) for the known bounds of the two
// sides of the cut x, and L for the cost of a split. An interval (a, b) of cuts is settled if L +
// l(a) + r(b) >= B (because a tree for more rows can be used for fewer) or, for labels, if its cuts
// lie within weight l(a) + r(a) + L - B of a, or likewise of b. Otherwise the cut in the middle is
// bounded, and both halves are examined. The left side of this cut need not be bounded beyond B - L
// - r(b), nor its right side beyond B - L - l(a).
//
// A side is bounded by counts alone if these suffice (the cost of a leaf, or of one more split), by
// a *look* (the checker computes the best split into leaves), or by a step of its own. For trees of
// two levels, the record of the search contains the bounds that it found, with the tests that prove
// them (search/threshold/record.hpp). These are cited, and only what the record leaves open is
// solved again. For deeper trees, the search is run to find the optimum of the side, which is then
// proved in the same way from the record of this run.
//
// If there are prices, checkers compute the bounds that prices give for any set of rows themselves,
// so that nothing has to be cited for them.
#pragma once

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/key.hpp"
#include "core/limits.hpp"
#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "proof/step_text.hpp"
#include "proof/tree_budget.hpp"
#include "search/threshold/best_first/axis.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/price_bound.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::proof {

template <class Value>
struct Proved {
  std::int64_t step = -1;
  Value bound{};  // less than requested if the claim was too high or a limit was reached
};

template <Loss L>
class Prover {
 public:
  using Value = typename L::Value;
  using Record = threshold::Record<Value>;
  // Returns the lowest cost of a tree on these rows, or the cut-off if that is lower, and writes
  // the record of the search that found it.
  using Optimum = std::function<Value(const RowSubset&, TreeBudget, Value cutoff, Record&)>;
  // The same for trees of depth two with this many splits. It lists the cuts that it examined, with
  // their counts.
  using TwoLevels = std::function<Value(const RowSubset&, int splits, Value cutoff,
                                        std::vector<threshold::CountedCut<Value>>& counted_cuts)>;

  // `scale` is the factor from costs of the search to those of the proof. The record is that of a
  // search on the whole table.
  Prover(const threshold::Context<L>& context, Value scale, Optimum optimum, TwoLevels two_levels,
         const Record& record, StepText& text)
      : context_(&context), columns_(context.columns), loss_(context.loss),
        split_cost_(context.settings.split_cost), min_leaf_(context.settings.min_leaf),
        scale_(scale), optimum_(std::move(optimum)), two_levels_(std::move(two_levels)),
        record_(&record), restricted_(context.restricted()), limits_(context.limits), text_(&text),
        stumps_(*context.columns, *context.loss), chooser_(context) {
    if constexpr (std::same_as<L, Misclassification>)
      prices_.emplace(context.settings.prices, split_cost_, *context.loss);
    const Columns& columns = *columns_;
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

  // Writes steps that prove that every tree on the whole table costs at least `bound`.
  Proved<Value> prove(TreeBudget budget, Value bound) {
    const RowSubset rows = RowSubset::whole(*columns_);
    branch_.clear();
    return prove(rows, budget, bound);
  }

 private:
  // A child of a node. Its rows are those at the positions first .. last - 1 of the feature's
  // sorted list, or all others.
  struct Side {
    std::int32_t feature;
    std::uint32_t first, last;
    bool inside;
    Literal literal;
    std::int32_t n_outcomes;
    TreeBudget budget;
  };
  // The bound that the proof will state for a child, and the step that proves it.
  struct Claim {
    Side side;
    Value bound;
    std::int64_t step;  // the number of the step; kLook if the checker shall look at the child
  };
  // One of the citations of a step: the child of a test, and the step that bounds it.
  struct Cited {
    std::int32_t test;
    std::int32_t outcome;
    std::int32_t n_outcomes;
    std::int64_t step;

    auto operator<=>(const Cited&) const = default;
  };
  using Point = threshold::CutBounds<Value>;
  // A column of thresholds in a node, with the limits on the trees on both sides of its cuts.
  struct Cuts {
    threshold::Axis<L> axis;
    TreeBudget left, right;
    threshold::PriceSums priced;
  };
  // The cuts of a column between two cuts with known bounds.
  struct Interval {
    std::size_t column;
    Point a, b;

    Value bound() const { return a.left + b.right; }
  };
  struct Node {
    const RowSubset* rows;
    TreeBudget budget;
    Value bound;
    Value proved;
    std::vector<Claim> claims;
    std::vector<Cuts> columns;   // columns of thresholds
    std::vector<Interval> open;  // a heap with the interval of the lowest bound on top
  };
  using Settled = threshold::Settled<Value>;
  struct Known {
    TreeBudget budget;
    Value bound;
    std::int64_t step;
    bool exact;  // the bound is the optimum, so that no more can be proved
  };

  bool closes(Value cost, Value bound) const { return loss_->closes(cost, bound); }
  bool closed(const Node& node, Value children) const {
    return closes(split_cost_ + children, node.bound);
  }
  Value needed(const Node& node) const { return node.bound - split_cost_; }
  bool stopped() const { return limits_->reason() != StopReason::none; }
  bool by_order() const { return min_leaf_ == 1; }

  Proved<Value> prove(const RowSubset& rows, TreeBudget budget, Value bound) {
    Node node{&rows, budget, bound, bound, {}, {}, {}};
    const Value leaf = stumps_.leaf(rows);
    node.proved = std::min(bound, leaf);
    const bool trivial =
        !(Value{} < node.proved) || budget.none() || closes(priced(rows), node.proved);
    if (!trivial && by_counts(budget)) return prove_by_counts(rows, budget, node.proved);
    for (std::int32_t f = 0; f < columns_->n_features() && !trivial; ++f) close_feature(node, f);
    close_intervals(node);
    std::vector<Cited> cited;
    for (const Claim& claim : node.claims)
      cited.push_back(
          {claim.side.literal.test, claim.side.literal.outcome, claim.side.n_outcomes, claim.step});
    return write(budget, node.proved, cited);
  }

  // The bound that prices give for trees on these rows that have at least one split.
  Value priced(const RowSubset& rows) {
    return prices_ ? static_cast<Value>((*prices_)(rows)) : Value{};
  }
  // The bounds that counts and prices give for both sides of a cut. Prices are never higher than
  // the cost of a leaf.
  Point known_at(const Cuts& cuts, std::uint32_t p) const {
    Point x = cuts.axis.known_at(p);
    if (cuts.priced.empty()) return x;
    x.left = std::max(x.left, static_cast<Value>(prices_->left(cuts.priced, p)));
    x.right = std::max(x.right, static_cast<Value>(prices_->right(cuts.priced, p)));
    return x;
  }

  // Writes a step about the rows of the current branch.
  Proved<Value> write(TreeBudget budget, Value bound, std::vector<Cited>& cited) {
    const Value claim = std::max(bound, Value{});
    if (claim <= Value{}) cited.clear();
    std::ranges::sort(cited);
    const auto repeated = std::ranges::unique(cited);
    cited.erase(repeated.begin(), repeated.end());
    text_->begin(branch_, budget.depth, budget.splits, claim * scale_);
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

  static Key key_of(const RowSubset& rows) {
    Key key;
    for (std::uint32_t r = 0; r < rows.size(); ++r) key += random_key(rows.row(r));
    return key;
  }

  // Finds an earlier step about these rows that proves at least this bound, or the highest one that
  // can be proved.
  std::optional<Proved<Value>> recall(const Key& key, TreeBudget budget, Value bound) {
    for (const Known& known : known_[key])
      if (known.budget.covers(budget) &&
          ((known.exact && known.budget == budget) || known.bound >= bound))
        return Proved<Value>{known.step, known.bound};
    return {};
  }

  Proved<Value> prove_child(const RowSubset& rows, const Side& side, Value bound) {
    const Key key = key_of(rows);
    if (const auto before = recall(key, side.budget, bound)) return *before;
    branch_.push_back(side.literal);
    const Proved<Value> proved = prove(rows, side.budget, bound);
    branch_.pop_back();
    const bool exact = proved.bound < bound && !stopped();
    known_[key].push_back({side.budget, proved.bound, proved.step, exact});
    return proved;
  }

  // Whether a step about trees of these limits (two levels, or two splits) only needs counts of the
  // children and their best splits into leaves.
  bool by_counts(TreeBudget budget) const {
    return two_levels_ && !restricted_ && budget.depth != 1 &&
           (budget.depth == 2 || budget.splits == 2);
  }

  // Writes a step that asks the checker to look at both sides of the tests that the solver for two
  // levels examined.
  Proved<Value> prove_by_counts(const RowSubset& rows, TreeBudget budget, Value bound) {
    if (const Settled* known = settled(budget); known != nullptr)
      return write_settled(budget, as_asked(known->bound, bound), known->tests);
    counted_cuts_.clear();
    const Value claim = as_asked(two_levels_(rows, budget.splits, bound, counted_cuts_), bound);
    return write_settled(budget, claim, chooser_.choose(rows, budget.splits, claim, counted_cuts_));
  }

  // The requested bound, unless the bound that was found is lower by more than the rounding error
  // of a sum of doubles.
  Value as_asked(Value found, Value bound) const {
    return closes(found, bound) ? bound : std::max(found, Value{});
  }

  Proved<Value> write_settled(TreeBudget budget, Value bound,
                              const std::vector<threshold::CountedTest>& tests) {
    children_.clear();
    for (const threshold::CountedTest& test : tests) list_children(test);
    return write(budget, bound, children_);
  }

  // Whether the record is that of a search on the rows of the current branch.
  bool recorded() const { return !restricted_ && branch_.size() == record_level_; }
  // The entry of the record for trees on these rows.
  const Settled* settled(TreeBudget budget) const {
    const std::optional<Settled>& whole = record_->whole();
    return recorded() && whole && covers(*whole, budget) ? &*whole : nullptr;
  }
  static bool covers(const Settled& settled, TreeBudget budget) {
    return TreeBudget{2, settled.splits}.covers(budget);
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
      case FeatureKind::multiway: children_.push_back({first, counted.low, n_values, kLook}); break;
    }
  }

  // Returns a lower bound on the optimum of a side, up to `cutoff` if possible; adds the claim that
  // has to be cited for it to the node.
  Value bound_side(Node& node, const RowSubset& rows, const Side& side, Value cutoff) {
    limits_->stop(rows.size() * static_cast<std::uint32_t>(columns_->n_features()) / 200 + 1);
    const Value leaf = stumps_.leaf(rows);
    if (side.budget.none()) return leaf;
    const Value uncited = std::min(leaf, std::max(split_cost_, priced(rows)));
    if (closes(uncited, cutoff)) return uncited;
    Value looked{};
    if (side.budget.one_split() || Value{} < split_cost_) {
      const threshold::Split<Value> stump =
          stumps_.best_by_loss(rows, min_leaf_, context_->settings.multiway_loss());
      looked = leaf;
      if (stump.feature >= 0) looked = std::min(leaf, split_cost_ + stump.score);
      const bool exact = side.budget.one_split() || stump.feature < 0;
      if (!exact) looked = std::min(looked, std::max(2 * split_cost_, priced(rows)));
      if (exact || closes(looked, cutoff)) {
        node.claims.push_back({side, looked, kLook});
        return looked;
      }
    }
    if (by_counts(side.budget)) {
      const Settled* known = settled(side, cutoff);
      const Proved<Value> proved = known != nullptr ? prove_settled(*known, side, key_of(rows))
                                                    : prove_child(rows, side, cutoff);
      node.claims.push_back({side, proved.bound, proved.step});
      return std::max(proved.bound, looked);
    }
    Record own;
    const Value best = std::min(cutoff, optimum_(rows, side.budget, cutoff, own));
    if (best <= looked) {
      node.claims.push_back({side, looked, kLook});
      return looked;
    }
    const Record* outer = std::exchange(record_, &own);
    const std::size_t outer_level = std::exchange(record_level_, branch_.size() + 1);
    const Proved<Value> proved = prove_child(rows, side, best);
    record_ = outer;
    record_level_ = outer_level;
    node.claims.push_back({side, proved.bound, proved.step});
    return std::max(proved.bound, looked);
  }

  // The entry of the record for a side of a cut of these rows, if its bound reaches the cut-off or
  // is the highest possible.
  const Settled* settled(const Side& side, Value cutoff) const {
    if (!recorded()) return nullptr;
    for (const Settled& known : record_->sides())
      if (known.side.feature == side.feature && known.side.first == side.first &&
          known.side.last == side.last && known.side.inside == side.inside &&
          covers(known, side.budget) &&
          ((known.exact && known.splits == side.budget.splits) || closes(known.bound, cutoff)))
        return &known;
    return nullptr;
  }

  Proved<Value> prove_settled(const Settled& known, const Side& side, const Key& key) {
    if (const auto before = recall(key, side.budget, known.bound)) return *before;
    branch_.push_back(side.literal);
    const Proved<Value> proved = write_settled(side.budget, known.bound, known.tests);
    branch_.pop_back();
    const bool exact = known.exact && known.splits == side.budget.splits;
    known_[key].push_back({side.budget, proved.bound, proved.step, exact});
    return proved;
  }

  // Lowers the bound of the node: trees that start with some test may cost as little as this.
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
    const int below = node.budget.below();
    const int last = node.budget.splits < 0 ? 0 : node.budget.splits - 1;
    const TreeBudget leaf{0, 0}, rest{below, node.budget.splits < 0 ? -1 : last};
    for (const SplitWay& way : context_->ways(f)) {
      if (way.left_leaf || way.right_leaf) {
        close_way(node, f, way, way.left_leaf ? leaf : rest, way.right_leaf ? leaf : rest, view);
        continue;
      }
      for (int j = 0; j <= last; ++j)
        close_way(node, f, way, {below, node.budget.splits < 0 ? -1 : j},
                  {below, node.budget.splits < 0 ? -1 : last - j}, view);
    }
  }
  void close_way(Node& node, std::int32_t f, const SplitWay& way, TreeBudget left, TreeBudget right,
                 const FeatureView& view) {
    // Both sides are leaves, whose costs the checker computes.
    if (left.none() && right.none()) return;
    if (columns_->kind(f) == FeatureKind::ordered) close_thresholds(node, f, way, left, right);
    else close_categories(node, f, left, right, view);
  }

  // Columns of thresholds: prover_thresholds.hpp.
  void close_thresholds(Node& node, std::int32_t f, const SplitWay& way, TreeBudget left,
                        TreeBudget right);
  void close_one_by_one(Node& node, const Cuts& cuts);
  void cite_record(Node& node, const Cuts& cuts);
  static std::vector<Key> keys_before(const RowSubset& rows, std::int32_t f);
  void close_intervals(Node& node);
  std::optional<Point> middle(Node& node, const Cuts& cuts, const Point& a, const Point& b);
  void cut(const Node& node, std::int32_t feature, std::uint32_t p);
  void raise_side(Node& node, const Cuts& cuts, Point& x, bool left, Value cutoff);
  Side side_of(const Cuts& cuts, std::uint32_t position, bool left) const;
  // The lowest and the highest code of the tests that divide the rows at this position.
  static std::int32_t lowest_code(const FeatureView& view, std::uint32_t position) {
    return static_cast<std::int32_t>(view.rank_at(position - 1));
  }
  static std::int32_t highest_code(const FeatureView& view, std::uint32_t position) {
    return static_cast<std::int32_t>(view.rank_at(position)) - 1;
  }

  // Columns of categories: prover_categories.hpp.
  void close_categories(Node& node, std::int32_t f, TreeBudget left, TreeBudget right,
                        const FeatureView& view);
  void close_multiway(Node& node, std::int32_t f, const FeatureView& view);

  std::int32_t first_test(std::int32_t f) const { return first_test_[static_cast<std::size_t>(f)]; }

  struct Parts {
    RowSubset left, right;
  };

  const threshold::Context<L>* context_;
  const Columns* columns_;
  const L* loss_;
  Value split_cost_;  // of a split with two children
  std::uint32_t min_leaf_;
  Value scale_;
  Optimum optimum_;
  TwoLevels two_levels_;  // empty if the loss has no such solver
  const Record* record_;
  // True if some children must be leaves. Then the record and the solver for two levels do not say
  // which tests prove their bounds.
  bool restricted_;
  std::size_t record_level_ = 0;  // the length of the branch to whose rows the record belongs
  Limits* limits_;
  StepText* text_;
  threshold::StumpSolver<L> stumps_;
  Partitioner partitioner_;
  std::vector<std::int32_t> first_test_;
  std::deque<Parts> levels_;  // scratch memory: the sides of a cut, by the length of the branch
  std::vector<Literal> branch_;
  threshold::TestChooser<L> chooser_;
  std::vector<threshold::CountedCut<Value>> counted_cuts_;
  std::vector<Cited> children_;
  std::unordered_map<Key, std::vector<Known>, KeyHash> known_;
  std::optional<threshold::PriceBound> prices_;
};

}  // namespace treeproof::proof

#include "proof/prover_categories.hpp"
#include "proof/prover_thresholds.hpp"
