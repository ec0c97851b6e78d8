#include "bounds/prices/local_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace treeproof::prices {

LocalSearch::LocalSearch(const Points& points) : points_(points), shape_(points) {
  for (const PointColumn& column : points.columns) {
    sorted_.push_back(column.code);
    std::ranges::sort(sorted_.back());
  }
  turns_.resize(points.columns.size());
  std::iota(turns_.begin(), turns_.end(), std::size_t{0});
}

std::int64_t LocalSearch::take_work() { return std::exchange(work_, 0); }

void LocalSearch::list_points(const Box& box, std::vector<std::int32_t>& out) const {
  out.clear();
  for (std::int32_t i = 0; i < points_.size(); ++i) {
    bool inside = true;
    for (std::size_t c = 0; c < points_.columns.size() && inside; ++c)
      inside = box.keeps[shape_.first(c) + points_.columns[c].code[index(i)]] != 0;
    if (inside) out.push_back(i);
  }
}

// Writes to `keeps` the choice whose values have the largest sum, and returns this sum.
std::int64_t LocalSearch::best_choice(const PointColumn& column, std::vector<std::uint8_t>& keeps) {
  const std::size_t n = index(column.n_values);
  const std::size_t top =
      static_cast<std::size_t>(std::max_element(sums_.begin(), sums_.end()) - sums_.begin());
  keeps.assign(n, 0);
  switch (column.choice) {
    case Choice::subset: {
      std::int64_t sum = 0;
      for (std::size_t v = 0; v < n; ++v) {
        if (sums_[v] < 0 && v != top) continue;
        keeps[v] = 1;
        sum += sums_[v];
      }
      return sum;
    }
    case Choice::one_or_all: {
      const std::int64_t all = std::accumulate(sums_.begin(), sums_.end(), std::int64_t{0});
      if (all >= sums_[top]) {
        keeps.assign(n, 1);
        return all;
      }
      keeps[top] = 1;
      return sums_[top];
    }
    case Choice::interval: break;
  }
  std::int64_t best = sums_[top];
  std::int64_t sum = 0;
  std::size_t from = 0;
  std::size_t begin = top;
  std::size_t last = top;
  for (std::size_t v = 0; v < n; ++v) {
    if (sum <= 0) {
      sum = 0;
      from = v;
    }
    sum += sums_[v];
    if (sum > best) {
      best = sum;
      begin = from;
      last = v;
    }
  }
  while (begin > 0 && sums_[begin - 1] == 0) --begin;
  while (last + 1 < n && sums_[last + 1] == 0) ++last;
  std::fill(keeps.begin() + static_cast<std::ptrdiff_t>(begin),
            keeps.begin() + static_cast<std::ptrdiff_t>(last) + 1, std::uint8_t{1});
  return best;
}

std::int64_t LocalSearch::climb(std::span<const std::int32_t> weights, Box& box, Dice& dice) {
  constexpr int kSweeps = 20;
  const std::size_t n = index(points_.size());
  excluded_.assign(n, 0);
  for (std::size_t c = 0; c < points_.columns.size(); ++c) {
    const std::uint8_t* keeps = box.keeps.data() + shape_.first(c);
    const std::uint16_t* code = points_.columns[c].code.data();
    for (std::size_t i = 0; i < n; ++i) excluded_[i] += 1 - keeps[code[i]];
  }
  std::int64_t weight = 0;
  for (std::size_t i = 0; i < n; ++i) weight += excluded_[i] == 0 ? weights[i] : 0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    for (std::size_t t = turns_.size(); t > 1; --t) std::swap(turns_[t - 1], turns_[dice.below(t)]);
    for (const std::size_t c : turns_) {
      const PointColumn& column = points_.columns[c];
      std::uint8_t* keeps = box.keeps.data() + shape_.first(c);
      const std::uint16_t* code = column.code.data();
      sums_.assign(index(column.n_values), 0);
      for (std::size_t i = 0; i < n; ++i) {
        if (excluded_[i] > 1 || excluded_[i] + keeps[code[i]] != 1) continue;
        sums_[code[i]] += weights[i];
      }
      work_ += static_cast<std::int64_t>(n);
      const std::int64_t best = best_choice(column, keeps_);
      if (best <= weight) continue;
      weight = best;
      changed = true;
      for (std::size_t i = 0; i < n; ++i) excluded_[i] += keeps[code[i]] - keeps_[code[i]];
      std::copy(keeps_.begin(), keeps_.end(), keeps);
    }
    if (!changed) break;
  }
  return weight;
}

void LocalSearch::random_box(std::span<const std::int32_t> weights, Box& box, Dice& dice) {
  constexpr std::size_t kNarrowColumns = 5;
  constexpr int kTries = 50;
  box.keeps.assign(shape_.size(), 1);
  const std::size_t n = weights.size();
  std::size_t centre = dice.below(n);
  for (int t = 0; t < kTries && weights[centre] <= 0; ++t) centre = dice.below(n);
  const std::size_t narrow = 1 + dice.below(std::min(kNarrowColumns, points_.columns.size()));
  for (std::size_t t = 0; t < narrow; ++t) {
    const std::size_t c = dice.below(points_.columns.size());
    const PointColumn& column = points_.columns[c];
    const std::uint16_t at = column.code[centre];
    std::uint8_t* keeps = box.keeps.data() + shape_.first(c);
    std::fill(keeps, keeps + column.n_values, std::uint8_t{0});
    if (column.choice == Choice::subset) {
      for (std::int32_t v = 0; v < column.n_values; ++v) keeps[v] = dice.below(2) == 0;
    } else if (column.choice == Choice::interval) {
      const std::vector<std::uint16_t>& sorted = sorted_[c];
      const std::size_t width = n * (5 + dice.below(50)) / 100;
      const std::size_t here =
          static_cast<std::size_t>(std::ranges::lower_bound(sorted, at) - sorted.begin());
      const std::size_t down = width * dice.below(100) / 100;
      const std::size_t up = width * dice.below(100) / 100;
      const std::size_t low = sorted[here > down ? here - down : 0];
      const std::size_t high = sorted[std::min(n - 1, here + up)];
      std::fill(keeps + low, keeps + high + 1, std::uint8_t{1});
    }
    keeps[at] = 1;
  }
}

void LocalSearch::loosened_box(std::span<const std::int32_t> inside, Box& box, Dice& dice) {
  box.keeps.assign(shape_.size(), 0);
  for (std::size_t c = 0; c < points_.columns.size(); ++c) {
    const PointColumn& column = points_.columns[c];
    std::uint8_t* keeps = box.keeps.data() + shape_.first(c);
    if (inside.empty()) {
      std::fill(keeps, keeps + column.n_values, std::uint8_t{1});
      continue;
    }
    const std::uint16_t some = column.code[index(inside[0])];
    std::uint16_t least = some;
    std::uint16_t most = some;
    for (const std::int32_t i : inside) {
      const std::uint16_t code = column.code[index(i)];
      keeps[code] = 1;
      least = std::min(least, code);
      most = std::max(most, code);
    }
    if (column.choice == Choice::interval)
      std::fill(keeps + least, keeps + most + 1, std::uint8_t{1});
    else if (column.choice == Choice::one_or_all && least != most)
      std::fill(keeps, keeps + column.n_values, std::uint8_t{1});
  }
  for (std::size_t n = 1 + dice.below(2); n > 0; --n) {
    const std::size_t c = dice.below(points_.columns.size());
    std::uint8_t* keeps = box.keeps.data() + shape_.first(c);
    std::fill(keeps, keeps + points_.columns[c].n_values, std::uint8_t{1});
  }
}

}  // namespace treeproof::prices
