// Trees with at most k splits.
//
// Lemma (higher split price). For any m >= 0, a tree with at most k splits costs at least opt(L +
// m) - m * k, where opt(L + m) is the unlimited optimum with m added to the price of every split,
// whatever its number of children. The unlimited search is therefore run with increasing prices
// until its tree has k splits, which usually gives the answer and its proof (see `solve.cpp`). If
// no price gives exactly k splits, this search closes the gap: it is depth-first over the tests and
// over the ways to distribute the splits among the children, with the bounds of an ordinary
// expansion. It remembers its answers until its memory is full, and then drops all of them, which
// costs only time.
#pragma once

#include <unordered_map>
#include <vector>

#include "search/sparse/search.hpp"
#include "tree/tree.hpp"

namespace treeproof::sparse {

template <class Word>
class SizeLimited {
 public:
  // `max_bytes` of 0: no limit.
  SizeLimited(Search<Word>& search, const Layout& layout, Limits& limits, std::uint64_t max_bytes)
      : search_(search), layout_(layout), limits_(limits), max_bytes_(max_bytes) {}

  struct Answer {
    Cost lower = 0;
    Cost upper = kInfiniteCost;
    TreeDraft tree;  // costs `upper`
  };
  // Finds a tree cheaper than `budget`, or proves that there is none, unless stopped.
  Answer solve(int max_splits, Cost budget);

  // The number of answers that were dropped.
  std::int64_t evictions() const { return evictions_; }

 private:
  void remember(const Key& key, const Answer& answer);
  Answer solve(std::size_t depth, int depth_left, int splits, Cost budget);
  Key key_at(std::size_t depth, int depth_left, int splits);
  // Tries every way to distribute `left` splits among the children from `k` on; `fixed` is the cost
  // of the split and of the children before k.
  Cost share(std::size_t depth, int below, const Candidate& candidate, std::int32_t k, int left,
             Cost fixed, Answer& node, Cost budget, std::vector<TreeDraft>& trees);
  Cost child_lower(const Frame<Word>& frame, const Expansion<Word>& e, std::int32_t child,
                   int splits, int below) const;

  Search<Word>& search_;
  const Layout& layout_;
  Limits& limits_;
  std::uint64_t max_bytes_;
  std::unordered_map<Key, Answer, KeyHash> memo_;
  std::uint64_t bytes_ = 0;  // of the memo
  std::int64_t evictions_ = 0;
};

extern template class SizeLimited<std::uint16_t>;
extern template class SizeLimited<std::uint32_t>;

}  // namespace treeproof::sparse
