#include "search/threshold/shared_proofs/two_splits.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace treeproof::threshold {

std::optional<Answer<Cost>> TwoSplits::solve(const RowSubset& rows, const RowMask& mask,
                                             Cost cutoff) {
  rows_ = &rows;
  load(mask);
  ++context_->counters->two_split_tests;
  if (stop(10 + rows.size() / kRowsPerMicrosecond)) return std::nullopt;
  // All errors are counted here, including those that every tree makes.
  best_cost_ = cutoff >= kInfiniteCost ? cutoff : cutoff + cost_of(forced_);
  found_ = false;
  found_literals_ = 0;
  const Cost leaf = cost_of(std::min(n_[0], n_[1]));
  if (leaf < best_cost_) {
    best_cost_ = leaf;
    found_ = true;
  }
  pair_errors_ = allowed(2);
  if (allowed(1) >= 0) {
    if (!list_literals()) return std::nullopt;
    try_pairs(0);
    try_pairs(1);
    if (stop(0)) return std::nullopt;
  }
  Answer<Cost> answer;
  answer.found = found_;
  answer.lower = answer.upper = found_ ? best_cost_ - cost_of(forced_) : cutoff;
  if (found_) answer.tree = tree(mask);
  return answer;
}

// Gives the rows of the mask their own bits: class 0 before class 1, and each class begins with a
// new word.
void TwoSplits::load(const RowMask& mask) {
  const std::uint32_t m = rows_->size();
  label_.resize(m);
  weight_.resize(m);
  bit_.resize(m);
  unit_ = true;
  n_[0] = n_[1] = forced_ = 0;
  std::uint32_t next[2] = {0, 0};
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t row = rows_->row(r);
    label_[r] = kAbsent;
    weight_[r] = 0;
    if (!mask.holds(row)) continue;
    label_[r] = static_cast<std::uint8_t>(context_->loss->label(row));
    weight_[r] = context_->loss->row_weight(row);
    unit_ = unit_ && weight_[r] == 1;
    n_[label_[r]] += weight_[r];
    forced_ += context_->loss->forced(row);
    bit_[r] = next[label_[r]]++;
  }
  start_[0] = 0;
  start_[1] = (next[0] + 63) / 64;
  start_[2] = words_ = start_[1] + (next[1] + 63) / 64;
  bit_weight_.assign(64 * words_, 0);
  for (std::uint32_t r = 0; r < m; ++r) {
    if (label_[r] == kAbsent) continue;
    if (label_[r] == 1) bit_[r] += static_cast<std::uint32_t>(64 * start_[1]);
    bit_weight_[bit_[r]] = weight_[r];
  }
  n_masks_ = 0;
  for (auto& list : literals_) list.clear();
}

bool TwoSplits::list_literals() {
  for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
    const bool done = context_->columns->kind(f) == FeatureKind::ordered
                          ? walk<true>(f) && walk<false>(f)
                          : list_categories(f);
    if (!done || stop(2 * rows_->size() / kRowsPerMicrosecond)) return false;
  }
  return true;
}

// Literals that put the first rows of the list (kForward) or the last ones outside the box. For
// boxes of class c, only cuts right before a row of class c matter; between equal values there is
// no cut.
template <bool kForward>
bool TwoSplits::walk(std::int32_t f) {
  const std::uint32_t m = rows_->size();
  const std::uint32_t* list = rows_->list(f);
  const auto rank = context_->columns->rank_of(f);
  const auto at = [&](std::uint32_t k) { return list[kForward ? k : m - 1 - k]; };
  const auto rank_at = [&](std::uint32_t k) { return rank[rows_->row(at(k))]; };
  Count out[3] = {0, 0, 0};
  Count most = allowed(1);
  std::uint32_t group = 0;  // start of the run of values equal to the next one
  Count before[2] = {0, 0};
  for (std::uint32_t k = 0; k < m; ++k) {
    const std::uint8_t next = label_[at(k)];
    if (next != kAbsent && out[next] <= most) {
      // Rows of equal value on both sides of the cut: move it before them.
      if (rank_at(group) != rank_at(k)) {
        group = k;
        while (group > 0 && rank_at(group - 1) == rank_at(k)) --group;
        before[0] = out[0];
        before[1] = out[1];
        for (std::uint32_t j = group; j < k; ++j)
          if (label_[at(j)] != kAbsent) before[label_[at(j)]] -= weight_[at(j)];
      }
      if (before[0] + before[1] > 0) {
        const std::uint32_t first = kForward ? 0 : m - group;
        const std::uint32_t last = kForward ? group : m;
        if (!add(next,
                 {f, TestKind::threshold, kForward, first, last, before[next], before[1 - next]}))
          return false;
        most = allowed(1);
      }
    } else if (out[0] > most && out[1] > most) {
      return true;
    }
    out[next] += weight_[at(k)];
  }
  return true;
}

bool TwoSplits::list_categories(std::int32_t f) {
  const FeatureView view(*context_->columns, *rows_, f);
  const std::uint32_t m = rows_->size();
  const std::uint32_t* list = rows_->list(f);
  for (std::uint32_t first = 0; first < m;) {
    const std::uint32_t last = view.run_end(first);
    Count in[3] = {0, 0, 0};
    for (std::uint32_t k = first; k < last; ++k) in[label_[list[k]]] += weight_[list[k]];
    for (std::size_t box = 0; box < 2; ++box) {
      if (!add(box, {f, TestKind::equals, true, first, last, in[box], in[1 - box]}) ||
          !add(box, {f, TestKind::equals, false, first, last, n_[box] - in[box],
                     n_[1 - box] - in[1 - box]}))
        return false;
    }
    first = last;
  }
  return true;
}

// Tries the literal alone as a tree with one split, and lists it for pairs. False if there are too
// many.
bool TwoSplits::add(std::size_t box, const Literal& literal) {
  const Count alone = literal.a + n_[1 - box] - literal.b;
  if (alone <= allowed(1)) {
    best_cost_ = penalty() + cost_of(alone);
    found_ = true;
    found_literals_ = 1;
    found_first_ = literal;
  }
  if (literal.a > pair_errors_) return true;
  std::vector<Literal>& list = literals_[box];
  if (list.size() >= kMostLiterals) return false;
  // The same cut again, from another row of its group.
  if (!list.empty() && list.back().feature == literal.feature && list.back().a == literal.a &&
      list.back().b == literal.b && list.back().outside_yes == literal.outside_yes &&
      literal.kind == TestKind::threshold)
    return true;
  list.push_back(literal);
  return true;
}

// Tries pairs of literals, those first that can contribute most. A pair makes at least n - (b_l -
// a_l / 2) - (b_k - a_k / 2) errors, since max(a_l, a_k) is at least their mean.
void TwoSplits::try_pairs(std::size_t box) {
  std::vector<Literal>& list = literals_[box];
  const Count n = n_[1 - box];
  Count most_errors = allowed(2);
  if (most_errors < 0 || list.empty()) return;
  const auto gain = [](const Literal& l) { return 2 * l.b - l.a; };
  Count most = 0;
  for (const Literal& l : list) most = std::max(most, gain(l));
  std::erase_if(list, [&](const Literal& l) { return gain(l) + most < 2 * (n - most_errors); });
  std::ranges::sort(list, [&](const Literal& x, const Literal& y) { return gain(x) > gain(y); });
  for (std::size_t i = 0; i < list.size(); ++i) {
    Literal& l = list[i];
    if (2 * gain(l) < 2 * (n - most_errors)) return;
    for (std::size_t j = i + 1; j < list.size(); ++j) {
      Literal& k = list[j];
      if (gain(l) + gain(k) < 2 * (n - most_errors)) break;
      if (n - l.b - k.b + std::max(l.a, k.a) > most_errors) continue;
      const Count e = errors(box, l, k, most_errors);
      if (stop(static_cast<std::uint32_t>(words_ / kWordsPerMicrosecond))) return;
      if (e > most_errors) continue;
      best_cost_ = 2 * penalty() + cost_of(e);
      found_ = true;
      found_literals_ = 2;
      found_first_ = l;
      found_second_ = k;
      most_errors = allowed(2);
      if (most_errors < 0) return;
    }
  }
}

const std::uint64_t* TwoSplits::outside(Literal& literal) {
  if (literal.mask == kNoMask) {
    stop(rows_->size() / kRowsPerMicrosecond);
    literal.mask = n_masks_++;
    if (masks_.size() < n_masks_ * words_) masks_.resize(2 * n_masks_ * words_);
    std::uint64_t* const words = masks_.data() + literal.mask * words_;
    std::fill_n(words, words_, 0);
    const std::uint32_t* list = rows_->list(literal.feature);
    const bool within = literal.kind == TestKind::threshold || literal.outside_yes;
    const auto put = [&](std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t k = from; k < to; ++k)
        if (label_[list[k]] != kAbsent)
          words[bit_[list[k]] / 64] |= std::uint64_t{1} << (bit_[list[k]] % 64);
    };
    if (within) {
      put(literal.first, literal.last);
    } else {
      put(0, literal.first);
      put(literal.last, rows_->size());
    }
  }
  return masks_.data() + literal.mask * words_;
}

// Counts the errors of the box that both literals cut out; if there are more than `most`, any
// number above it.
TwoSplits::Count TwoSplits::errors(std::size_t box, Literal& l, Literal& k, Count most) {
  outside(l);  // either call may move the masks
  const std::uint64_t* y = outside(k);
  const std::uint64_t* x = outside(l);
  Count total = n_[1 - box];
  for (std::size_t w = start_[1 - box]; w < start_[2 - box]; ++w) total -= weigh(x[w] | y[w], w);
  if (total > most) return most + 1;
  for (std::size_t w = start_[box]; w < start_[box + 1]; ++w) total += weigh(x[w] | y[w], w);
  return total;
}

TwoSplits::Count TwoSplits::weigh(std::uint64_t bits, std::size_t word) const {
  if (unit_) return std::popcount(bits);
  Count total = 0;
  for (; bits != 0; bits &= bits - 1)
    total += bit_weight_[64 * word + static_cast<std::size_t>(std::countr_zero(bits))];
  return total;
}

SplitTree TwoSplits::node(const Literal& literal) const {
  const FeatureView view(*context_->columns, *rows_, literal.feature);
  SplitTree at;
  at.feature = literal.feature;
  at.kind = literal.kind;
  // A threshold is given by the last value on its left.
  const std::uint32_t position = literal.kind == TestKind::equals ? literal.first
                                 : literal.outside_yes            ? literal.last - 1
                                                                  : literal.first - 1;
  at.code = at.next_code = static_cast<std::int32_t>(view.rank_at(position));
  at.outcomes = {0, 1};
  at.children.resize(2);
  return at;
}

SplitTree TwoSplits::tree(const RowMask& mask) const {
  if (found_literals_ == 0) return {};
  const Columns& columns = *context_->columns;
  Partitioner partitioner;
  RowSubset rows;
  partitioner.keep(*rows_, mask, rows);
  SplitTree root = node(found_first_);
  refit(columns, rows, root);
  if (found_literals_ == 1) return root;
  const std::vector<RowSubset> parts = cut_by(partitioner, columns, rows, root);
  SplitTree below = node(found_second_);
  const std::size_t inside = found_first_.outside_yes ? 1 : 0;
  if (refit(columns, parts[inside], below)) root.children[inside] = std::move(below);
  return root;
}

}  // namespace treeproof::threshold
