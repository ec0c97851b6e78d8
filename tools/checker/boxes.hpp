// Finds out whether a box weighs more than a given number: section 9 of docs/proof-format.md.
//
// A box is given by one choice for each axis: on some axes an interval of codes, on others one code
// or all codes. A point is in the box if the choice of every axis keeps its code. The search works
// on sets of boxes: in a set, each end of an interval lies between two codes, and some choices are
// left. Sets are divided in two until none of their boxes can be too heavy. The *outer* points of a
// set are the points of any of its boxes. The *zone* of an axis consists of the outer points that
// some of its choices keep and others do not. There are two bounds on the weight of a box:
//
// - One axis. Suppose that the other axes keep all outer points of positive weight and remove all
// negative points of their zones. Then the best choice of this axis bounds the weight of a box.
//
// - All axes. The weight of a positive point is divided, in integers, among the axes whose zones
// contain it, and each part counts only if its axis keeps the point. This never underestimates a
// box, which contains a point only if all axes keep it. Negative points in several zones are left
// out. Then every axis has a best choice of its own.
//
// A choice is removed if one of these bounds shows that all boxes with this choice are light
// enough. And if any box is too heavy, so is its hull, the smallest box around its positive points;
// so an end that can be moved only needs to be tried at codes of positive points.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace checker {

struct BoxAxis {
  bool one = false;  // the choices are one code, or all codes
  // Otherwise the choices are intervals. If only one end can be moved, the other end is the first
  // or the last code.
  bool low_moves = true, high_moves = true;
  std::int32_t n = 0;
  std::vector<std::int32_t> code;  // the code of every point
};

class BoxSearch {
 public:
  BoxSearch(const std::vector<BoxAxis>& axes, const std::vector<std::int64_t>& weights,
            std::int64_t most)
      : axes_(axes), most_(most) {
    Boxes all;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0) all.points.push_back(i);
    }
    weight_ = weights;
    std::size_t n = 0;
    for (const BoxAxis& axis : axes_) {
      const std::int32_t last = axis.n - 1;
      first_.push_back(n);
      n += static_cast<std::size_t>(axis.n) + 1;
      all.ranges.push_back({0, axis.low_moves ? last : 0, axis.high_moves ? 0 : last, last});
    }
    all.may.assign(n, 1);
    for (auto* sums : {&one_, &all_, &top_one_, &top_all_}) sums->resize(n + 1);
    open_.push_back(std::move(all));
  }

  // `poll` is called often, and may throw.
  template <class Poll>
  bool finds_one(const Poll& poll) {
    while (!open_.empty()) {
      poll();
      Boxes boxes = std::move(open_.back());
      open_.pop_back();
      ++n_sets_;
      if (are_light(boxes)) continue;
      if (!cut(boxes) && weigh(boxes) > most_) return true;
    }
    return false;
  }
  std::int64_t n_sets() const { return n_sets_; }

 private:
  // The lower end of an interval is one of a0 .. a1, the upper end one of b0 .. b1.
  struct Range {
    std::int32_t a0, a1, b0, b1;
    bool fixed() const { return a0 == a1 && b0 == b1; }
  };
  struct Boxes {
    std::vector<Range> ranges;
    std::vector<char> may;  // which choices are left: each of the codes, and finally all codes
    std::vector<std::uint32_t> points;
  };
  struct Best {
    std::int64_t one, all;
  };
  static constexpr int kRounds = 3;
  static constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min() / 4;

  char* may(Boxes& boxes, std::size_t c) const { return boxes.may.data() + first_[c]; }
  const char* may(const Boxes& boxes, std::size_t c) const { return boxes.may.data() + first_[c]; }
  std::int32_t n_choices(const Boxes& boxes, std::size_t c) const {
    const char* own = may(boxes, c);
    return static_cast<std::int32_t>(std::count(own, own + axes_[c].n + 1, 1));
  }
  bool all_allowed(const Boxes& boxes, std::size_t c) const {
    return may(boxes, c)[axes_[c].n] != 0;
  }
  bool fixed(const Boxes& boxes, std::size_t c) const {
    return axes_[c].one ? n_choices(boxes, c) == 1 : boxes.ranges[c].fixed();
  }

  // Whether all these boxes are light enough. Removes choices in doing so.
  bool are_light(Boxes& boxes) {
    for (int round = 0; round < kRounds; ++round) {
      if (!shrink(boxes)) return true;
      list_zones(boxes);
      std::int64_t bound = certain_;
      total_ = share_out(boxes);
      for (std::size_t c = 0; c < axes_.size(); ++c) {
        if (claim_[c] > 0) bound = std::min(bound, certain_ - in_zone_[c] + best_[c].one);
      }
      if (std::min(bound, total_) <= most_) return true;
      bool changed = false;
      for (std::size_t c = 0; c < axes_.size(); ++c) {
        if (claim_[c] == 0) continue;
        const bool left =
            axes_[c].one ? strike_codes(boxes, c, changed) : strike_ends(boxes, c, changed);
        if (!left) return true;
      }
      if (!changed) return false;
    }
    return !shrink(boxes);
  }

  bool is_outer(const Boxes& boxes, std::size_t c, std::uint32_t i) const {
    const std::int32_t x = axes_[c].code[i];
    if (!axes_[c].one) return x >= boxes.ranges[c].a0 && x <= boxes.ranges[c].b1;
    return all_allowed(boxes, c) || may(boxes, c)[x] != 0;
  }
  void keep_outer(Boxes& boxes) const {
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      std::erase_if(boxes.points, [&](std::uint32_t i) { return !is_outer(boxes, c, i); });
    }
  }
  // Reduces the points to the outer points, and the ends to codes of positive points. Returns false
  // if no box is left that could be too heavy.
  bool shrink(Boxes& boxes) const {
    keep_outer(boxes);
    std::int64_t positive = 0;
    for (const std::uint32_t i : boxes.points) positive += std::max<std::int64_t>(weight_[i], 0);
    if (positive <= most_) return false;
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      if (axes_[c].one) continue;
      std::int32_t least = axes_[c].n, last = -1;
      for (const std::uint32_t i : boxes.points) {
        if (weight_[i] < 0) continue;
        least = std::min(least, axes_[c].code[i]);
        last = std::max(last, axes_[c].code[i]);
      }
      Range& range = boxes.ranges[c];
      if (axes_[c].low_moves) range.a0 = std::max(range.a0, least);
      if (axes_[c].high_moves) range.b1 = std::min(range.b1, last);
      if (!make_consistent(range)) return false;
    }
    keep_outer(boxes);
    return true;
  }
  static bool make_consistent(Range& range) {
    range.a1 = std::min(range.a1, range.b1);
    range.b0 = std::max(range.b0, range.a0);
    return range.a0 <= range.a1 && range.b0 <= range.b1;
  }

  // Finds the points in the zone of each axis, the number of zones that contain a point, and the
  // points that count in any case: all positive points, and the negative points that are in no
  // zone.
  void list_zones(const Boxes& boxes) {
    const std::size_t m = boxes.points.size();
    zone_.assign(m * axes_.size(), 0);
    n_zones_.assign(m, 0);
    last_zone_.assign(m, 0);
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      if (fixed(boxes, c)) continue;
      const Range range = boxes.ranges[c];
      const bool both = axes_[c].one && all_allowed(boxes, c) && n_choices(boxes, c) == 2;
      const char* own = may(boxes, c);
      for (std::size_t k = 0; k < m; ++k) {
        const std::int32_t x = axes_[c].code[boxes.points[k]];
        const bool inside = axes_[c].one ? !(both && own[x] != 0) : x < range.a1 || x > range.b0;
        if (!inside) continue;
        zone_[c * m + k] = 1;
        ++n_zones_[k];
        last_zone_[k] = c;
      }
    }
    claim_.assign(axes_.size(), 0);
    certain_ = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const std::int64_t w = weight_[boxes.points[k]];
      if (w > 0 || n_zones_[k] == 0) certain_ += w;
      else if (n_zones_[k] == 1) claim_[last_zone_[k]] -= w;
    }
  }

  // Computes the second bound. Leaves the sums along the axes for both bounds in place.
  std::int64_t share_out(const Boxes& boxes) {
    const std::size_t m = boxes.points.size();
    rest_.resize(m);
    claims_.assign(m, 0);
    std::int64_t total = certain_;
    for (std::size_t k = 0; k < m; ++k) {
      rest_[k] = weight_[boxes.points[k]];
      if (rest_[k] < 0) continue;
      for (std::size_t c = 0; c < axes_.size(); ++c) {
        if (zone_[c * m + k] != 0) claims_[k] += claim_[c];
      }
      if (claims_[k] > 0) total -= rest_[k];
    }
    in_zone_.assign(axes_.size(), 0);
    best_.assign(axes_.size(), {0, 0});
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      if (claim_[c] == 0) continue;
      std::int64_t *one = one_.data() + first_[c], *all = all_.data() + first_[c];
      std::fill(one, one + axes_[c].n, 0);
      std::fill(all, all + axes_[c].n, 0);
      for (std::size_t k = 0; k < m; ++k) {
        if (zone_[c * m + k] == 0) continue;
        const std::int64_t w = weight_[boxes.points[k]];
        const std::int32_t x = axes_[c].code[boxes.points[k]];
        if (w > 0) {
          // The last axis gets what is left: the ratio is then exactly one.
          const double ratio = static_cast<double>(claim_[c]) / static_cast<double>(claims_[k]);
          const auto share = static_cast<std::int64_t>(static_cast<double>(rest_[k]) * ratio);
          rest_[k] -= share;
          claims_[k] -= claim_[c];
          one[x] += w;
          all[x] += share;
          in_zone_[c] += w;
        } else if (n_zones_[k] == 1) {
          one[x] += w;
          all[x] += w;
        }
      }
      best_[c] = axes_[c].one ? best_code(boxes, c) : best_interval(boxes, c);
      total += best_[c].all;
    }
    return total;
  }

  Best best_code(const Boxes& boxes, std::size_t c) const {
    Best best{kNothing, kNothing};
    for (std::int32_t v = 0; v <= axes_[c].n; ++v) {
      if (may(boxes, c)[v] == 0) continue;
      const Best own = of_choice(c, v);
      best = {std::max(best.one, own.one), std::max(best.all, own.all)};
    }
    return best;
  }
  // The weight of the zone that one choice keeps; n stands for all codes.
  Best of_choice(std::size_t c, std::int32_t v) const {
    const std::size_t begin = first_[c], n = static_cast<std::size_t>(axes_[c].n);
    if (v < axes_[c].n) {
      return {one_[begin + static_cast<std::size_t>(v)], all_[begin + static_cast<std::size_t>(v)]};
    }
    Best sum{0, 0};
    for (std::size_t k = begin; k < begin + n; ++k) {
      sum.one += one_[k];
      sum.all += all_[k];
    }
    return sum;
  }
  bool strike_codes(Boxes& boxes, std::size_t c, bool& changed) {
    char* own = may(boxes, c);
    for (std::int32_t v = 0; v <= axes_[c].n; ++v) {
      if (own[v] == 0 || can_be_heavy(c, of_choice(c, v))) continue;
      own[v] = 0;
      changed = true;
    }
    return n_choices(boxes, c) > 0;
  }
  // Whether boxes may be too heavy if their choice on this axis keeps this weight.
  bool can_be_heavy(std::size_t c, Best kept) const {
    return certain_ - in_zone_[c] + kept.one > most_ && total_ - best_[c].all + kept.all > most_;
  }

  // Replaces the weights at the codes by prefix sums, and finds for each code the largest sum of an
  // interval whose upper end is at this code or a higher one.
  Best best_interval(const Boxes& boxes, std::size_t c) {
    const Range range = boxes.ranges[c];
    std::int64_t *one = one_.data() + first_[c], *all = all_.data() + first_[c];
    Best sum{0, 0};
    for (std::int32_t v = range.a0; v <= range.b1; ++v) {
      const Best here{one[v], all[v]};
      one[v] = sum.one;
      all[v] = sum.all;
      sum = {sum.one + here.one, sum.all + here.all};
    }
    one[range.b1 + 1] = sum.one;
    all[range.b1 + 1] = sum.all;
    std::int64_t *top_one = top_one_.data() + first_[c], *top_all = top_all_.data() + first_[c];
    Best top{kNothing, kNothing};
    for (std::int32_t v = range.b1; v >= range.a0; --v) {
      if (v >= range.b0) top = {std::max(top.one, one[v + 1]), std::max(top.all, all[v + 1])};
      top_one[v] = top.one;
      top_all[v] = top.all;
    }
    Best best{kNothing, kNothing};
    for (std::int32_t a = range.a0; a <= range.a1; ++a) {
      best.one = std::max(best.one, top_one[a] - one[a]);
      best.all = std::max(best.all, top_all[a] - all[a]);
    }
    return best;
  }
  bool strike_ends(Boxes& boxes, std::size_t c, bool& changed) {
    Range& range = boxes.ranges[c];
    const Range before = range;
    const std::int64_t *one = one_.data() + first_[c], *all = all_.data() + first_[c];
    const std::int64_t *top_one = top_one_.data() + first_[c],
                       *top_all = top_all_.data() + first_[c];
    const auto low_fails = [&](std::int32_t a) {
      return !can_be_heavy(c, {top_one[a] - one[a], top_all[a] - all[a]});
    };
    while (range.a0 <= range.a1 && low_fails(range.a0)) ++range.a0;
    while (range.a0 <= range.a1 && low_fails(range.a1)) --range.a1;
    if (range.a0 > range.a1) return false;
    // The least prefix sum before a lower end, for each upper end.
    least_.resize(static_cast<std::size_t>(axes_[c].n));
    Best low{-kNothing, -kNothing};
    for (std::int32_t b = range.a0; b <= range.b1; ++b) {
      if (b <= range.a1) low = {std::min(low.one, one[b]), std::min(low.all, all[b])};
      least_[static_cast<std::size_t>(b)] = low;
    }
    range.b0 = std::max(range.b0, range.a0);
    const auto high_fails = [&](std::int32_t b) {
      const Best least = least_[static_cast<std::size_t>(b)];
      return !can_be_heavy(c, {one[b + 1] - least.one, all[b + 1] - least.all});
    };
    while (range.b0 <= range.b1 && high_fails(range.b1)) --range.b1;
    while (range.b0 <= range.b1 && high_fails(range.b0)) ++range.b0;
    if (range.b0 > range.b1 || !make_consistent(range)) return false;
    changed = changed || range.a0 != before.a0 || range.a1 != before.a1 || range.b0 != before.b0 ||
              range.b1 != before.b1;
    return true;
  }

  // The weight of a box, if the set has only one.
  std::int64_t weigh(const Boxes& boxes) const {
    std::int64_t sum = 0;
    for (const std::uint32_t i : boxes.points) sum += weight_[i];
    return sum;
  }

  // Divides a set on an axis whose zone has much weight of both signs. Returns false if only one
  // box is left.
  bool cut(const Boxes& boxes) {
    double best = -1.0;
    std::size_t axis = 0;
    bool high = false;
    for (std::size_t c = 0; c < axes_.size(); ++c) {
      if (fixed(boxes, c)) continue;
      const Range range = boxes.ranges[c];
      double positive[2] = {0, 0}, negative[2] = {0, 0};
      for (const std::uint32_t i : boxes.points) {
        const std::int32_t x = axes_[c].code[i];
        const auto w = static_cast<double>(weight_[i]);
        if (axes_[c].one || x < range.a1) (w > 0 ? positive : negative)[0] += w;
        if (!axes_[c].one && x > range.b0) (w > 0 ? positive : negative)[1] += w;
      }
      for (const int side : {0, 1}) {
        if (side == 0 ? !axes_[c].one && range.a0 == range.a1
                      : axes_[c].one || range.b0 == range.b1)
          continue;
        const double score = std::sqrt(-positive[side] * negative[side]);
        if (score <= best) continue;
        best = score;
        axis = c;
        high = side == 1;
      }
    }
    if (best < 0.0) return false;
    if (axes_[axis].one) cut_codes(boxes, axis);
    else cut_end(boxes, axis, high);
    return true;
  }
  void cut_end(const Boxes& boxes, std::size_t c, bool high) {
    const Range range = boxes.ranges[c];
    const std::int32_t from = high ? range.b0 : range.a0, to = high ? range.b1 : range.a1;
    std::vector<std::int64_t> at(static_cast<std::size_t>(axes_[c].n), 0);
    std::int64_t sum = 0;
    for (const std::uint32_t i : boxes.points) {
      const std::int32_t x = axes_[c].code[i];
      if (weight_[i] < 0 || x < from + (high ? 1 : 0) || x > to - (high ? 0 : 1)) continue;
      at[static_cast<std::size_t>(x)] += weight_[i];
      sum += weight_[i];
    }
    std::int32_t middle = from;
    std::int64_t before = at[static_cast<std::size_t>(middle)];
    while (middle < to - 1 && 2 * before < sum) before += at[static_cast<std::size_t>(++middle)];
    for (const bool upper : {false, true}) {
      Boxes part = boxes;
      Range& own = part.ranges[c];
      (upper ? (high ? own.b0 : own.a0) : (high ? own.b1 : own.a1)) = middle + (upper ? 1 : 0);
      if (make_consistent(own)) open_.push_back(std::move(part));
    }
  }
  void cut_codes(const Boxes& boxes, std::size_t c) {
    const std::int32_t n = axes_[c].n, choices = n_choices(boxes, c);
    // Divide "all codes" from the single codes first; then halve these.
    const bool apart = all_allowed(boxes, c);
    for (const bool upper : {false, true}) {
      Boxes part = boxes;
      char* own = may(part, c);
      std::int32_t seen = 0;
      for (std::int32_t v = 0; v <= n; ++v) {
        if (own[v] == 0) continue;
        ++seen;
        if ((apart ? v == n : 2 * seen > choices) != upper) own[v] = 0;
      }
      open_.push_back(std::move(part));
    }
  }

  const std::vector<BoxAxis>& axes_;
  const std::int64_t most_;
  std::vector<std::int64_t> weight_;
  std::vector<std::size_t> first_;  // where each axis begins in lists over the codes of all axes
  std::vector<Boxes> open_;
  std::int64_t n_sets_ = 0;

  // For the set that is being examined:
  std::vector<char> zone_;  // [axis * points + point]
  std::vector<std::int32_t> n_zones_;
  std::vector<std::size_t> last_zone_;
  // For each axis, the negative weight that is in its zone alone.
  std::vector<std::int64_t> claim_;
  std::vector<std::int64_t> claims_, rest_;  // for each point
  std::vector<std::int64_t> in_zone_;        // for each axis, the positive weight in its zone
  std::vector<Best> best_, least_;
  std::vector<std::int64_t> one_, all_, top_one_, top_all_;
  std::int64_t certain_ = 0, total_ = 0;
};

}  // namespace checker
