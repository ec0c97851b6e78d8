// The thresholds of one column in a set of rows: bounds on its cuts that a proof need not cite, and
// which cuts between two others are settled by the bounds of these two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <Loss L>
class Axis {
 public:
  using Value = typename L::Value;
  using Point = CutBounds<Value>;
  using CountedCut = threshold::CountedCut<Value>;

  Axis(const Context<L>& context, const RowSubset& rows, std::int32_t feature)
      : loss_(context.loss), rows_(&rows), view_(*context.columns, rows, feature),
        list_(rows.list(feature)), feature_(feature), split_cost_(context.settings.split_cost),
        extends_(context.trees_extend()) {
    if constexpr (L::kUnitStep) {
      before_.assign(rows.size() + 1, Value{});
      for (std::uint32_t k = 0; k < rows.size(); ++k)
        before_[k + 1] = before_[k] + loss_->weight(rows.row(list_[k]));
    }
  }

  // Computes the costs of leaves on both sides of every cut; `no_split` says that this side cannot
  // be split. If a class is given, the leaf of such a side must predict it.
  void bound_leaves(bool left_no_split, bool right_no_split, std::int32_t says = -1) {
    const std::uint32_t n = rows_->size();
    left_.assign(n + 1, Value{});
    right_.assign(n + 1, Value{});
    const auto base = [&](bool no_split, const typename L::Tally& tally) {
      if constexpr (requires { loss_->value_saying(tally, says); })
        if (no_split && says >= 0) return loss_->value_saying(tally, says);
      const Value leaf = loss_->value(tally);
      return no_split ? leaf : std::min(leaf, split_cost_);
    };
    const bool nothing = split_cost_ <= Value{};
    if (!nothing || left_no_split) {
      auto tally = loss_->tally();
      for (std::uint32_t k = 0; k < n; ++k) {
        loss_->add(tally, rows_->row(list_[k]));
        left_[k + 1] = base(left_no_split, tally);
      }
    }
    if (!nothing || right_no_split) {
      auto tally = loss_->tally();
      for (std::uint32_t k = n; k-- > 0;) {
        loss_->add(tally, rows_->row(list_[k]));
        right_[k] = base(right_no_split, tally);
      }
    }
  }

  std::int32_t feature() const { return feature_; }
  const FeatureView& view() const { return view_; }
  Point known_at(std::uint32_t p) const { return {p, left_[p], right_[p]}; }
  // The maximum by which an optimal cost rises from one cut to another; unlimited if a tree for
  // fewer rows cannot be used for more rows.
  Value weight_between(std::uint32_t a, std::uint32_t b) const {
    return extends_ || a == b ? before_[b] - before_[a] : loss_->infinite();
  }

  // Removes from low .. high the cuts that the bounds of a or b settle because they are near, and
  // those that separate no more weight than a split costs (not admissible).
  void shrink(const Point& a, const Point& b, Value need, std::uint32_t& low,
              std::uint32_t& high) const {
    if (!L::kUnitStep || !extends_) return;
    const auto advance = [&](Value reach) {
      const auto beyond = std::ranges::upper_bound(before_, reach);
      low = std::max(low, static_cast<std::uint32_t>(beyond - before_.begin()));
    };
    const auto retreat = [&](Value reach) {
      const auto within = std::ranges::lower_bound(before_, reach);
      const auto first = static_cast<std::uint32_t>(within - before_.begin());
      high = first == 0 ? 0 : std::min(high, first - 1);
    };
    const Value from_a = a.left + a.right - need, from_b = b.left + b.right - need;
    if (from_a >= 0) advance(before_[a.position] + from_a);
    if (from_b >= 0) retreat(before_[b.position] - from_b);
    if (split_cost_ > 0) {
      advance(split_cost_);
      retreat(before_.back() - split_cost_);
    }
  }

  // The given cuts are in order and settle all others. Adds as few of them as are needed for that.
  void thin(std::span<const CountedCut> cuts, Value need, std::vector<CountedCut>& out) const {
    const auto point = [&](std::size_t k) {
      return k < cuts.size() ? Point{cuts[k].last, cuts[k].left, cuts[k].right}
                             : Point{rows_->size(), Value{}, Value{}};
    };
    Point a{0, Value{}, Value{}};
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      if (settled_between(a, point(k + 1), need)) continue;
      a = point(k);
      out.push_back(cuts[k]);
    }
  }

  // Whether the bounds of a and b show that all cuts between them cost at least `need`.
  bool settled_between(const Point& a, const Point& b, Value need) const {
    if (loss_->closes(a.left + b.right, need)) return true;
    std::uint32_t low = a.position + 1, high = b.position - 1;
    shrink(a, b, need, low, high);
    return low > high || view_.nearest_boundary(low + (high - low) / 2, low, high) == 0;
  }

 private:
  const L* loss_;
  const RowSubset* rows_;
  FeatureView view_;
  const std::uint32_t* list_;
  std::int32_t feature_;
  Value split_cost_;
  bool extends_;                     // a tree for fewer rows can be used for more rows
  std::vector<Value> before_;        // weight of the rows before each position, for labels
  std::vector<Value> left_, right_;  // lower bounds for the sides of each cut
};

}  // namespace treeproof::threshold
