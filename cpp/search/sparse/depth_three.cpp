#include "search/sparse/depth_three.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/index.hpp"
#include "core/memory.hpp"
#include "search/sparse/search.hpp"

namespace treeproof::sparse {
namespace {

constexpr std::size_t kLanes = kernels::kVectorBytes / sizeof(std::int32_t);

// More counts than this do not stay in the cache of a core.
constexpr std::size_t kMostCounts = 1 << 19;

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

std::size_t triples_of(std::size_t n) { return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6; }

template <class Word>
Word rows_of(const Frame<Word>& frame, std::int32_t word) {
  return frame.keyed.empty() ? frame.valid[index(word)] : frame.keyed[index(word)];
}

}  // namespace

template <class Word>
DepthThree<Word>::DepthThree(const Layout& layout, const Settings& settings,
                             const kernels::Kernels<Word>& kernel, Limits& limits)
    : layout_(layout), settings_(settings), kernel_(kernel), limits_(limits),
      possible_(settings.switches.triples && settings.switches.lookahead &&
                settings.min_samples_leaf <= 1 && !layout.has_multiway &&
                settings.fault == Fault::none) {}

// Both in operations of a few to a nanosecond: a word of one vector of pairs takes about eight, a
// packed bit twenty, and the eight octants of a triple sixteen for each class, in vectors.
template <class Word>
bool DepthThree<Word>::worth(const Frame<Word>& frame, std::size_t n_open) const {
  const auto n = index(frame.n_columns);
  const auto classes = index(layout_.n_classes);
  if (!possible_ || n < 3 || (triples_of(n) + n * n * kLanes) * classes > kMostCounts) return false;
  double weight = 0, passed = 0;
  for (std::int32_t c = 0; c < layout_.n_classes; ++c) weight += frame.channel_total[index(c)];
  for (std::int32_t j = 0; j < frame.n_columns; ++j)
    passed += static_cast<double>(
        std::min(frame.side_total[index(j)], frame.side_total[index(frame.stride + j)]));
  std::int64_t rows = 0;
  for (std::int32_t w = 0; w < frame.n_words; ++w) rows += std::popcount(rows_of(frame, w));
  const double each = weight > 0 ? passed / weight : 0;
  const std::size_t cells = triples_of(n) + n * n * kLanes / 4;
  const auto triples = static_cast<double>(cells);
  const double own =
      static_cast<double>(rows) * (each * each * each / 3 + 40) +
      triples * (16 * static_cast<double>(classes) + 24) / static_cast<double>(kLanes);
  const double vectors = static_cast<double>(n) * static_cast<double>(frame.stride) / 2 /
                         static_cast<double>(kernels::kLanes<Word>);
  const double expanding =
      static_cast<double>(n_open) *
      (static_cast<double>(frame.n_words) * vectors * 8 + static_cast<double>(frame.n_rows) * 20);
  return own < expanding;
}

template <class Word>
bool DepthThree<Word>::solve(const Frame<Word>& frame) {
  turn(frame);
  if (!count(frame)) return false;
  kernels::TripleTask task{};
  task.n_columns = static_cast<std::int32_t>(n_);
  task.n_classes = layout_.n_classes;
  task.stride = static_cast<std::int64_t>(stride_);
  task.n_triples = static_cast<std::int64_t>(n_triple_);
  task.start = start_.data();
  task.total = total_.data();
  task.single = single_.data();
  task.pair = pair_.data();
  task.triple = triple_.data();
  task.best = best_.data();
  const std::int64_t each = static_cast<std::int64_t>(n_ * n_ * index(layout_.n_classes)) / 400 + 1;
  for (std::int32_t a = 0; a < task.n_columns; ++a) {
    kernel_.triple_best(task, a);
    work_ += each;
    if (limits_.stop(static_cast<std::uint32_t>(each))) return false;
  }
  combine();
  return true;
}

// Makes room for the counts, and decides which columns are turned around.
template <class Word>
void DepthThree<Word>::turn(const Frame<Word>& frame) {
  work_ = 0;
  n_ = index(frame.n_columns);
  stride_ = padded(n_) + kLanes;
  const auto classes = index(layout_.n_classes);
  turned_.assign(n_, 0);
  for (std::size_t j = 0; j < n_; ++j)
    turned_[j] = frame.side_total[index(frame.stride) + j] > frame.side_total[j] ? 1 : 0;
  start_.assign(n_ * n_, 0);
  n_triple_ = 0;
  for (std::size_t a = 0; a < n_; ++a)
    for (std::size_t b = a + 1; b < n_; ++b) {
      start_[a * n_ + b] = static_cast<std::int64_t>(n_triple_);
      n_triple_ += padded(n_ - b - 1);
    }
  total_.assign(classes, 0);
  single_.assign(classes * stride_, 0);
  pair_.assign(classes * n_ * stride_, 0);
  triple_.assign(classes * n_triple_ + kLanes, 0);
  best_.assign(4 * n_ * stride_, 0);
}

template <class Word>
bool DepthThree<Word>::count(const Frame<Word>& frame) {
  constexpr int bits = Frame<Word>::kBits;
  std::vector<std::int32_t> passed(n_ * bits);
  std::array<std::size_t, bits> n_passed{};
  const Problem& problem = *layout_.problem;
  for (std::int32_t w = 0; w < frame.n_words; ++w) {
    const Word rows = rows_of(frame, w);
    if (rows == 0) continue;
    n_passed.fill(0);
    const Word* const words = frame.words.data() + index(w) * index(frame.stride);
    for (std::size_t j = 0; j < n_; ++j) {
      if (frame.column[j] < 0) continue;
      auto left = static_cast<Word>((turned_[j] ? ~words[j] : words[j]) & rows);
      for (; left != 0; left = static_cast<Word>(left & (left - 1))) {
        const auto bit = index(std::countr_zero(left));
        passed[bit * n_ + n_passed[bit]++] = static_cast<std::int32_t>(j);
      }
    }
    std::size_t operations = n_;
    for (Word left = rows; left != 0; left = static_cast<Word>(left & (left - 1))) {
      const auto bit = index(std::countr_zero(left));
      const auto row = index(layout_.row(frame.slots[index(w) * index(bits) + bit]));
      const std::size_t f = n_passed[bit];
      add_row(passed.data() + bit * n_, f, index(problem.label[row]),
              static_cast<std::int32_t>(problem.weight[row]));
      operations += f * f * f / 3;
    }
    const std::size_t spent = 1 + operations / 2000;
    work_ += static_cast<std::int64_t>(spent);
    if (limits_.stop(static_cast<std::uint32_t>(spent))) return false;
  }
  return true;
}

template <class Word>
void DepthThree<Word>::add_row(const std::int32_t* passed, std::size_t n, std::size_t label,
                               std::int32_t weight) {
  total_[label] += weight;
  std::int32_t* const triples = triple_.data() + label * n_triple_;
  for (std::size_t x = 0; x < n; ++x) {
    const auto a = index(passed[x]);
    single(label)[a] += weight;
    std::int32_t* const pairs = pair(label, a);
    for (std::size_t y = x + 1; y < n; ++y) {
      const auto b = index(passed[y]);
      pairs[b] += weight;
      std::int32_t* const row = triples + start_[a * n_ + b];
      for (std::size_t z = y + 1; z < n; ++z) row[index(passed[z]) - b - 1] += weight;
    }
  }
}

// The best trees of the children. With q one of the four parts of two tests, best(q) the weight
// that the best split of its rows predicts correctly, and most(q) what a leaf does: a tree of depth
// two on a child is a leaf, or a split into two parts, each of which is a leaf or has one split. A
// test that does not divide the child is left out: a tree has no empty leaves.
template <class Word>
void DepthThree<Word>::combine() {
  const Cost penalty = settings_.split_cost;
  const auto classes = index(layout_.n_classes);
  children_.assign(2 * n_, {kInfiniteCost, -1});
  for (std::size_t a = 0; a < n_; ++a) {
    std::array<std::int64_t, 2> total{}, most{};
    for (std::size_t c = 0; c < classes; ++c)
      for (std::size_t s = 0; s < 2; ++s) {
        const std::int64_t weight = s == 1 ? single(c)[a] : total_[c] - single(c)[a];
        total[s] += weight;
        most[s] = std::max(most[s], weight);
      }
    for (std::size_t s = 0; s < 2; ++s)
      children_[2 * a + (s ^ turned_[a])].cost = cost_of(total[s] - most[s]);
  }
  for (std::size_t a = 0; a < n_; ++a)
    for (std::size_t b = a + 1; b < n_; ++b) {
      std::array<std::int64_t, 4> total{}, most{};
      for (std::size_t c = 0; c < classes; ++c) {
        const std::int64_t both = pair(c, a)[b];
        const std::int64_t only_a = single(c)[a] - both, only_b = single(c)[b] - both;
        const std::array<std::int64_t, 4> part = {total_[c] - both - only_a - only_b, only_b,
                                                  only_a, both};
        for (std::size_t q = 0; q < 4; ++q) {
          total[q] += part[q];
          most[q] = std::max(most[q], part[q]);
        }
      }
      std::array<Cost, 4> cost{};
      for (std::size_t q = 0; q < 4; ++q)
        cost[q] = std::min(cost_of(total[q] - most[q]),
                           penalty + cost_of(total[q] - best_[(q * n_ + a) * stride_ + b]));
      const auto offer = [&](std::size_t column, std::size_t s, std::size_t by, Cost found) {
        Child& child = children_[2 * column + (s ^ turned_[column])];
        if (found < child.cost) child = {found, static_cast<std::int32_t>(by)};
      };
      for (std::size_t s = 0; s < 2; ++s) {
        if (total[2 * s] > 0 && total[2 * s + 1] > 0)
          offer(a, s, b, penalty + cost[2 * s] + cost[2 * s + 1]);
        if (total[s] > 0 && total[2 + s] > 0) offer(b, s, a, penalty + cost[s] + cost[2 + s]);
      }
    }
}

template <class Word>
std::uint64_t DepthThree<Word>::bytes() const {
  return capacity_bytes(turned_, start_, total_, single_, pair_, triple_, best_, children_);
}

// Settles all children of a node with three levels left, if counting triples is cheaper than
// expanding them. Returns false if a limit was reached. Not used if there is a listener, because
// each child would need a proof step of its own.
template <class Word>
bool Search<Word>::solve_three_levels(Level& here, Bounds& node) {
  Expansion<Word>& e = here.expansion;
  const Cost best = std::min(node.upper, here.budget);
  const auto open = std::ranges::count_if(e.at_least, [&](Cost c) { return c < best; });
  if (listener_ != nullptr || !e.has_pairs || !three_.worth(here.frame, index(open))) return true;
  const bool done = three_.solve(here.frame);
  work_done_ += three_.work();
  if (!done) return false;
  ++counters_.triples_solved;
  for (std::size_t a = 0; a < e.candidates.size(); ++a) {
    const Candidate& candidate = e.candidates[a];
    for (std::int32_t k = 0; k < 2; ++k) {
      const std::int32_t child = candidate.child(k);
      e.lower[index(child)] = e.upper[index(child)] = three_.child(child).cost;
    }
    const Cost before = node.upper;
    settle(here, a, node);
    if (node.upper == before) continue;
    find_child_keys(here, candidate);
    for (std::int32_t k = 0; k < 2; ++k) {
      const auto& child = three_.child(candidate.child(k));
      const std::int32_t test = child.column < 0 ? -1 : here.frame.test_at(child.column);
      memo_.update(key_at(here.child_keys[index(k)], 2), 1, {child.cost, child.cost, test});
    }
  }
  return true;
}

template class DepthThree<std::uint16_t>;
template class DepthThree<std::uint32_t>;
template bool Search<std::uint16_t>::solve_three_levels(Level&, Bounds&);
template bool Search<std::uint32_t>::solve_three_levels(Level&, Bounds&);

}  // namespace treeproof::sparse
