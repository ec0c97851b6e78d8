// Builds the tree that Quant-BnB has chosen: the thresholds of the last level, and the true cost of
// the tree.
#pragma once

#include <cstdint>
#include <utility>

#include "search/quantbnb/depth_three.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::quantbnb {

template <Loss L>
class TreeBuilder {
 public:
  using Value = typename L::Value;
  struct Built {
    SplitTree tree;
    Value cost;
  };

  // Works even after a limit was reached: the chosen tree is built in any case.
  TreeBuilder(const Columns& columns, const L& loss, const Examiner<L>& examiner)
      : columns_(&columns), loss_(&loss), examiner_(&examiner), stumps_(columns, loss, no_limits_),
        tally_(loss.tally()) {}

  Built leaf(const RowSubset& rows) {
    loss_->clear(tally_);
    for (std::uint32_t r = 0; r < rows.size(); ++r) loss_->add(tally_, rows.row(r));
    return {{}, loss_->value(tally_)};
  }

  Built build(const RowSubset& rows, const DeepChoice& choice) {
    return split(
        rows, choice.feature, choice.threshold,
        [&](const RowSubset& part) { return build(part, choice.left); },
        [&](const RowSubset& part) { return build(part, choice.right); });
  }

  Built build(const RowSubset& rows, const Choice& choice) {
    if (choice.feature < 0) return leaf(rows);
    return split(
        rows, choice.feature, choice.threshold,
        [&](const RowSubset& part) { return stump(part, choice.left); },
        [&](const RowSubset& part) { return stump(part, choice.right); });
  }

 private:
  Built stump(const RowSubset& rows, std::int32_t feature) {
    stumps_.select(rows, feature);
    const auto best = stumps_.best({0, rows.size()}, feature);
    if (best.rank == ~0u) return leaf(rows);
    const auto to_leaf = [&](const RowSubset& part) { return leaf(part); };
    return split(rows, feature, static_cast<std::int32_t>(best.rank) + 1, to_leaf, to_leaf);
  }

  // A split that leaves one side empty is replaced by the other side.
  template <class Left, class Right>
  Built split(const RowSubset& rows, std::int32_t feature, std::int32_t threshold, Left left,
              Right right) {
    const std::uint32_t p = examiner_->position(rows, feature, threshold);
    if (p == 0) return right(rows);
    if (p == rows.size()) return left(rows);
    const FeatureView view(*columns_, rows, feature);
    Built out;
    out.tree.feature = feature;
    out.tree.kind = TestKind::threshold;
    out.tree.code = static_cast<std::int32_t>(view.rank_at(p - 1));
    out.tree.next_code = static_cast<std::int32_t>(view.rank_at(p));
    out.tree.outcomes = {0, 1};
    RowSubset first, second;
    Partitioner().cut(rows, feature, p, first, second);
    Built l = left(first), r = right(second);
    const Value together = l.cost + r.cost;
    if (Built alone = leaf(rows); !(together < alone.cost)) return alone;
    out.tree.children = {std::move(l.tree), std::move(r.tree)};
    out.cost = together;
    return out;
  }

  const Columns* columns_;
  const L* loss_;
  const Examiner<L>* examiner_;
  Limits no_limits_;
  StumpLosses<L> stumps_;
  typename L::Tally tally_;
};

}  // namespace treeproof::quantbnb
