#include "search/sparse/expand.hpp"

#include <algorithm>

#include "bounds/covering.hpp"
#include "bounds/rounding.hpp"
#include "core/index.hpp"

namespace treeproof::sparse {
namespace {

// A larger pair matrix costs more than it saves (and every node of the path has one). Children then
// get only their cost as a leaf and the errors forced by equivalent points.
constexpr std::uint64_t kMaxPairBytes = 32 << 20;

// Cells that are packed, counted and compared in a microsecond.
constexpr std::size_t kCellsPerMicrosecond = 200;

std::uint64_t max_pair_bytes(const Limits& limits) {
  const std::uint64_t allowance = limits.memory_allowance();
  return allowance == 0 ? kMaxPairBytes : std::min(kMaxPairBytes, allowance / 32);
}

}  // namespace

template <class Word>
void Expander<Word>::prepare(Frame<Word>& frame) {
  if (frame.prepared) return;
  const std::size_t cells = index(frame.n_words) * index(frame.stride);
  frame.count(kernel_);
  drop_useless(frame);
  frame.prepared = true;
  // With thousands of tests this takes milliseconds. The next poll will react to a limit.
  limits_.stop(static_cast<std::uint32_t>(1 + cells / kCellsPerMicrosecond));
}

template <class Word>
bool Expander<Word>::expand(Frame<Word>& frame, int depth_left, Expansion<Word>& out) {
  ++counters_.expansions;
  out.candidates.clear();
  out.at_least.clear();
  out.has_pairs = false;
  prepare(frame);
  std::int64_t total = 0, most = 0;
  for (std::int32_t c = 0; c < layout_.n_classes; ++c) {
    const std::int64_t n = frame.channel_total[index(c)];
    total += n;
    most = std::max(most, n);
  }
  out.leaf = out.best = cost_of(total - most);
  out.best_test = -1;
  if (depth_left == 0 || out.leaf == 0) return true;

  list_candidates(frame, out);
  const auto pair_bytes = static_cast<std::uint64_t>(frame.n_columns) *
                          static_cast<std::uint64_t>(frame.stride) * sizeof(Word) *
                          static_cast<std::uint64_t>(layout_.n_classes + 1);
  const bool look = settings_.switches.lookahead && depth_left >= 2 && frame.n_columns > 0 &&
                    pair_bytes <= max_pair_bytes(limits_);
  if (look && !count_pairs(frame, out)) return false;
  bound_children(frame, depth_left, out);
  if (prices_ && depth_left >= 2) raise_by_prices(frame, depth_left, out);
  if (settings_.switches.merging && trees_extend(frame)) drop_merged(frame, out);
  return true;
}

// Whether the test in columns [first, first + n) can be the root split of a tree on the
// frame's rows; `dead` is set if it can be used nowhere below either.
//
// Lemma (admissible tests). Take an optimal tree with the fewest splits. Replacing a split by the
// subtree of one of its children saves at least L, so the weight that the subtrees of the other
// children predict correctly exceeds L * (1 + their splits). In a tree of two-way splits, some leaf
// of each side therefore has a class heavier than L (otherwise delete the parent of that leaf
// instead). If there are multiway splits, a side is a leaf with a class heavier than L, or it has a
// split of its own and weighs more than 2L. A multiway split needs more than L outside its heaviest
// child. Sides only shrink further down, so such a test is useless there too. Depth limits are
// respected, since replacing never makes a tree deeper. With a minimum leaf size above one, the
// moved rows could form too small a child of a multiway split, and if each child of such a split is
// paid for, they could form additional children: the lemma is not used then.
template <class Word>
bool Expander<Word>::usable(const Frame<Word>& frame, std::int32_t first, std::int32_t n,
                            bool two_way, bool& dead) const {
  const Cost penalty = settings_.split_cost * (settings_.has(Fault::admissible) ? 8 : 1);
  const bool lemma = settings_.switches.admissible && trees_extend(frame);
  const std::int64_t least = settings_.min_samples_leaf;
  dead = false;
  std::int64_t total = 0, heaviest = 0;
  std::int32_t occupied = 0;
  bool large_enough = true;
  for (std::int32_t k = 0; k < (two_way ? 2 : n); ++k) {
    const std::int32_t child = two_way ? 2 * first + 1 - k : 2 * (first + k) + 1;
    const std::int64_t weight = frame.child_total(child);
    if (weight == 0) continue;
    ++occupied;
    total += weight;
    heaviest = std::max(heaviest, weight);
    if (least > 1) {
      const std::int64_t samples =
          layout_.has_samples ? frame.child_count(layout_.n_classes, child) : weight;
      if (samples < least) large_enough = false;
    }
    if (lemma && two_way && cost_of(frame.child_most(child)) <= penalty &&
        (!layout_.has_multiway || cost_of(weight) <= 2 * penalty))
      dead = true;
  }
  if (occupied < 2) {
    dead = true;
    return false;
  }
  if (lemma && cost_of(total - heaviest) <= penalty) dead = true;
  if (two_way && !large_enough) dead = true;  // sides only shrink; categories may vanish
  return !dead && large_enough;
}

template <class Word>
bool Expander<Word>::has_wide_test(const Frame<Word>& frame) const {
  if (settings_.further_child == 0) return false;
  for (std::int32_t j = frame.n_binary; j < frame.n_columns;) {
    const std::int32_t width = frame.test_width(j);
    std::int32_t occupied = 0;
    for (std::int32_t k = 0; k < width; ++k)
      if (frame.child_total(2 * (j + k) + 1) > 0) ++occupied;
    if (occupied > 2) return true;
    j += width;
  }
  return false;
}

template <class Word>
void Expander<Word>::drop_useless(Frame<Word>& frame) {
  const std::int32_t n = frame.n_columns;
  frame.wide = has_wide_test(frame);
  keep_.assign(index(n), 0);
  frame.blocked.assign(index(n), 0);
  bool changed = false;
  for (std::int32_t j = 0; j < n;) {
    if (frame.column[index(j)] < 0) {  // padding
      ++j;
      continue;
    }
    const bool two_way = j < frame.n_binary;
    const std::int32_t width = frame.test_width(j);
    bool dead = false;
    const bool ok = usable(frame, j, width, two_way, dead);
    if (dead) {
      ++counters_.admissible_dropped;
      changed = true;
    } else {
      for (std::int32_t k = 0; k < width; ++k) {
        // A category without rows here has none further down either.
        keep_[index(j + k)] = two_way || frame.child_total(2 * (j + k) + 1) > 0 ? 1 : 0;
        if (keep_[index(j + k)] == 0) changed = true;
        frame.blocked[index(j + k)] = ok ? 0 : 1;
      }
    }
    j += width;
  }
  if (settings_.switches.equal_tests) {
    const std::int64_t before = counters_.equal_tests_dropped;
    drop_equal_tests(frame, keep_);
    changed = changed || counters_.equal_tests_dropped != before;
  }
  if (!changed) return;
  frame.keep_columns(keep_);
  frame.count_sides(kernel_);
}

template <class Word>
void Expander<Word>::list_candidates(const Frame<Word>& frame, Expansion<Word>& out) const {
  for (std::int32_t j = 0; j < frame.n_columns;) {
    if (frame.column[index(j)] < 0) {
      ++j;
      continue;
    }
    const bool two_way = j < frame.n_binary;
    const std::int32_t width = frame.test_width(j);
    if (!frame.blocked[index(j)])
      out.candidates.push_back({frame.test_at(j), j, two_way ? 2 : width, two_way});
    j += width;
  }
}

// Two-way tests that divide the rows in the same way (or with the sides exchanged) lead to the same
// children here and everywhere below, so one of them is enough. Columns are compared by a linear
// hash of their words, so that the hash of the complement is a subtraction; columns with equal
// hashes are compared word by word.
template <class Word>
void Expander<Word>::drop_equal_tests(const Frame<Word>& frame, std::vector<std::uint8_t>& keep) {
  hashes_.clear();
  while (word_factor_.size() < index(frame.n_words))
    word_factor_.push_back(random_key(word_factor_.size()).low);
  std::uint64_t everything = 0;
  for (std::int32_t w = 0; w < frame.n_words; ++w)
    everything += frame.valid[index(w)] * word_factor_[index(w)];
  const std::int32_t n = std::min(frame.n_binary, frame.n_columns);
  for (std::int32_t j = 0; j < n; ++j) {
    if (!keep[index(j)]) continue;
    std::uint64_t h = 0;
    for (std::int32_t w = 0; w < frame.n_words; ++w)
      h += frame.child_word(2 * j + 1, w) * word_factor_[index(w)];
    hashes_.emplace_back(std::min(h, everything - h), j);
  }
  std::ranges::sort(hashes_);
  const auto alike = [&](std::int32_t a, std::int32_t b) {
    bool same = true, opposite = true;
    for (std::int32_t w = 0; w < frame.n_words && (same || opposite); ++w) {
      const Word x = frame.child_word(2 * a + 1, w);
      same = same && x == frame.child_word(2 * b + 1, w);
      opposite = opposite && x == frame.child_word(2 * b, w);
    }
    return same || opposite;
  };
  for (std::size_t k = 1; k < hashes_.size(); ++k) {
    if (hashes_[k].first != hashes_[k - 1].first) continue;
    if (!alike(hashes_[k - 1].second, hashes_[k].second)) continue;
    keep[index(hashes_[k - 1].second)] = 0;
    ++counters_.equal_tests_dropped;
  }
}

template <class Word>
bool Expander<Word>::count_pairs(const Frame<Word>& frame, Expansion<Word>& out) {
  const std::int32_t n_channels = layout_.n_classes + (layout_.has_samples ? 1 : 0);
  const bool cover = settings_.switches.covering && settings_.split_cost > 0 &&
                     !layout_.has_multiway && layout_.n_classes <= kernels::kMaxCoveringClasses;
  const std::size_t plane = index(frame.n_columns) * index(frame.stride);
  if (out.pairs.size() < index(n_channels) * plane) out.pairs.resize(index(n_channels) * plane);
  out.best_right.assign(2 * index(frame.stride), 0);
  out.best_wide.clear();
  out.cover.assign(cover ? 2 * index(layout_.n_classes) * index(frame.stride) : 0, 0);

  kernels::PairTask<Word>& task = out.task;
  task.words = frame.words.data();
  task.stride = frame.stride;
  task.n_columns = frame.n_columns;
  task.n_binary = frame.n_binary;
  task.blocks = frame.blocks.data();
  task.n_blocks = 0;
  std::int32_t n_words = 0;
  for (const Block& b : frame.blocks) {
    if (b.channel >= n_channels) break;
    ++task.n_blocks;
    n_words += b.end - b.begin;
  }
  task.n_classes = layout_.n_classes;
  task.has_samples = layout_.has_samples;
  task.column_count = frame.column_count.data();
  task.channel_total = frame.channel_total.data();
  task.pair = out.pairs.data();
  task.best_right = out.best_right.data();
  task.covering = cover ? out.cover.data() : nullptr;
  constexpr std::int64_t top = std::numeric_limits<Count<Word>>::max();
  task.penalty =
      static_cast<Count<Word>>(std::min<std::int64_t>(top, settings_.split_cost >> kCostBits));
  task.min_samples =
      static_cast<Count<Word>>(std::min<std::int64_t>(top, settings_.min_samples_leaf));

  // In pieces of about a millisecond, so that limits are noticed in wide tables too.
  const std::int64_t row_work =
      1 + std::int64_t{frame.stride} / kernels::kLanes<Word> * (n_words + 4 * n_channels);
  const auto piece = static_cast<std::int32_t>(std::max<std::int64_t>(1, 200000 / row_work));
  for (std::int32_t i = 0; i < frame.n_columns; i += piece) {
    const std::int32_t last = std::min(frame.n_columns, i + piece);
    kernel_.pair_counts(task, i, last);
    const auto spent = static_cast<std::uint32_t>((last - i) * row_work / 600 + 1);
    work_ += spent;
    if (limits_.stop(spent)) return false;
  }
  out.has_pairs = true;
  if (layout_.has_multiway) multiway_pairs(frame, out);
  return true;
}

template <class Word>
std::int64_t Expander<Word>::shared(const Frame<Word>& frame, const Expansion<Word>& e,
                                    std::int32_t c, std::int32_t a, std::int32_t b) const {
  const std::int32_t i = a >> 1, j = b >> 1;
  const std::size_t row = index(std::min(i, j)), col = index(std::max(i, j));
  const std::int64_t both =
      e.pairs[(index(c) * index(frame.n_columns) + row) * index(frame.stride) + col];
  const std::int64_t in_i = frame.column_of(c, i), in_j = frame.column_of(c, j);
  if (a & 1) return (b & 1) ? both : in_i - both;
  return (b & 1) ? in_j - both : frame.channel_total[index(c)] - in_i - in_j + both;
}

// One-split trees that involve a multiway test, as the split or as the parent; the kernel
// has done the pairs of two-way tests.
template <class Word>
void Expander<Word>::multiway_pairs(const Frame<Word>& frame, Expansion<Word>& out) {
  const std::int64_t least = settings_.min_samples_leaf;
  const bool by_child = settings_.further_child > 0;
  out.best_wide.assign(by_child ? 2 * index(frame.n_columns) : 0, kInfiniteCost);
  // The weight that leaves predict correctly, or 0 if they are not allowed; counts the non-empty
  // ones.
  const auto right = [&](std::int32_t child, const Candidate& split,
                         std::int32_t& occupied) -> std::int64_t {
    std::int64_t sum = 0;
    occupied = 0;
    for (std::int32_t k = 0; k < split.n_children; ++k) {
      std::int64_t most = 0, samples = 0, total = 0;
      for (std::int32_t c = 0; c < layout_.n_classes; ++c) {
        const std::int64_t w = shared(frame, out, c, child, split.child(k));
        most = std::max(most, w);
        total += w;
      }
      sum += most;
      if (total > 0) ++occupied;
      if (least > 1 && total > 0) {
        samples = layout_.has_samples ? shared(frame, out, layout_.n_classes, child, split.child(k))
                                      : total;
        if (samples < least) return 0;
      }
    }
    return sum;
  };
  // All tests of the frame, including those that cannot be the root split but may be used below.
  std::vector<Candidate> tests = out.candidates;
  for (std::int32_t j = frame.n_binary; j < frame.n_columns;) {
    const std::int32_t width = frame.test_width(j);
    if (frame.blocked[index(j)]) tests.push_back({frame.test_at(j), j, width, false});
    j += width;
  }
  for (const Candidate& parent : out.candidates) {
    for (std::int32_t k = 0; k < parent.n_children; ++k) {
      const std::int32_t child = parent.child(k);
      Count<Word>& best = out.best_right[frame.side(child)];
      for (const Candidate& split : tests) {
        if (split.test == parent.test || (parent.two_way && split.two_way)) continue;
        std::int32_t occupied = 0;
        const std::int64_t found = right(child, split, occupied);
        if (split.two_way || !by_child) {
          best = static_cast<Count<Word>>(std::max<std::int64_t>(best, found));
        } else if (found > 0) {
          Cost& cost = out.best_wide[index(child)];
          cost = std::min(cost,
                          settings_.price()(occupied) + cost_of(frame.child_total(child) - found));
        }
      }
    }
  }
}

// A lower bound for trees with two or more splits on a child, at least 2L + forced errors (further
// children make a split more expensive, never cheaper). Rounding requires that costs are whole
// numbers of errors and penalties, which does not hold while splits cost more than further
// children. `below` is the cost that such trees would have to beat, so the computation stops once
// the bound reaches it.
template <class Word>
Cost Expander<Word>::two_or_more(const Frame<Word>& frame, const Expansion<Word>& e,
                                 std::int32_t child, Cost below) {
  const Cost penalty = settings_.split_cost;
  const Cost forced = e.forced[index(child)];
  Cost bound = 2 * penalty + forced;
  if (!e.cover.empty()) {
    Cost cover = settings_.has(Fault::covering) ? 0 : -penalty;
    for (std::int32_t c = 0; c < layout_.n_classes; ++c)
      cover += bounds::covering_term(
          penalty, frame.child_count(c, child),
          e.cover[(2 * index(c) + index(child & 1)) * index(frame.stride) + index(child >> 1)]);
    if (cover > bound) {
      bound = cover;
      ++counters_.covering_raised;
    }
  }
  const bool whole_penalties =
      !layout_.has_multiway || settings_.further_child == 0 || settings_.further_child == penalty;
  if (settings_.switches.rounding && whole_penalties && bound < below) {
    const Cost rounded = bounds::rounding(penalty, forced, bound, 2) +
                         (settings_.has(Fault::rounding) ? kUnitCost : 0);
    if (rounded > bound) {
      bound = rounded;
      ++counters_.rounding_raised;
    }
  }
  return bound;
}

template <class Word>
void Expander<Word>::bound_children(const Frame<Word>& frame, int depth_left,
                                    Expansion<Word>& out) {
  const Cost penalty = settings_.split_cost;
  const std::size_t n = 2 * index(frame.n_columns);
  out.lower.resize(n);
  out.upper.resize(n);
  out.forced.resize(n);
  for (const Candidate& candidate : out.candidates) {
    const Cost price = settings_.price()(candidate.n_children);
    Cost at_least = price, at_most = price;
    for (std::int32_t k = 0; k < candidate.n_children; ++k) {
      const std::int32_t child = candidate.child(k);
      const std::size_t v = index(child);
      const std::int64_t total = frame.child_total(child);
      const Cost leaf = cost_of(total - frame.child_most(child));
      out.forced[v] = layout_.has_equivalent
                          ? cost_of(frame.child_count(layout_.equivalent_channel, child))
                          : 0;
      if (settings_.has(Fault::forced)) out.forced[v] *= 2;
      if (depth_left == 1) {
        out.lower[v] = out.upper[v] = leaf;
      } else if (!out.has_pairs) {
        out.upper[v] = leaf;
        out.lower[v] = std::min(leaf, penalty + out.forced[v]);
      } else {
        const std::int64_t right = out.best_right[frame.side(child)];
        out.upper[v] = std::min(leaf, penalty + cost_of(total - right));
        if (!out.best_wide.empty()) out.upper[v] = std::min(out.upper[v], out.best_wide[v]);
        out.lower[v] = out.upper[v];
        if (settings_.has(Fault::lookahead)) {
          ++counters_.lookahead_solved;
        } else if (depth_left > 2 && 2 * penalty + out.forced[v] < out.upper[v]) {
          out.lower[v] = std::min(out.upper[v], two_or_more(frame, out, child, out.upper[v]));
        } else {
          ++counters_.lookahead_solved;
        }
      }
      at_least += out.lower[v];
      at_most += out.upper[v];
    }
    out.at_least.push_back(at_least);
    if (at_most < out.best) {
      out.best = at_most;
      out.best_test = candidate.test;
    }
  }
}

// Lemma (prices): bounds/prices/price_maker.hpp. A child with pair counts has been compared with
// its best trees of no and one split, so what is bounded here has two splits at least.
template <class Word>
void Expander<Word>::raise_by_prices(const Frame<Word>& frame, int depth_left,
                                     Expansion<Word>& out) {
  prices_.sum(frame);
  work_ += static_cast<std::uint32_t>(index(frame.n_words) * index(frame.n_columns) / 100);
  const int least_splits = out.has_pairs && depth_left > 2 ? 2 : 0;
  for (std::size_t a = 0; a < out.candidates.size(); ++a) {
    const Candidate& candidate = out.candidates[a];
    for (std::int32_t k = 0; k < candidate.n_children; ++k) {
      const std::int32_t child = candidate.child(k);
      const std::size_t v = index(child);
      if (out.lower[v] >= out.upper[v]) continue;
      const Cost bound = prices_.bound(child);
      if (bound <= out.lower[v]) continue;
      const Cost raised = std::min(
          out.upper[v], bounds::rounding(settings_.split_cost, out.forced[v], bound, least_splits));
      if (raised <= out.lower[v]) continue;
      ++counters_.prices_raised;
      out.at_least[a] += raised - out.lower[v];
      out.lower[v] = raised;
    }
  }
}

// Lemma (merging). If all rows are given to the tree of one child b, the cost rises by at most the
// weight of the other children, and the split is saved. So if weight(S) - weight(b) <= L + sum of
// the lower bounds of the other children, a tree with fewer splits is at least as good, and the
// split can be dropped.
template <class Word>
void Expander<Word>::drop_merged(const Frame<Word>& frame, Expansion<Word>& out) {
  std::int64_t total = 0;
  for (std::int32_t c = 0; c < layout_.n_classes; ++c) total += frame.channel_total[index(c)];
  std::size_t kept = 0;
  for (std::size_t a = 0; a < out.candidates.size(); ++a) {
    const Candidate& candidate = out.candidates[a];
    bool drop = false;
    for (std::int32_t k = 0; k < candidate.n_children && !drop; ++k) {
      const std::int32_t child = candidate.child(k);
      drop = cost_of(total - frame.child_total(child)) <=
             out.at_least[a] - out.lower[index(child)] +
                 (settings_.has(Fault::merging) ? 8 * settings_.split_cost : 0);
    }
    if (drop) {
      ++counters_.merging_dropped;
      continue;
    }
    out.candidates[kept] = candidate;
    out.at_least[kept] = out.at_least[a];
    ++kept;
  }
  out.candidates.resize(kept);
  out.at_least.resize(kept);
}

template class Expander<std::uint16_t>;
template class Expander<std::uint32_t>;

}  // namespace treeproof::sparse
