// Questions about sums over rows and splits: which tree has the least sum, and which sums occur.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/near/fronts.hpp"

namespace treeproof::near {

struct Sums {
  std::vector<std::int64_t> of_rows;  // [row of the problem][class]; empty if rows add nothing
  std::int64_t of_split = 0;
};

// `every`: whether all sums that occur are wanted, and not only the least one.
template <bool every>
class SumQuestion {
 public:
  using Value = std::int64_t;
  using State = NoState;
  static constexpr bool kPlain = true, kEvery = every;

  SumQuestion(const Problem& problem, Sums sums)
      : n_classes_(index(problem.n_classes)), sums_(std::move(sums)) {}

  NoState below(NoState, const Spot&, std::int32_t, std::int32_t) const { return {}; }
  Value of_leaf(NoState, BitsView rows, std::int32_t label) const {
    if (sums_.of_rows.empty()) return 0;
    std::int64_t sum = 0;
    for_each_row(rows, [&](std::int32_t row) {
      sum += sums_.of_rows[index(row) * n_classes_ + index(label)];
    });
    return sum;
  }
  Value of_split(NoState, const Spot&, std::int32_t) const { return sums_.of_split; }

 private:
  std::size_t n_classes_;
  Sums sums_;
};

// The total price of the columns that are tested on the rows' paths. The price of a column depends
// on the state of the path.
struct ColumnPrices {
  std::size_t n_columns = 0;
  std::vector<std::int32_t> next;    // [state][column]: the state after testing the column
  std::vector<std::int64_t> prices;  // [state][column]: the price for a row with factor 1
  std::vector<std::int64_t> pays;    // the factor of each row of the problem
};

class AskingQuestion {
 public:
  using Value = std::int64_t;
  using State = std::int32_t;
  static constexpr bool kPlain = false, kEvery = false;

  explicit AskingQuestion(ColumnPrices prices) : prices_(std::move(prices)) {}

  State root() const { return 0; }
  Key key(State state) const { return random_key(static_cast<std::uint64_t>(state)); }
  std::uint64_t bytes(State) const { return 0; }
  State below(State state, const Spot& here, std::int32_t test, std::int32_t) const {
    return prices_.next[cell(state, here, test)];
  }
  Value of_leaf(State, BitsView, std::int32_t) const { return 0; }
  Value of_split(State state, const Spot& here, std::int32_t test) const {
    const std::int64_t price = prices_.prices[cell(state, here, test)];
    std::int64_t paying = 0;
    if (price > 0)
      for_each_row(here.bits, [&](std::int32_t row) { paying += prices_.pays[index(row)]; });
    return price * paying;
  }

 private:
  std::size_t cell(State state, const Spot& here, std::int32_t test) const {
    return index(state) * prices_.n_columns + index(here.graph.column(test));
  }

  ColumnPrices prices_;
};

}  // namespace treeproof::near
