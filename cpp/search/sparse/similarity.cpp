// The similarity bound: a set of rows costs nearly as much as one that it nearly equals.
#include <algorithm>

#include "core/index.hpp"
#include "search/sparse/search.hpp"

namespace treeproof::sparse {

// Lemma (similarity). For sets of rows A and B, opt(B) <= opt(A) + weight(B \ A): use A's tree,
// restricted to the common rows, for all of B. A child B that has just been bounded therefore
// bounds every child A of the splits that are still open. Without a depth limit, B may also split
// off B \ A as a leaf first: opt(B) <= opt(A) + L + the minority of that leaf. (For a multiway
// test, every other child becomes a leaf, and is paid for if each child is.) With a minimum leaf
// size the lemma is not valid, because a tree that is allowed on A may have too small a leaf on
// fewer rows. In a wide frame the first part requires B to be a subset of A, since rows outside A
// may have categories that are new to A's tree (see Expander::trees_extend).
template <class Word>
void Search<Word>::share_bounds(Level& here, const Candidate& done, bool unlimited) {
  Expansion<Word>& e = here.expansion;
  Cost most_known = 0;
  for (std::int32_t v = 0; v < done.n_children; ++v)
    most_known = std::max(most_known, e.lower[index(done.child(v))]);
  if (most_known == 0) return;
  const bool as_leaf = unlimited && settings_.switches.similarity_leaf;
  const bool extends = !here.frame.wide;

  // Raises the bound of a child, given the bound of a finished child that has the weight `apart`
  // outside of it; `minority` of this weight is not of the heaviest class if it is split off by a
  // test that has `n_children` in the finished child.
  const auto raise = [&](std::size_t child, Cost known_bound, std::int64_t apart,
                         std::int64_t minority, std::int32_t n_children = 2) -> Cost {
    Cost bound = extends || apart == 0 || settings_.has(Fault::similarity) ? known_bound : 0;
    if (!settings_.has(Fault::similarity)) bound -= cost_of(apart);
    if (as_leaf) {
      const Cost parting =
          settings_.has(Fault::similarity_leaf) ? 0 : settings_.price()(n_children);
      const Cost other = known_bound - parting - cost_of(minority);
      if (other > bound) {
        bound = other;
        if (bound > e.lower[child]) ++counters_.similarity_leaf_raised;
      }
    }
    bound = std::min(bound, e.upper[child]);
    if (bound <= e.lower[child]) return 0;
    ++counters_.similarity_raised;
    const Cost gained = bound - e.lower[child];
    e.lower[child] = bound;
    return gained;
  };

  if (done.two_way) {
    const std::size_t stride = index(here.frame.stride);
    quarter_total_.resize(4 * stride);
    quarter_most_.resize(4 * stride);
    kernel_.quarters(e.task, done.column, quarter_total_.data(), quarter_most_.data());
    const Cost yes = e.lower[index(done.child(0))], no = e.lower[index(done.child(1))];
    for (std::size_t k = 0; k < e.candidates.size(); ++k) {
      if (here.used[k] || !e.candidates[k].two_way) continue;
      const std::size_t j = index(e.candidates[k].column);
      const auto weight = [&](kernels::Quarter q) -> std::int64_t {
        return quarter_total_[q * stride + j];
      };
      const auto minority = [&](kernels::Quarter q) -> std::int64_t {
        return quarter_total_[q * stride + j] - quarter_most_[q * stride + j];
      };
      using enum kernels::Quarter;
      e.at_least[k] += raise(2 * j + 1, yes, weight(kOnlyI), minority(kOnlyI)) +
                       raise(2 * j + 1, no, weight(kNone), minority(kNone)) +
                       raise(2 * j, yes, weight(kBoth), minority(kBoth)) +
                       raise(2 * j, no, weight(kOnlyJ), minority(kOnlyJ));
    }
  }
  if (layout_.has_multiway) {
    for (std::size_t k = 0; k < e.candidates.size(); ++k)
      if (!here.used[k] && !(done.two_way && e.candidates[k].two_way))
        e.at_least[k] += share_with(here, done, e.candidates[k], raise);
  }
}

// The same for a pair of tests of which one is multiway, count by count.
template <class Word>
template <class Raise>
Cost Search<Word>::share_with(Level& here, const Candidate& done, const Candidate& open,
                              const Raise& raise) {
  const Expansion<Word>& e = here.expansion;
  Cost gained = 0;
  for (std::int32_t v = 0; v < done.n_children; ++v) {
    const std::int32_t from = done.child(v);
    const Cost known_bound = e.lower[index(from)];
    if (known_bound == 0) continue;
    std::int64_t all_total = 0, all_minority = 0;
    std::int32_t occupied = 0;
    part_total_.assign(index(open.n_children), 0);
    part_minority_.assign(index(open.n_children), 0);
    for (std::int32_t u = 0; u < open.n_children; ++u) {
      std::int64_t total = 0, most = 0;
      for (std::int32_t c = 0; c < layout_.n_classes; ++c) {
        const std::int64_t w = expander_.shared(here.frame, e, c, from, open.child(u));
        total += w;
        most = std::max(most, w);
      }
      part_total_[index(u)] = total;
      part_minority_[index(u)] = total - most;
      if (total > 0) ++occupied;
      all_total += total;
      all_minority += total - most;
    }
    for (std::int32_t u = 0; u < open.n_children; ++u)
      gained += raise(index(open.child(u)), known_bound, all_total - part_total_[index(u)],
                      all_minority - part_minority_[index(u)], occupied);
  }
  return gained;
}

template void Search<std::uint16_t>::share_bounds(Level&, const Candidate&, bool);
template void Search<std::uint32_t>::share_bounds(Level&, const Candidate&, bool);

}  // namespace treeproof::sparse
