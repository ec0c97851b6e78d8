// Where to cut a fuzzy box: at the end or value whose zone has much weight of both signs.
#include <cmath>

#include "bounds/prices/relaxation.hpp"

namespace treeproof::prices {
namespace {

double score(std::int64_t positive, std::int64_t negative) {
  return std::sqrt(static_cast<double>(positive) * static_cast<double>(-negative));
}

}  // namespace

Branch Relaxation::choose_branch() {
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
        for (std::int64_t sum = positive[2 * at];
             at < range.low_last - 1 && 2 * sum < gain; sum += positive[2 * at])
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
        for (std::int64_t sum = positive[2 * at];
             at > range.high_first + 1 && 2 * sum < gain; sum += positive[2 * at])
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
    std::int32_t last = 0;  // the last option
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

}  // namespace treeproof::prices
