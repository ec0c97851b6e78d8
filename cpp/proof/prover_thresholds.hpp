// Columns of thresholds in a proof: cuts that the search has settled are cited; the intervals
// between them that are still open are bisected (prover.hpp).
#pragma once

#include "proof/known_cuts.hpp"
#include "proof/prover.hpp"

namespace treeproof::proof {

template <Loss L>
void Prover<L>::close_thresholds(Node& node, std::int32_t f, const SplitWay& way, TreeBudget left,
                                 TreeBudget right) {
  Cuts cuts{threshold::Axis<L>(*context_, *node.rows, f), left, right, {}};
  cuts.axis.bound_leaves(left.none(), right.none(), way.says);
  if (prices_) prices_->sum_along(*node.rows, f, cuts.priced);
  if (by_order()) {
    cite_record(node, cuts);
    node.columns.push_back(std::move(cuts));
  } else {
    close_one_by_one(node, cuts);
  }
}

// If leaves have a minimum size, the rule *order* cannot be used, so that every cut is bounded by
// itself.
template <Loss L>
void Prover<L>::close_one_by_one(Node& node, const Cuts& cuts) {
  const std::uint32_t n = node.rows->size();
  for (std::uint32_t p = min_leaf_; p + min_leaf_ <= n && !stopped(); ++p) {
    if (!cuts.axis.view().boundary(p)) continue;
    Point x = known_at(cuts, p);
    if (closed(node, x.left + x.right)) continue;
    cut(node, cuts.axis.feature(), p);
    raise_side(node, cuts, x, true, needed(node) - x.right);
    if (!closed(node, x.left + x.right)) raise_side(node, cuts, x, false, needed(node) - x.left);
    if (!closed(node, x.left + x.right)) fail(node, x.left + x.right);
  }
}

template <Loss L>
void Prover<L>::cut(const Node& node, std::int32_t feature, std::uint32_t p) {
  if (levels_.size() <= branch_.size()) levels_.resize(branch_.size() + 1);
  Parts& parts = levels_[branch_.size()];
  partitioner_.cut(*node.rows, feature, p, parts.left, parts.right);
}

// Cites the entries of the record for the cuts of a column, and lists the intervals that they leave
// open. A side with at most one split needs no step, because the checker can look at it.
template <Loss L>
void Prover<L>::cite_record(Node& node, const Cuts& cuts) {
  KnownCuts<L> known(*loss_, cuts.axis, needed(node));
  if (recorded())
    for (const Settled& settled : record_->sides()) {
      const TreeBudget budget = settled.side.inside ? cuts.left : cuts.right;
      if (settled.side.feature == cuts.axis.feature() && covers(settled, budget) &&
          !budget.none() && !budget.one_split())
        known.add(settled);
    }
  std::vector<std::pair<Point, Point>> open;
  const std::vector<const Settled*> chosen = known.choose(open);
  if (!chosen.empty()) {
    const std::vector<Key> before = keys_before(*node.rows, cuts.axis.feature());
    for (const Settled* settled : chosen) {
      const Side side = side_of(cuts, settled->side.last, settled->side.inside);
      Key key = side.inside ? before[side.last] : before.back();
      if (!side.inside) key -= before[side.last];
      const Proved<Value> proved = prove_settled(*settled, side, key);
      node.claims.push_back({side, proved.bound, proved.step});
    }
  }
  for (const auto& [a, b] : open) node.open.push_back({node.columns.size(), a, b});
}

// The key of the rows before each position of a column.
template <Loss L>
std::vector<Key> Prover<L>::keys_before(const RowSubset& rows, std::int32_t f) {
  std::vector<Key> before(rows.size() + 1);
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    before[k + 1] = before[k];
    before[k + 1] += random_key(rows.row(rows.list(f)[k]));
  }
  return before;
}

// Several tests may divide these rows at the same position. By the rule *order*, the bound of the
// lowest code on the left and that of the highest code on the right is valid for all of them.
template <Loss L>
typename Prover<L>::Side Prover<L>::side_of(const Cuts& cuts, std::uint32_t position,
                                            bool left) const {
  const std::int32_t f = cuts.axis.feature();
  const FeatureView& view = cuts.axis.view();
  const std::int32_t code = left ? lowest_code(view, position) : highest_code(view, position);
  return {
      f, 0, position, left, {first_test(f) + code, left ? 0 : 1}, 2, left ? cuts.left : cuts.right};
}

// Bounds one side of a cut. Without the rule *order*, each of the tests that make the cut has to be
// cited.
template <Loss L>
void Prover<L>::raise_side(Node& node, const Cuts& cuts, Point& x, bool left, Value cutoff) {
  const Side side = side_of(cuts, x.position, left);
  Value& known = left ? x.left : x.right;
  const std::size_t before = node.claims.size();
  Parts& parts = levels_[branch_.size()];
  known = std::max(known, bound_side(node, left ? parts.left : parts.right, side, cutoff));
  if (by_order() || node.claims.size() == before) return;
  const FeatureView& view = cuts.axis.view();
  for (std::int32_t code = lowest_code(view, x.position); code <= highest_code(view, x.position);
       ++code) {
    Claim same = node.claims[before];
    same.side.literal.test = first_test(side.feature) + code;
    if (same.side.literal.test != side.literal.test) node.claims.push_back(same);
  }
}

// Proves that no cut of the threshold columns costs less than the bound of the node. The interval
// with the lowest bound is bisected first, so that the bound is as high as possible if a limit
// stops the prover.
template <Loss L>
void Prover<L>::close_intervals(Node& node) {
  const auto later = [](const Interval& x, const Interval& y) { return x.bound() > y.bound(); };
  std::ranges::make_heap(node.open, later);
  while (!node.open.empty()) {
    std::ranges::pop_heap(node.open, later);
    const Interval next = node.open.back();
    node.open.pop_back();
    // The bounds of all other intervals are at least as high.
    if (closed(node, next.bound())) return;
    if (stopped()) return fail(node, next.bound());
    const Cuts& cuts = node.columns[next.column];
    const std::optional<Point> x = middle(node, cuts, next.a, next.b);
    if (!x) continue;
    for (const Interval& half :
         {Interval{next.column, next.a, *x}, Interval{next.column, *x, next.b}}) {
      node.open.push_back(half);
      std::ranges::push_heap(node.open, later);
    }
  }
}

// Bounds the cut in the middle of the open cuts between a and b. Returns nothing if no open cut is
// left.
template <Loss L>
std::optional<typename Prover<L>::Point> Prover<L>::middle(Node& node, const Cuts& cuts,
                                                           const Point& a, const Point& b) {
  const Value need = needed(node);
  std::uint32_t low = a.position + 1, high = b.position - 1;
  cuts.axis.shrink(a, b, need, low, high);
  if (low > high) return {};
  const std::uint32_t p = cuts.axis.view().nearest_boundary(low + (high - low) / 2, low, high);
  if (p == 0) return {};
  Point x = known_at(cuts, p);
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

}  // namespace treeproof::proof
