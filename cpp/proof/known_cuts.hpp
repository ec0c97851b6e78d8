// A column of thresholds for which a search has settled some cuts: decides which of their sides a
// proof has to cite so that all cuts of the column follow.
//
// By the rule *order* of docs/proof-format.md, a side inherits the bounds of smaller sides and, for
// labels, those of larger sides minus the weight in between. A side may therefore be left out as
// long as the bounds that the others give to its place still settle every cut. Sides with the most
// tests to examine are tried first.
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

  // Every cut must cost at least `need`, without its own split.
  KnownCuts(const L& loss, const threshold::Axis<L>& axis, Value need)
      : loss_(&loss), axis_(&axis), need_(need) {}

  // Sides come in any order.
  void add(const Settled& settled) { given_.push_back(&settled); }

  // The sides to cite. What they leave open is added to `open`, as pairs of cuts with known bounds.
  std::vector<const Settled*> choose(std::vector<std::pair<Point, Point>>& open) {
    place();
    points_ = lend();
    if (list_open(open)) leave_out();
    std::vector<const Settled*> cited;
    for (const Cut& cut : cuts_)
      for (const Settled* side : cut.sides)
        if (side != nullptr) cited.push_back(side);
    return cited;
  }

 private:
  // Sides: 0 is left, 1 is right; null if nothing is known, or needed.
  struct Cut {
    std::uint32_t position;
    std::array<const Settled*, 2> sides{};
  };

  void place() {
    std::ranges::sort(given_, {}, [](const Settled* s) { return s->side.last; });
    cuts_.push_back({0, {}});
    for (const Settled* settled : given_) {
      if (settled->side.last != cuts_.back().position) cuts_.push_back({settled->side.last, {}});
      const Settled*& own = cuts_.back().sides[settled->side.inside ? 0 : 1];
      if (own == nullptr || own->bound < settled->bound) own = settled;
    }
    cuts_.push_back({axis_->view().size(), {}});
  }

  // The bounds of every cut, from its own sides and from those of others.
  std::vector<Point> lend() const {
    std::vector<Point> points;
    for (const Cut& cut : cuts_) {
      Point x = axis_->known_at(cut.position);
      if (cut.sides[0] != nullptr) x.left = std::max(x.left, cut.sides[0]->bound);
      if (cut.sides[1] != nullptr) x.right = std::max(x.right, cut.sides[1]->bound);
      points.push_back(x);
    }
    // A cut with all rows on one side is trivial.
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

  // Returns true if nothing is open. An interval extends as far as the cuts at its end are open.
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
      std::vector<Point> without = lend();
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
  std::vector<Cut> cuts_;      // with both ends of the column
  std::vector<Point> points_;  // what is known of each of them
};

}  // namespace treeproof::proof
