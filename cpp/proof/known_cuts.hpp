// Chooses what a proof cites for a column of thresholds for which the search has bounded some cuts.
//
// A cut divides the rows into a left and a right side, and a proof cites steps that bound sides. By
// the rule *order* of docs/proof-format.md, a bound of one side is also valid for larger sides and,
// for labels, for smaller sides after the weight of the rows in between has been subtracted. A side
// therefore need not be cited as long as the bounds of the others still prove that every cut costs
// enough. Sides whose proofs have the most tests are tried first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "loss/loss.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/best_first/axis.hpp"
#include "search/threshold/record.hpp"

namespace treeproof::proof {

template <Loss L>
class KnownCuts {
 public:
  using Value = typename L::Value;
  using Point = threshold::CutBounds<Value>;
  using Settled = threshold::Settled<Value>;

  // The two sides of every cut must cost at least `need` together (without the split itself).
  KnownCuts(const L& loss, const threshold::Axis<L>& axis, Value need)
      : loss_(&loss), axis_(&axis), need_(need) {}

  // Adds what the search knows about one side. The sides may be added in any order.
  void add(const Settled& settled) { given_.push_back(&settled); }

  // Returns the sides to cite. Cuts that they leave open are added to `open`, as intervals between
  // two cuts with known bounds.
  std::vector<const Settled*> choose(std::vector<std::pair<Point, Point>>& open) {
    assign_sides();
    points_ = propagated_bounds();
    if (list_open(open)) leave_out();
    std::vector<const Settled*> cited;
    for (const Cut& cut : cuts_)
      for (const Settled* side : cut.sides)
        if (side != nullptr) cited.push_back(side);
    return cited;
  }

 private:
  // Sides: 0 is the left, 1 the right one; null if nothing is known, or if it need not be cited.
  struct Cut {
    std::uint32_t position;
    std::array<const Settled*, 2> sides{};
  };

  void assign_sides() {
    std::ranges::sort(given_, {}, [](const Settled* s) { return s->side.last; });
    cuts_.push_back({0, {}});
    for (const Settled* settled : given_) {
      if (settled->side.last != cuts_.back().position) cuts_.push_back({settled->side.last, {}});
      const Settled*& own = cuts_.back().sides[settled->side.inside ? 0 : 1];
      if (own == nullptr || own->bound < settled->bound) own = settled;
    }
    cuts_.push_back({axis_->view().size(), {}});
  }

  // The bounds of every cut, from its own sides and, by the rule *order*, from the sides of other
  // cuts.
  std::vector<Point> propagated_bounds() const {
    std::vector<Point> points;
    for (const Cut& cut : cuts_) {
      Point x = axis_->known_at(cut.position);
      if (cut.sides[0] != nullptr) x.left = std::max(x.left, cut.sides[0]->bound);
      if (cut.sides[1] != nullptr) x.right = std::max(x.right, cut.sides[1]->bound);
      points.push_back(x);
    }
    // At both ends of the column all rows are on one side, and nothing is known about the other.
    points.front() = {0, Value{}, Value{}};
    points.back() = {axis_->view().size(), Value{}, Value{}};
    const std::size_t last = points.size() - 1;
    for (std::size_t k = 1; k < last; ++k) raise(points[k].left, points[k - 1].left);
    for (std::size_t k = last; k-- > 1;) raise(points[k].right, points[k + 1].right);
    if constexpr (L::kUnitStep) {
      const auto between = [&](std::size_t k) {
        return axis_->weight_between(points[k].position, points[k + 1].position);
      };
      for (std::size_t k = last; k-- > 1;) raise(points[k].left, points[k + 1].left - between(k));
      for (std::size_t k = 2; k < last; ++k)
        raise(points[k].right, points[k - 1].right - between(k - 1));
    }
    return points;
  }
  static void raise(Value& bound, Value to) { bound = std::max(bound, to); }

  bool closed(const Point& x) const { return loss_->closes(x.left + x.right, need_); }
  bool settled(const std::vector<Point>& points, std::size_t k) const {
    return axis_->settled_between(points[k], points[k + 1], need_);
  }

  // Lists the intervals that are open; returns true if there are none. Neighbouring intervals are
  // joined if the cut between them is open.
  bool list_open(std::vector<std::pair<Point, Point>>& open) const {
    const std::size_t last = points_.size() - 1;
    for (std::size_t a = 0, b = 1; a < last; a = b++) {
      bool all = settled(points_, a);
      for (; b < last && !closed(points_[b]); ++b) all = false;
      if (!all) open.push_back({points_[a], points_[b]});
    }
    return open.empty();
  }

  void leave_out() {
    std::vector<const Settled**> sides;
    for (Cut& cut : cuts_)
      for (const Settled*& side : cut.sides)
        if (side != nullptr) sides.push_back(&side);
    std::ranges::stable_sort(sides, std::ranges::greater(),
                             [](const Settled** side) { return (*side)->tests.size(); });
    for (const Settled** side : sides) {
      const Settled* own = std::exchange(*side, nullptr);
      std::vector<Point> without = propagated_bounds();
      if (still_closed(without)) points_ = std::move(without);
      else *side = own;
    }
  }

  // Only cuts whose bounds have become weaker can have become open.
  bool still_closed(const std::vector<Point>& without) const {
    const auto less = [&](std::size_t k) {
      return without[k].left < points_[k].left || without[k].right < points_[k].right;
    };
    const std::size_t last = without.size() - 1;
    for (std::size_t k = 1; k < last; ++k)
      if (less(k) && !closed(without[k])) return false;
    for (std::size_t k = 0; k < last; ++k)
      if ((less(k) || less(k + 1)) && !settled(without, k)) return false;
    return true;
  }

  const L* loss_;
  const threshold::Axis<L>* axis_;
  Value need_;
  std::vector<const Settled*> given_;
  std::vector<Cut> cuts_;      // the cuts with known sides, and both ends of the column
  std::vector<Point> points_;  // the bounds of each of them
};

}  // namespace treeproof::proof
