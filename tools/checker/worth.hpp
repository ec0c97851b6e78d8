// The bounds that prices give for the rows of a step and for its children: sections 4 and 9 of
// docs/proof-format.md.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "here.hpp"
#include "prices.hpp"
#include "problem.hpp"
#include "table.hpp"

namespace checker {

template <class Loss>
class Worth {
 public:
  using Cost = typename Loss::Cost;

  // `split` is the cost of a split, `further` that of each child after the second.
  Worth(const Problem& problem, const Prices& prices, Cost split, Cost further)
      : prices_(prices), split_(split) {
    // Otherwise costs are not sums of split costs and integer numbers of weight units.
    rounds_ = Loss::kExact && split > 0 && !(further > 0 && problem.multiway && further != split);
  }

  // Prices for trees of limited depth hold for a step only if the length of its branch plus the
  // depth below it is at most their depth; then they also hold for every child.
  void turn_to(std::size_t n_outcomes, std::int32_t depth) {
    const bool few = depth >= 0 && static_cast<std::int64_t>(n_outcomes) + depth <= prices_.depth;
    applies_ = prices_ && (prices_.depth < 0 || few);
  }
  // Whether there are prices that hold for the step.
  explicit operator bool() const { return applies_; }

  void add_up(const Here& here) {
    if (!applies_) return;
    sums_.start(here, 1);
    for (const std::uint32_t i : here.everyone()) {
      sums_.add(i, 0, prices_.of_row[here.rows()[i]]);
    }
    sums_.finish();
    n_places_ = here.n_places();
  }
  // Lower bounds on trees that are not a leaf: on a child, and on all rows.
  Cost of(std::size_t child) const {
    const std::int64_t sum =
        child < n_places_ ? sums_.yes(0)[child] : sums_.total(0) - sums_.yes(0)[child - n_places_];
    return static_cast<Cost>(sum - prices_.per_leaf);
  }
  Cost of_all() const { return static_cast<Cost>(sums_.total(0) - prices_.per_leaf); }

  // If a tree with at least `fewest` splits costs at least `least` and at least its forced errors,
  // rounds this bound up: the cost consists of splits and an integer number of weight units.
  Cost rounded(Cost least, Cost forced, Cost fewest) const {
    if constexpr (Loss::kExact) {
      if (!rounds_) return least;
      Cost best = std::max(least, (fewest + 32) * split_ + forced);
      for (Cost j = fewest; j < fewest + 32 && best > least; ++j) {
        const Cost loss = std::max<Cost>(least - split_ * j, 0);
        const Cost whole = (loss + Loss::kUnit - 1) / Loss::kUnit * Loss::kUnit;
        best = std::min(best, split_ * j + std::max(forced, whole));
      }
      return best;
    }
    return least;
  }

 private:
  const Prices& prices_;
  const Cost split_;
  bool rounds_ = false;
  bool applies_ = false;
  Sums<std::int64_t> sums_;
  std::size_t n_places_ = 0;
};

}  // namespace checker
