#include "bounds/prices/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treeproof::prices {
namespace {

constexpr int kRounds = 3;
constexpr Word kNoCode = 0xffff;
// Less than any sum of weights: these stay below 2^28.
constexpr std::int32_t kNothing = -(1 << 29);

// Marks every point outside [low, high]. Codes and bounds are 16-bit numbers, and so are the
// marks: the loop vectorises.
void mark_outside(const std::uint16_t* code, std::size_t n, Word low, Word high,
                  std::uint16_t* marks) {
  for (std::size_t i = 0; i < n; ++i)
    marks[i] = static_cast<std::uint16_t>(marks[i] | (code[i] < low ? 1 : 0) |
                                          (code[i] > high ? 1 : 0));
}

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

// The points inside the outermost choices of every column, positive ones first.
void Relaxation::list_outer(std::span<const Word> box) {
  std::fill(is_out_.begin(), is_out_.end(), std::uint16_t{0});
  for (std::size_t c = 0; c < points_.columns.size(); ++c) {
    const PointColumn& column = points_.columns[c];
    const Word* at = box.data() + layout_.first(c);
    if (column.choice == Choice::interval) {
      if (at[0] > 0 || at[3] < column.n_values - 1)
        mark_outside(code_[c].data(), n_, at[0], at[3], is_out_.data());
      continue;
    }
    if (column.choice == Choice::one_or_all && at[0] != 0) continue;
    for (std::int32_t v = 0; v < column.n_values; ++v)
      flags_[index(v)] = FuzzyLayout::value(at, index(v)) == out;
    for (std::size_t i = 0; i < n_; ++i) is_out_[i] |= flags_[code_[c][i]];
  }
  outer_.clear();
  for (std::size_t i = 0; i < n_positive_; ++i)
    if (is_out_[i] == 0) outer_.push_back(static_cast<std::int32_t>(i));
  n_outer_positive_ = outer_.size();
}

// Ends of intervals and values of categories lie on positive points: narrows `base_` to them, and
// then lists the negative points inside.
bool Relaxation::shrink_to_hull(std::span<const Word> box) {
  std::copy(box.begin(), box.end(), base_.begin());
  for (std::size_t c = 0; c < points_.columns.size(); ++c) {
    const PointColumn& column = points_.columns[c];
    Word* at = base_.data() + layout_.first(c);
    const std::uint16_t* code = code_[c].data();
    if (column.choice != Choice::interval) {
      if (!drop_values(column, code, at)) return false;
      continue;
    }
    Word least = 0xffff;
    Word most = 0;
    for (const std::int32_t i : outer_) {
      least = std::min(least, code[i]);
      most = std::max(most, code[i]);
    }
    if (least > at[1] || most < at[2]) return false;
    if (least <= at[0] && most >= at[3]) continue;
    at[0] = least;
    at[3] = most;
    at[1] = std::min(at[1], most);
    at[2] = std::max(at[2], least);
    mark_outside(code + n_positive_, n_ - n_positive_, least, most,
                 is_out_.data() + n_positive_);
  }
  for (std::size_t i = n_positive_; i < n_; ++i)
    if (is_out_[i] == 0) outer_.push_back(static_cast<std::int32_t>(i));
  return true;
}

// Strikes off the values without positive points, and the negative points with them. False if
// such a value has to be kept.
bool Relaxation::drop_values(const PointColumn& column, const std::uint16_t* code, Word* at) {
  std::fill(flags_.begin(), flags_.begin() + column.n_values, std::uint16_t{1});
  for (const std::int32_t i : outer_) flags_[code[i]] = 0;
  for (std::size_t v = 0; v < index(column.n_values); ++v) {
    if (flags_[v] == 0) continue;
    if (FuzzyLayout::value(at, v) == in) return false;
    FuzzyLayout::set_value(at, v, out);
  }
  if (column.choice == Choice::one_or_all && at[0] != 0) return true;
  for (std::size_t i = n_positive_; i < n_; ++i) is_out_[i] |= flags_[code[i]];
  return true;
}

// The view's numbers for the values of one column, and its codes.
void Relaxation::renumber(std::size_t c, const Word* range, OpenColumn& open) {
  const PointColumn& column = points_.columns[c];
  const std::uint16_t* code = code_[c].data();
  const std::size_t from = column.choice == Choice::interval ? range[0] : 0;
  const std::size_t to =
      column.choice == Choice::interval ? range[3] : index(column.n_values) - 1;
  std::fill(flags_.begin() + static_cast<std::ptrdiff_t>(from),
            flags_.begin() + static_cast<std::ptrdiff_t>(to) + 1, std::uint16_t{0});
  for (std::size_t t = 0; t < n_outer_positive_; ++t) flags_[code[outer_[t]]] = 1;
  open.n = 0;
  open.first = value_.size();
  const bool doubled = column.choice == Choice::interval;
  for (std::size_t v = from; v <= to; ++v) {
    if (flags_[v] != 0) {
      map_[v] = static_cast<Word>(doubled ? 2 * open.n : open.n);
      value_.push_back(static_cast<std::uint16_t>(v));
      ++open.n;
    } else {
      map_[v] = doubled ? static_cast<Word>(2 * open.n - 1) : kNoCode;
    }
  }
  if (!doubled)
    for (std::size_t v = from; v <= to; ++v)
      if (map_[v] == kNoCode) map_[v] = static_cast<Word>(open.n);
  value_.resize(open.first + (doubled ? 2 * index(open.n) : index(open.n) + 1));
  open.codes = codes_.size();
  codes_.resize(open.codes + outer_.size());
  std::uint16_t* to_codes = codes_.data() + open.codes;
  for (std::size_t t = 0; t < outer_.size(); ++t) to_codes[t] = map_[code[outer_[t]]];
}

bool Relaxation::look_at(std::span<const Word> box) {
  list_outer(box);
  std::int64_t most = 0;
  for (std::size_t t = 0; t < n_outer_positive_; ++t) most += weight_[index(outer_[t])];
  if (most <= threshold_) return false;
  if (!shrink_to_hull(box)) return false;
  w_.resize(outer_.size());
  for (std::size_t t = 0; t < outer_.size(); ++t) w_[t] = weight_[index(outer_[t])];
  open_.clear();
  codes_.clear();
  value_.clear();
  whole_.ranges.clear();
  whole_.values.clear();
  for (std::size_t c = 0; c < points_.columns.size(); ++c) {
    const PointColumn& column = points_.columns[c];
    Word* at = base_.data() + layout_.first(c);
    OpenColumn open{c, column.choice, 0, 0, 0};
    LocalRange range{0, 0, 0, 0, false, 0};
    if (column.choice == Choice::interval) {
      if (at[0] == at[1] && at[2] == at[3]) continue;
      renumber(c, at, open);
      const auto first = value_.begin() + static_cast<std::ptrdiff_t>(open.first);
      const auto last = first + open.n;
      const auto place = [&](auto position) {
        return static_cast<std::int32_t>(position - first);
      };
      range.low_first = 0;
      range.low_last = place(std::upper_bound(first, last, at[1])) - 1;
      range.high_first = place(std::lower_bound(first, last, at[2]));
      range.high_last = open.n - 1;
      if (range.low_last < 0 || range.high_first >= open.n) return false;
      whole_.values.resize(value_.size(), out);
    } else {
      renumber(c, at, open);
      whole_.values.resize(value_.size(), out);
      for (std::int32_t v = 0; v < open.n; ++v) {
        const ValueState state = FuzzyLayout::value(at, value_[open.first + index(v)]);
        whole_.values[open.first + index(v)] = state;
        range.n_options += state == ValueState::open;
      }
      range.all = column.choice == Choice::one_or_all && at[0] != 0;
      if (range.all) ++range.n_options;
      if (column.choice == Choice::one_or_all && range.n_options == 0) return false;
      if (range.is_settled(column.choice)) {
        value_.resize(open.first);
        whole_.values.resize(open.first);
        codes_.resize(open.codes);
        continue;
      }
    }
    open_.push_back(open);
    whole_.ranges.push_back(range);
  }
  const std::size_t m = outer_.size();
  outside_.assign(m, 0);
  zones_.resize(m);
  last_zone_.resize(m);
  zone_.resize(m * open_.size());
  kept_.resize(n_outer_positive_);
  claims_.resize(n_outer_positive_);
  rate_.resize(n_outer_positive_);
  claim_.resize(open_.size());
  best_.resize(open_.size());
  zone_positive_.resize(open_.size());
  for (std::vector<std::int32_t>* histogram : {&positive_, &shared_, &negative_})
    histogram->resize(value_.size());
  for (std::vector<std::int32_t>* sums : {&sum_one_, &sum_all_, &top_one_, &top_all_})
    sums->resize(value_.size() + open_.size());
  work_ += static_cast<std::int64_t>(2 * m * (open_.size() + 1));
  return true;
}

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

// Which points of the view the column excludes, and which are in its zone.
void Relaxation::mark(const OpenColumn& open, const LocalRange& range,
                      const std::uint8_t* values, std::size_t j) {
  const std::size_t m = outer_.size();
  const std::uint16_t* code = codes_.data() + open.codes;
  std::uint16_t* zone = zone_.data() + j * m;
  const auto column = static_cast<std::uint16_t>(j);
  if (open.choice == Choice::interval) {
    const auto low = static_cast<Word>(2 * range.low_first);
    const auto high = static_cast<Word>(2 * range.high_last);
    mark_outside(code, m, low, high, outside_.data());
    const bool has_core = range.low_last <= range.high_first;
    // Without a core every point is in the zone: none is at or above 0xffff.
    const auto core_low = static_cast<Word>(has_core ? 2 * range.low_last : 0xffff);
    const auto core_high = static_cast<Word>(has_core ? 2 * range.high_first : 0xffff);
    for (std::size_t i = 0; i < m; ++i) {
      const auto in_zone = static_cast<std::uint16_t>((code[i] < core_low ? 1 : 0) |
                                                      (code[i] > core_high ? 1 : 0));
      zone[i] = in_zone;
      zones_[i] = static_cast<std::uint16_t>(zones_[i] + in_zone);
      last_zone_[i] = static_cast<std::uint16_t>(in_zone != 0 ? column : last_zone_[i]);
    }
    return;
  }
  constexpr std::uint16_t kOut = 1;
  constexpr std::uint16_t kZone = 2;
  for (std::int32_t v = 0; v <= open.n; ++v) {
    const std::uint8_t state = v < open.n ? values[v] : std::uint8_t{out};
    std::uint16_t flag = 0;
    if (open.choice == Choice::subset) {
      flag = state == out ? kOut : state == ValueState::open ? kZone : std::uint16_t{0};
    } else if (range.all) {
      // With all and one value left, the value's points are in both.
      const bool core = range.n_options == 1 || (range.n_options == 2 && state != out);
      flag = core ? std::uint16_t{0} : kZone;
    } else {
      flag = state == out ? kOut : range.n_options > 1 ? kZone : std::uint16_t{0};
    }
    flags_[index(v)] = flag;
  }
  for (std::size_t i = 0; i < m; ++i) {
    const std::uint16_t flag = flags_[code[i]];
    outside_[i] = static_cast<std::uint16_t>(outside_[i] | (flag & kOut));
    const auto in_zone = static_cast<std::uint16_t>(flag >> 1);
    zone[i] = in_zone;
    zones_[i] = static_cast<std::uint16_t>(zones_[i] + in_zone);
    last_zone_[i] = static_cast<std::uint16_t>(in_zone != 0 ? column : last_zone_[i]);
  }
}

// Sums of positive points in the zone, with their weights and with their shares. Returns the
// first.
std::int32_t Relaxation::histogram(const OpenColumn& open, std::size_t j) {
  const std::uint16_t* code = codes_.data() + open.codes;
  const std::uint16_t* zone = zone_.data() + j * outer_.size();
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
  // sum_*[t]: of the codes below t; top_*[b]: the largest sum up to an upper end at b or above.
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

// The largest sum over the zone that a choice of the column keeps.
Relaxation::Best Relaxation::best_choice(const OpenColumn& open, const LocalRange& range,
                                         const std::uint8_t* values) {
  if (open.choice == Choice::interval) return best_interval(open, range);
  Best best{kNothing, kNothing};
  if (open.choice == Choice::subset) best = {0, 0};
  Best sum{0, 0};
  for (std::int32_t v = 0; v <= open.n; ++v) {
    const std::size_t at = open.first + index(v);
    const Best here{positive_[at] + negative_[at], shared_[at] + negative_[at]};
    sum.one += here.one;
    sum.all += here.all;
    if (v == open.n || values[v] != ValueState::open) continue;
    if (open.choice == Choice::subset) {
      best.one += std::max(0, here.one);
      best.all += std::max(0, here.all);
    } else {
      best.one = std::max(best.one, here.one);
      best.all = std::max(best.all, here.all);
    }
  }
  if (range.all) {
    best.one = std::max(best.one, sum.one);
    best.all = std::max(best.all, sum.all);
  }
  return best;
}

// Strikes off ends whose boxes cannot weigh more than the threshold. False if none is left.
bool Relaxation::strike_ends(const OpenColumn& open, LocalRange& range, std::int32_t one,
                             std::int32_t all, bool& changed) {
  const std::size_t first = open.first;
  const std::size_t j = static_cast<std::size_t>(&open - open_.data());
  const std::int32_t* sum_one = sum_one_.data() + first + j;
  const std::int32_t* sum_all = sum_all_.data() + first + j;
  const std::int32_t* top_one = top_one_.data() + first;
  const std::int32_t* top_all = top_all_.data() + first;
  const bool has_core = range.low_last <= range.high_first;
  const LocalRange before = range;
  // Positive points of the core are not in the histograms.
  const auto on_positive = [&](std::int32_t v) {
    return positive_[first + 2 * index(v)] > 0 ||
           (has_core && v >= before.low_last && v <= before.high_first);
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
  // The least sums below a lower end at or before each upper end, in place of `top_*`.
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
  while (range.high_first <= range.high_last && high_fails(range.high_first))
    ++range.high_first;
  if (range.high_first > range.high_last) return false;
  range.low_last = std::min(range.low_last, range.high_last);
  changed |= range.low_first != before.low_first || range.low_last != before.low_last ||
             range.high_first != before.high_first || range.high_last != before.high_last;
  return range.low_first <= range.low_last;
}

// `one` and `all`: what the column's own sum must exceed for a box above the threshold.
bool Relaxation::strike(const OpenColumn& open, LocalRange& range, std::uint8_t* values,
                        Best best, std::int32_t one, std::int32_t all, bool& changed) {
  if (open.choice == Choice::interval) return strike_ends(open, range, one, all, changed);
  Best sum{0, 0};
  for (std::int32_t v = 0; v <= open.n; ++v) {
    const std::size_t at = open.first + index(v);
    const Best here{positive_[at] + negative_[at], shared_[at] + negative_[at]};
    sum.one += here.one;
    sum.all += here.all;
    if (v == open.n || values[v] != ValueState::open) continue;
    if (open.choice == Choice::subset) {
      const Best without{best.one - std::max(0, here.one), best.all - std::max(0, here.all)};
      if (positive_[at] == 0 || without.one + here.one <= one || without.all + here.all <= all)
        values[v] = out;
      else if (without.one <= one || without.all <= all)
        values[v] = in;
      else
        continue;
    } else {
      if (here.one > one && here.all > all) continue;
      values[v] = out;
    }
    --range.n_options;
    changed = true;
  }
  if (range.all && (sum.one <= one || sum.all <= all)) {
    range.all = false;
    --range.n_options;
    changed = true;
  }
  return open.choice == Choice::subset || range.n_options > 0;
}

std::int32_t Relaxation::tighten(LocalBox& box) {
  const std::size_t m = outer_.size();
  const std::size_t np = n_outer_positive_;
  std::int32_t bound = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::fill(outside_.begin(), outside_.end(), std::uint16_t{0});
    std::fill(zones_.begin(), zones_.end(), std::uint16_t{0});
    for (std::size_t j = 0; j < open_.size(); ++j)
      mark(open_[j], box.ranges[j], box.values.data() + open_[j].first, j);
    work_ += static_cast<std::int64_t>(m * open_.size() / 8 + 1);
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
      else claim_[last_zone_[i]] -= w_[i];
    }
    bound = certain;
    if (bound <= threshold_) return bound;
    bool any = false;
    std::fill(claims_.begin(), claims_.end(), 0);
    for (std::size_t j = 0; j < open_.size(); ++j) {
      if (claim_[j] == 0) continue;
      any = true;
      const std::uint16_t* zone = zone_.data() + j * m;
      const std::int32_t claim = claim_[j];
      for (std::size_t i = 0; i < np; ++i) claims_[i] += zone[i] != 0 ? claim : 0;
    }
    if (!any) return bound;
    // A little more than weight / claims: the shares, each rounded up, sum to the weight.
    constexpr float kSlack = 1.0f + 0x1p-19f;
    for (std::size_t i = 0; i < np; ++i)
      rate_[i] = claims_[i] == 0 ? 0.0f
                                 : kSlack * static_cast<float>(w_[i]) /
                                       static_cast<float>(claims_[i]);
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
      const OpenColumn& open = open_[last_zone_[i]];
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
      if (!strike(open_[j], box.ranges[j], box.values.data() + open_[j].first, best_[j], one,
                  all, changed))
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
