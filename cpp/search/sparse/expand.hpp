// Expands a node: which tests are useful, and a lower and an upper bound for each of their
// children.
#pragma once

#include <cstdint>
#include <vector>

#include "core/limits.hpp"
#include "core/memory.hpp"
#include "search/sparse/child_prices.hpp"
#include "search/sparse/frame.hpp"
#include "search/sparse/settings.hpp"

namespace treeproof::sparse {

// The outcome of an expansion; arrays over children are indexed by child number.
template <class Word>
struct Expansion {
  std::vector<Candidate> candidates;
  std::vector<Cost> lower;     // per child
  std::vector<Cost> upper;     // per child
  std::vector<Cost> forced;    // per child: errors of equivalent points
  std::vector<Cost> at_least;  // per candidate: price + sum of the lower bounds of its children
  Cost leaf = 0;
  Cost best = 0;  // lowest cost of a tree found here
  std::int32_t best_test = -1;
  bool has_pairs = false;

  // Pair counts [channel][column][stride]; see `pair`.
  std::vector<Count<Word>> pairs;
  std::vector<Count<Word>> best_right;
  std::vector<Cost> best_wide;  // per child: its best multiway split, if such splits cost more
  std::vector<Count<Word>> cover;
  kernels::PairTask<Word> task{};  // the arguments of the kernel, for further counts

  std::uint64_t bytes() const {
    return capacity_bytes(candidates, lower, upper, forced, at_least, pairs, best_right, best_wide,
                          cover);
  }
};

template <class Word>
class Expander {
 public:
  Expander(const Layout& layout, const Settings& settings, const kernels::Kernels<Word>& kernel,
           Counters& counters, Limits& limits)
      : layout_(layout), settings_(settings), kernel_(kernel), counters_(counters), limits_(limits),
        merging_is_sound_(settings.min_samples_leaf <= 1 || !layout.has_multiway) {}

  // Counts the columns of the frame and drops those that are useless here and below; once for each
  // frame.
  void prepare(Frame<Word>& frame);

  // Prepares the frame and fills `out`. Returns false if a limit was reached.
  bool expand(Frame<Word>& frame, int depth_left, Expansion<Word>& out);

  // Weight of class/channel c in the rows of S inside both children.
  std::int64_t shared(const Frame<Word>& frame, const Expansion<Word>& e, std::int32_t c,
                      std::int32_t a, std::int32_t b) const;

  // Uses these prices to bound children from now on.
  void use_prices(std::shared_ptr<const prices::RowPrices> prices) {
    prices_.use(layout_, std::move(prices));
  }

  // The approximate number of microseconds of work since the last call.
  std::uint32_t take_work() {
    const std::uint32_t w = work_;
    work_ = 0;
    return w;
  }

 private:
  // Lemma (trees extend). If further children cost nothing, a tree for some rows can be used for
  // more rows at the same price. If each non-empty child is paid for, new rows may bring new
  // categories to multiway tests, and thus new leaves; then this holds only if no test has more
  // than two categories left (and so none has further down).
  bool trees_extend(const Frame<Word>& frame) const { return merging_is_sound_ && !frame.wide; }
  bool has_wide_test(const Frame<Word>& frame) const;
  void drop_useless(Frame<Word>& frame);
  void list_candidates(const Frame<Word>& frame, Expansion<Word>& out) const;
  bool usable(const Frame<Word>& frame, std::int32_t first, std::int32_t n, bool two_way,
              bool& dead) const;
  void drop_equal_tests(const Frame<Word>& frame, std::vector<std::uint8_t>& keep);
  bool count_pairs(const Frame<Word>& frame, Expansion<Word>& out);
  void multiway_pairs(const Frame<Word>& frame, Expansion<Word>& out);
  void bound_children(const Frame<Word>& frame, int depth_left, Expansion<Word>& out);
  Cost two_or_more(const Frame<Word>& frame, const Expansion<Word>& e, std::int32_t child,
                   Cost below);
  void raise_by_prices(const Frame<Word>& frame, int depth_left, Expansion<Word>& out);
  void drop_merged(const Frame<Word>& frame, Expansion<Word>& out);

  const Layout& layout_;
  const Settings& settings_;
  const kernels::Kernels<Word>& kernel_;
  Counters& counters_;
  Limits& limits_;
  bool merging_is_sound_;
  ChildPrices<Word> prices_;
  std::uint32_t work_ = 0;
  std::vector<std::uint64_t> word_factor_;
  std::vector<std::uint8_t> keep_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> hashes_;
};

extern template class Expander<std::uint16_t>;
extern template class Expander<std::uint32_t>;

}  // namespace treeproof::sparse
