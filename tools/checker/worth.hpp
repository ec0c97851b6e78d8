// What prices say of the rows of a step and of its children: sections 4 and 9 of
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

  // `split` is what a split costs, `further` each child after the second.
  Worth(const Problem& problem, const Prices& prices, Cost split, Cost further)
      : prices_(prices), split_(split) {
    // Else costs are no whole numbers of splits and of weight units.
    rounds_ = Loss::kExact && split > 0 && !(further > 0 && problem.multiway && further != split);
  }

  // Prices for trees of few levels speak of a step only if the outcomes of its branch and the
  // levels below it are no more than these: then so is every child with the levels below it.
  void turn_to(std::size_t n_outcomes, std::int32_t depth) {
    const bool few = depth >= 0 && static_cast<std::int64_t>(n_outcomes) + depth <= prices_.depth;
    applies_ = prices_ && (prices_.depth < 0 || few);
  }
  // Whether there are prices that speak of the step.
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
  // Trees on a child that are no leaf cost at least this; on all rows.
  Cost of(std::size_t child) const {
    const std::int64_t sum =
        child < n_places_ ? sums_.yes(0)[child] : sums_.total(0) - sums_.yes(0)[child - n_places_];
    return static_cast<Cost>(sum - prices_.per_leaf);
  }
  Cost of_all() const { return static_cast<Cost>(sums_.total(0) - prices_.per_leaf); }

  // A tree of that many splits or more that costs at least `least`, and what is forced, costs
  // its splits and a whole number of weight units.
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
