// Makes the view of a fuzzy box: its outer points, its open columns and their values, renumbered.
#include <algorithm>

#include "bounds/prices/marks.hpp"
#include "bounds/prices/relaxation.hpp"

namespace treeproof::prices {
namespace {

constexpr Word kNoCode = 0xffff;

}  // namespace

// Lists the points that the widest choice of every column keeps, the positive ones first.
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
    bool any = false;
    for (std::int32_t v = 0; v < column.n_values; ++v) {
      flags_[index(v)] = FuzzyLayout::value(at, index(v)) == out;
      any |= flags_[index(v)] != 0;
    }
    if (!any) continue;
    for (std::size_t i = 0; i < n_; ++i) is_out_[i] |= flags_[code_[c][i]];
  }
  outer_.clear();
  for (std::size_t i = 0; i < n_positive_; ++i)
    if (is_out_[i] == 0) outer_.push_back(static_cast<std::int32_t>(i));
  n_outer_positive_ = outer_.size();
}

// Narrows `base_` to the hull of the positive points: ends of intervals and values of categories
// lie on positive points. Then lists the negative points inside. False if no box is left.
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
    mark_outside(code + n_positive_, n_ - n_positive_, least, most, is_out_.data() + n_positive_);
  }
  for (std::size_t i = n_positive_; i < n_; ++i)
    if (is_out_[i] == 0) outer_.push_back(static_cast<std::int32_t>(i));
  return true;
}

// Rules out the values that no positive point has, together with their negative points. False if
// such a value is in every box, so that no box of interest is left.
bool Relaxation::drop_values(const PointColumn& column, const std::uint16_t* code, Word* at) {
  std::fill(flags_.begin(), flags_.begin() + column.n_values, std::uint16_t{1});
  for (const std::int32_t i : outer_) flags_[code[i]] = 0;
  bool any = false;  // whether a value is ruled out now; the points of others are out already
  for (std::size_t v = 0; v < index(column.n_values); ++v) {
    if (flags_[v] == 0) continue;
    const ValueState state = FuzzyLayout::value(at, v);
    if (state == in) return false;
    any |= state != out;
    FuzzyLayout::set_value(at, v, out);
  }
  if (!any || (column.choice == Choice::one_or_all && at[0] != 0)) return true;
  for (std::size_t i = n_positive_; i < n_; ++i) is_out_[i] |= flags_[code[i]];
  return true;
}

// Numbers the values of one column for the view, and stores the codes of the points.
void Relaxation::renumber(std::size_t c, const Word* range, OpenColumn& open) {
  const PointColumn& column = points_.columns[c];
  const std::uint16_t* code = code_[c].data();
  const std::size_t from = column.choice == Choice::interval ? range[0] : 0;
  const std::size_t to = column.choice == Choice::interval ? range[3] : index(column.n_values) - 1;
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
  // Long: it fills all members that describe a box, each from those before it.
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
      const auto place = [&](auto position) { return static_cast<std::int32_t>(position - first); };
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
  mark_whole();
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

}  // namespace treeproof::prices
