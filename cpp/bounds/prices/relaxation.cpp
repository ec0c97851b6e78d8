#include "bounds/prices/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treeproof::prices {
namespace {

constexpr int kRounds = 3;
// Less than any sum of weights, since these stay below 2^28 in absolute value.
constexpr std::int32_t kNothing = -(1 << 29);

}  // namespace

Relaxation::Relaxation(const Points& points, std::span<const std::int32_t> weights,
                       std::int32_t threshold)
    : points_(points), layout_(points), threshold_(threshold) {
  std::vector<std::int32_t> order;
  for (std::int32_t i = 0; i < points.size(); ++i)
    if (weights[index(i)] > 0) order.push_back(i);
  n_positive_ = order.size();
  for (std::int32_t i = 0; i < points.size(); ++i)
    if (weights[index(i)] < 0) order.push_back(i);
  n_ = order.size();
  for (const std::int32_t i : order) weight_.push_back(weights[index(i)]);
  std::size_t widest = 0;
  for (const PointColumn& column : points.columns) {
    std::vector<std::uint16_t> code(n_);
    for (std::size_t i = 0; i < n_; ++i) code[i] = column.code[index(order[i])];
    code_.push_back(std::move(code));
    widest = std::max(widest, index(column.n_values));
  }
  map_.resize(widest + 1);
  flags_.resize(widest + 2);
  is_out_.resize(n_);
  base_.resize(layout_.size());
}

std::int64_t Relaxation::take_work() { return std::exchange(work_, 0); }

std::int32_t Relaxation::outer_weight() const {
  std::int32_t sum = 0;
  for (const std::int32_t w : w_) sum += w;
  return sum;
}

bool Relaxation::is_settled(const LocalBox& box) const {
  for (std::size_t j = 0; j < open_.size(); ++j)
    if (!box.ranges[j].is_settled(open_[j].choice)) return false;
  return true;
}

// Sums up, by code, the positive points in the zone of a column: once with their weights, and once
// with the shares that they give to this column. Returns the sum of the weights.
std::int32_t Relaxation::histogram(const OpenColumn& open, std::size_t j) {
  const std::uint16_t* code = codes_.data() + open.codes;
  const std::uint16_t* zone = zone_of_[j];
  const auto claim = static_cast<float>(claim_[j]);
  std::int32_t* positive = positive_.data() + open.first;
  std::int32_t* shared = shared_.data() + open.first;
  std::int32_t sum = 0;
  for (const std::int32_t i : kept_) {
    if (zone[i] == 0) continue;
    positive[code[i]] += w_[index(i)];
    shared[code[i]] += static_cast<std::int32_t>(rate_[index(i)] * claim) + 1;
    sum += w_[index(i)];
  }
  return sum;
}

Relaxation::Best Relaxation::best_interval(const OpenColumn& open, const LocalRange& range) {
  // sum_*[t]: the sum of the codes below t. top_*[b]: the largest sum with an upper end at b or
  // above.
  const std::size_t first = open.first;
  std::int32_t* sum_one = sum_one_.data() + first + static_cast<std::size_t>(&open - open_.data());
  std::int32_t* sum_all = sum_all_.data() + first + static_cast<std::size_t>(&open - open_.data());
  std::int32_t* top_one = top_one_.data() + first;
  std::int32_t* top_all = top_all_.data() + first;
  std::int32_t one = 0;
  std::int32_t all = 0;
  for (std::int32_t code = 2 * range.low_first; code <= 2 * range.high_last; ++code) {
    sum_one[code] = one;
    sum_all[code] = all;
    const std::size_t at = first + index(code);
    one += positive_[at] + negative_[at];
    all += shared_[at] + negative_[at];
  }
  sum_one[2 * range.high_last + 1] = one;
  sum_all[2 * range.high_last + 1] = all;
  std::int32_t b = range.high_last;
  std::int32_t most_one = one;
  std::int32_t most_all = all;
  for (; b >= std::min(range.low_first, range.high_first); --b) {
    most_one = std::max(most_one, sum_one[2 * b + 1]);
    most_all = std::max(most_all, sum_all[2 * b + 1]);
    top_one[b] = most_one;
    top_all[b] = most_all;
  }
  Best best{kNothing, kNothing};
  for (std::int32_t a = range.low_first; a <= range.low_last; ++a) {
    const std::int32_t up = std::max(a, range.high_first);
    if (up > range.high_last) break;
    best.one = std::max(best.one, top_one[up] - sum_one[2 * a]);
    best.all = std::max(best.all, top_all[up] - sum_all[2 * a]);
  }
  return best;
}

// Calls `visit` with each open value of a column and the sums of its points in the zone; returns
// the sums over all values.
template <class Visit>
Relaxation::Best Relaxation::for_each_open_value(const OpenColumn& open, const std::uint8_t* values,
                                                 Visit visit) const {
  Best sum{0, 0};
  for (std::int32_t v = 0; v <= open.n; ++v) {
    const std::size_t at = open.first + index(v);
    const Best here{positive_[at] + negative_[at], shared_[at] + negative_[at]};
    sum.one += here.one;
    sum.all += here.all;
    if (v < open.n && values[v] == ValueState::open) visit(v, here);
  }
  return sum;
}

// Returns the largest sum of points in the zone that one choice of the column keeps, for both
// bounds.
Relaxation::Best Relaxation::best_choice(const OpenColumn& open, const LocalRange& range,
                                         const std::uint8_t* values) {
  if (open.choice == Choice::interval) return best_interval(open, range);
  Best best{kNothing, kNothing};
  if (open.choice == Choice::subset) best = {0, 0};
  const Best sum = for_each_open_value(open, values, [&](std::int32_t, Best here) {
    if (open.choice == Choice::subset) {
      best.one += std::max(0, here.one);
      best.all += std::max(0, here.all);
    } else {
      best.one = std::max(best.one, here.one);
      best.all = std::max(best.all, here.all);
    }
  });
  if (range.all) {
    best.one = std::max(best.one, sum.one);
    best.all = std::max(best.all, sum.all);
  }
  return best;
}

// Rules out ends of intervals whose boxes cannot weigh more than the threshold. False if none is
// left.
bool Relaxation::rule_out_ends(const OpenColumn& open, LocalRange& range, std::int32_t one,
                               std::int32_t all, bool& changed) {
  const std::size_t first = open.first;
  const std::size_t j = static_cast<std::size_t>(&open - open_.data());
  const std::int32_t* sum_one = sum_one_.data() + first + j;
  const std::int32_t* sum_all = sum_all_.data() + first + j;
  const std::int32_t* top_one = top_one_.data() + first;
  const std::int32_t* top_all = top_all_.data() + first;
  const bool has_common = range.low_last <= range.high_first;
  const LocalRange before = range;
  // Values that every interval keeps are not in the zone, so the histograms do not contain them.
  const auto on_positive = [&](std::int32_t v) {
    return positive_[first + 2 * index(v)] > 0 ||
           (has_common && v >= before.low_last && v <= before.high_first);
  };
  const auto low_fails = [&](std::int32_t a) {
    const std::int32_t up = std::max(a, before.high_first);
    return up > before.high_last || !on_positive(a) || top_one[up] - sum_one[2 * a] <= one ||
           top_all[up] - sum_all[2 * a] <= all;
  };
  while (range.low_first <= range.low_last && low_fails(range.low_first)) ++range.low_first;
  while (range.low_first <= range.low_last && low_fails(range.low_last)) --range.low_last;
  if (range.low_first > range.low_last) return false;
  range.high_first = std::max(range.high_first, range.low_first);
  if (range.high_first > range.high_last) return false;
  // From here on, the arrays of `top_*` hold the least sum below a lower end at or before each
  // upper end.
  std::int32_t* least_one = top_one_.data() + first;
  std::int32_t* least_all = top_all_.data() + first;
  std::int32_t a = range.low_first;
  std::int32_t low_one = sum_one[2 * a];
  std::int32_t low_all = sum_all[2 * a];
  for (std::int32_t b = range.low_first; b <= range.high_last; ++b) {
    for (; a <= std::min(b, range.low_last); ++a) {
      low_one = std::min(low_one, sum_one[2 * a]);
      low_all = std::min(low_all, sum_all[2 * a]);
    }
    least_one[b] = low_one;
    least_all[b] = low_all;
  }
  const auto high_fails = [&](std::int32_t b) {
    return !on_positive(b) || sum_one[2 * b + 1] - least_one[b] <= one ||
           sum_all[2 * b + 1] - least_all[b] <= all;
  };
  while (range.high_first <= range.high_last && high_fails(range.high_last)) --range.high_last;
  while (range.high_first <= range.high_last && high_fails(range.high_first)) ++range.high_first;
  if (range.high_first > range.high_last) return false;
  range.low_last = std::min(range.low_last, range.high_last);
  changed |= range.low_first != before.low_first || range.low_last != before.low_last ||
             range.high_first != before.high_first || range.high_last != before.high_last;
  return range.low_first <= range.low_last;
}

// Rules out choices of a column. `one` and `all`: the sums of the column's zone, for the two
// bounds, that a choice has to exceed if its box is to weigh more than the threshold.
bool Relaxation::rule_out(const OpenColumn& open, LocalRange& range, std::uint8_t* values,
                          Best best, std::int32_t one, std::int32_t all, bool& changed) {
  if (open.choice == Choice::interval) return rule_out_ends(open, range, one, all, changed);
  const Best sum = for_each_open_value(open, values, [&](std::int32_t v, Best here) {
    if (open.choice == Choice::subset) {
      const bool no_positive = positive_[open.first + index(v)] == 0;
      const Best without{best.one - std::max(0, here.one), best.all - std::max(0, here.all)};
      if (no_positive || without.one + here.one <= one || without.all + here.all <= all)
        values[v] = out;
      else if (without.one <= one || without.all <= all) values[v] = in;
      else return;
    } else {
      if (here.one > one && here.all > all) return;
      values[v] = out;
    }
    --range.n_options;
    changed = true;
  });
  if (range.all && (sum.one <= one || sum.all <= all)) {
    range.all = false;
    --range.n_options;
    changed = true;
  }
  return open.choice == Choice::subset || range.n_options > 0;
}

std::int32_t Relaxation::tighten(LocalBox& box) {
  // Long: each stage of a round refines the same bound and may end the whole computation.
  const std::size_t m = outer_.size();
  const std::size_t np = n_outer_positive_;
  std::int32_t bound = 0;
  start_marks();
  for (int round = 0; round < kRounds; ++round) {
    update_marks(box);
    kept_.clear();
    std::int32_t positive = 0;
    for (std::size_t i = 0; i < np; ++i) {
      if (outside_[i] != 0) continue;
      kept_.push_back(static_cast<std::int32_t>(i));
      positive += w_[i];
    }
    if (positive <= threshold_) return positive;
    std::fill(claim_.begin(), claim_.end(), 0);
    std::int32_t certain = positive;
    for (std::size_t i = np; i < m; ++i) {
      if (outside_[i] != 0 || zones_[i] > 1) continue;
      if (zones_[i] == 0) certain += w_[i];
      else claim_[zone_sum_[i]] -= w_[i];
    }
    bound = certain;
    if (bound <= threshold_) return bound;
    bool any = false;
    std::fill(claims_.begin(), claims_.end(), 0);
    for (std::size_t j = 0; j < open_.size(); ++j) {
      if (claim_[j] == 0) continue;
      any = true;
      const std::uint16_t* zone = zone_of_[j];
      const std::int32_t claim = claim_[j];
      for (std::size_t i = 0; i < np; ++i) claims_[i] += zone[i] != 0 ? claim : 0;
    }
    if (!any) return bound;
    // A little more than weight / claims, so that the shares, each rounded up, sum to at least the
    // weight in spite of the rounding of floats.
    constexpr float kSlack = 1.0f + 0x1p-19f;
    for (std::size_t i = 0; i < np; ++i)
      rate_[i] = claims_[i] == 0
                     ? 0.0f
                     : kSlack * static_cast<float>(w_[i]) / static_cast<float>(claims_[i]);
    std::int32_t total = certain;
    for (const std::int32_t i : kept_) total -= claims_[index(i)] != 0 ? w_[index(i)] : 0;
    for (std::size_t j = 0; j < open_.size(); ++j) {
      if (claim_[j] == 0) continue;
      const OpenColumn& open = open_[j];
      const std::size_t end = j + 1 < open_.size() ? open_[j + 1].first : value_.size();
      std::fill(positive_.begin() + static_cast<std::ptrdiff_t>(open.first),
                positive_.begin() + static_cast<std::ptrdiff_t>(end), 0);
      std::fill(shared_.begin() + static_cast<std::ptrdiff_t>(open.first),
                shared_.begin() + static_cast<std::ptrdiff_t>(end), 0);
      std::fill(negative_.begin() + static_cast<std::ptrdiff_t>(open.first),
                negative_.begin() + static_cast<std::ptrdiff_t>(end), 0);
    }
    for (std::size_t i = np; i < m; ++i) {
      if (outside_[i] != 0 || zones_[i] != 1) continue;
      const OpenColumn& open = open_[zone_sum_[i]];
      negative_[open.first + codes_[open.codes + i]] += w_[i];
    }
    for (std::size_t j = 0; j < open_.size(); ++j) {
      if (claim_[j] == 0) continue;
      zone_positive_[j] = histogram(open_[j], j);
      best_[j] = best_choice(open_[j], box.ranges[j], box.values.data() + open_[j].first);
      bound = std::min(bound, certain - zone_positive_[j] + best_[j].one);
      total += best_[j].all;
      work_ += static_cast<std::int64_t>(kept_.size()) + open_[j].n;
      if (bound <= threshold_) return bound;
    }
    bound = std::min(bound, total);
    if (bound <= threshold_) return bound;
    bool changed = false;
    for (std::size_t j = 0; j < open_.size(); ++j) {
      if (claim_[j] == 0 || box.ranges[j].is_settled(open_[j].choice)) continue;
      const std::int32_t one = threshold_ - certain + zone_positive_[j];
      const std::int32_t all = threshold_ - total + best_[j].all;
      if (!rule_out(open_[j], box.ranges[j], box.values.data() + open_[j].first, best_[j], one, all,
                    changed))
        return threshold_;
    }
    if (!changed) break;
  }
  return bound;
}

void Relaxation::store(const LocalBox& box, std::span<Word> to) const {
  std::copy(base_.begin(), base_.end(), to.begin());
  for (std::size_t j = 0; j < open_.size(); ++j) {
    const OpenColumn& open = open_[j];
    const LocalRange& range = box.ranges[j];
    Word* at = to.data() + layout_.first(open.column);
    const std::uint16_t* value = value_.data() + open.first;
    if (open.choice == Choice::interval) {
      at[0] = value[range.low_first];
      at[1] = value[range.low_last];
      at[2] = value[range.high_first];
      at[3] = value[range.high_last];
      continue;
    }
    at[0] = range.all;
    if (open.choice == Choice::one_or_all)
      for (std::int32_t v = 0; v < points_.columns[open.column].n_values; ++v)
        FuzzyLayout::set_value(at, index(v), out);
    for (std::int32_t v = 0; v < open.n; ++v)
      FuzzyLayout::set_value(at, value[v],
                             static_cast<ValueState>(box.values[open.first + index(v)]));
  }
}

}  // namespace treeproof::prices
