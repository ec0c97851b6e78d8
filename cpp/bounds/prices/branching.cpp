// Chooses where to cut a fuzzy box in two. A good cut goes through a zone that holds much weight of
// both signs, since its two parts then have lower bounds than the whole. The zone of an interval's
// end is cut where two thirds of its positive weight lie on the outer side; by experiment, the part
// that loses this weight seldom holds a box of interest.
#include <cmath>

#include "bounds/prices/relaxation.hpp"

namespace treeproof::prices {
namespace {

double score(std::int64_t positive, std::int64_t negative) {
  return std::sqrt(static_cast<double>(positive) * static_cast<double>(-negative));
}

}  // namespace

Branch Relaxation::choose_branch() {
  // Long: one case for each kind of column; all of them use the histograms and `offer`.
  const std::size_t m = outer_.size();
  Branch branch;
  double best = -1.0;
  std::fill(positive_.begin(), positive_.end(), 0);
  std::fill(negative_.begin(), negative_.end(), 0);
  const auto offer = [&](double offered, Branch::Kind kind, std::size_t j, std::int32_t at) {
    if (offered <= best) return;
    best = offered;
    branch = {kind, j, at};
  };
  for (std::size_t j = 0; j < open_.size(); ++j) {
    const OpenColumn& open = open_[j];
    const LocalRange& range = whole_.ranges[j];
    const std::uint16_t* code = codes_.data() + open.codes;
    std::int32_t* positive = positive_.data() + open.first;
    std::int32_t* negative = negative_.data() + open.first;
    for (std::size_t i = 0; i < n_outer_positive_; ++i) positive[code[i]] += w_[i];
    for (std::size_t i = n_outer_positive_; i < m; ++i) negative[code[i]] += w_[i];
    work_ += static_cast<std::int64_t>(m);
    if (open.choice == Choice::interval) {
      if (range.low_last > range.low_first) {
        std::int64_t gain = 0;
        std::int64_t loss = 0;
        for (std::int32_t v = 2 * range.low_first; v < 2 * range.low_last; ++v) {
          gain += positive[v];
          loss += negative[v];
        }
        std::int32_t at = range.low_first;
        for (std::int64_t sum = positive[2 * at]; at < range.low_last - 1 && 3 * sum < 2 * gain;
             sum += positive[2 * at])
          ++at;
        offer(score(gain, loss), Branch::Kind::low_end, j, at);
      }
      if (range.high_last > range.high_first) {
        std::int64_t gain = 0;
        std::int64_t loss = 0;
        for (std::int32_t v = 2 * range.high_first + 1; v <= 2 * range.high_last; ++v) {
          gain += positive[v];
          loss += negative[v];
        }
        std::int32_t at = range.high_last;
        for (std::int64_t sum = positive[2 * at]; at > range.high_first + 1 && 3 * sum < 2 * gain;
             sum += positive[2 * at])
          --at;
        offer(score(gain, loss), Branch::Kind::high_end, j, at - 1);
      }
      continue;
    }
    const std::uint8_t* values = whole_.values.data() + open.first;
    if (open.choice == Choice::subset) {
      for (std::int32_t v = 0; v < open.n; ++v)
        if (values[v] == ValueState::open)
          offer(score(positive[v], negative[v]), Branch::Kind::value, j, v);
      continue;
    }
    std::int64_t gain = 0;
    std::int64_t loss = 0;
    for (std::int32_t v = 0; v <= open.n; ++v) {
      gain += positive[v];
      loss += negative[v];
    }
    if (range.all) {
      offer(score(gain, loss), Branch::Kind::all, j, 0);
      continue;
    }
    std::int32_t at = -1;
    std::int32_t last = 0;  // the last value that is still open
    for (std::int32_t v = 0; v < open.n; ++v)
      if (values[v] == ValueState::open) last = v;
    std::int64_t sum = 0;
    for (std::int32_t v = 0; v < last; ++v) {
      if (values[v] != ValueState::open) continue;
      if (at >= 0 && 2 * sum >= gain) break;
      at = v;
      sum += positive[v];
    }
    offer(score(gain, loss), Branch::Kind::values, j, at);
  }
  return branch;
}

void Relaxation::take_part(const Branch& branch, int part, LocalBox& box) const {
  box.ranges = whole_.ranges;
  box.values = whole_.values;
  const OpenColumn& open = open_[branch.column];
  LocalRange& range = box.ranges[branch.column];
  std::uint8_t* values = box.values.data() + open.first;
  const bool lower = part == 0;
  switch (branch.kind) {
    case Branch::Kind::none: return;
    case Branch::Kind::low_end:
      (lower ? range.low_last : range.low_first) = lower ? branch.at : branch.at + 1;
      range.high_first = std::max(range.high_first, range.low_first);
      return;
    case Branch::Kind::high_end:
      (lower ? range.high_last : range.high_first) = lower ? branch.at : branch.at + 1;
      range.low_last = std::min(range.low_last, range.high_last);
      return;
    case Branch::Kind::value:
      values[branch.at] = lower ? out : in;
      --range.n_options;
      return;
    case Branch::Kind::all:
      range.all = !lower;
      if (lower) {
        --range.n_options;
        return;
      }
      range.n_options = 1;
      for (std::int32_t v = 0; v < open.n; ++v) values[v] = out;
      return;
    case Branch::Kind::values:
      range.n_options = 0;
      for (std::int32_t v = 0; v < open.n; ++v) {
        if ((v <= branch.at) != lower) values[v] = out;
        range.n_options += values[v] == ValueState::open;
      }
      return;
  }
}

void Relaxation::suggest(const LocalBox& part, const BoxShape& shape, Box& box) const {
  // For every column, start with the widest choice that the part leaves.
  words_.resize(layout_.size());
  store(part, words_);
  box.keeps.assign(shape.size(), 0);
  for (std::size_t c = 0; c < points_.columns.size(); ++c) {
    const PointColumn& column = points_.columns[c];
    const Word* at = words_.data() + layout_.first(c);
    std::uint8_t* keeps = box.keeps.data() + shape.first(c);
    if (column.choice == Choice::interval) {
      std::fill(keeps + at[0], keeps + at[3] + 1, std::uint8_t{1});
      continue;
    }
    const bool all = column.choice == Choice::one_or_all && at[0] != 0;
    for (std::size_t v = 0; v < index(column.n_values); ++v) {
      keeps[v] = all || FuzzyLayout::value(at, v) != out;
      if (!all && column.choice == Choice::one_or_all && keeps[v] != 0) break;
    }
  }
  for (std::size_t j = 0; j < open_.size(); ++j) {
    const OpenColumn& open = open_[j];
    if (claim_[j] == 0 || open.choice != Choice::interval) continue;
    const LocalRange& range = part.ranges[j];
    const std::int32_t* sum = sum_all_.data() + open.first + j;
    std::int32_t best = -1;
    std::int32_t low = range.low_first;
    std::int32_t from = low;
    std::int32_t to = range.high_last;
    for (std::int32_t b = range.high_first; b <= range.high_last; ++b) {
      for (std::int32_t a = low + 1; a <= std::min(b, range.low_last); ++a)
        if (sum[2 * a] <= sum[2 * low]) low = a;
      const std::int32_t weight = sum[2 * b + 1] - sum[2 * low];
      if (weight <= best) continue;
      best = weight;
      from = low;
      to = b;
    }
    std::uint8_t* keeps = box.keeps.data() + shape.first(open.column);
    const std::uint16_t* value = value_.data() + open.first;
    std::fill(keeps, keeps + points_.columns[open.column].n_values, std::uint8_t{0});
    std::fill(keeps + value[from], keeps + value[to] + 1, std::uint8_t{1});
  }
}

}  // namespace treeproof::prices
