// How much a tree relies on a column: its mean error if the values of the column are shuffled.
//
// If the values of a column are permuted at random among the rows, every row is equally likely to
// get the value of any row. The expected error is therefore the error over all pairs of a row and a
// value, each weighted by the product of the two weights. This is the model reliance of Fisher,
// Rudin and Dominici ("All models are wrong, but many are useful", JMLR 2019), except that a row
// may also get its own value.
//
// A pair passes tests of other columns by its row, and tests of this column by its value. Which
// pairs reach a node is therefore known from the rows that pass the tests of other columns on the
// path, and from the values that pass the tests of this column; the two sets are the state of the
// path. At a split by category, a pair with a category that no training row of the node has stays
// at the node and gets its class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/near/column_values.hpp"
#include "search/near/fronts.hpp"

namespace treeproof::near {

class RelianceQuestion {
 public:
  // The unit is the product of two units of weight.
  using Value = std::int64_t;
  struct State {
    Bits rows;    // the rows that pass the tests of other columns
    Bits values;  // the values of the column that pass its tests
  };
  static constexpr bool kPlain = false, kEvery = false;

  // `weights`: the probability of drawing a value is proportional to the weights of the rows that
  // have it. `sign`: 1 to look for the least error; -1 for the greatest error, which is the least
  // negative of an error.
  RelianceQuestion(const Graph& graph, std::int32_t column,
                   const std::vector<std::int64_t>& weights, std::int64_t sign)
      : graph_(graph), column_(column), sign_(sign), values_(values_of_column(graph, column)),
        weight_of_value_(values_.example.size(), 0) {
    for (std::size_t r = 0; r < weights.size(); ++r)
      weight_of_value_[index(values_.of_row[r])] += weights[r];
  }

  State root() const {
    State out{graph_.rows().all(), Bits((values_.example.size() + 63) / 64, 0)};
    for (std::size_t v = 0; v < values_.example.size(); ++v) add(out.values, v);
    return out;
  }
  Key key(const State& state) const {
    Key out = graph_.rows().key(state.rows);
    for_each_row(state.values, [&](std::int32_t v) {
      out += random_key(0x76616c7565000000u + static_cast<std::uint64_t>(v));
    });
    return out;
  }
  std::uint64_t bytes(const State& state) const {
    return (state.rows.size() + state.values.size()) * sizeof(std::uint64_t);
  }
  State below(const State& state, const Spot&, std::int32_t test, std::int32_t outcome) const {
    return below(state, test, outcome);
  }
  State below(const State& state, std::int32_t test, std::int32_t outcome) const {
    return graph_.column(test) == column_
               ? State{state.rows, values_with(state, test, {&outcome, 1})}
               : State{rows_with(state, test, {&outcome, 1}), state.values};
  }
  Value of_leaf(const State& state, BitsView, std::int32_t label) const {
    return sign_ * weight(state.values) * errors(state.rows, label);
  }
  Value of_split(const State& state, const Spot& here, std::int32_t test) const {
    if (!leaves_rest(test)) return 0;
    const State stays = rest(state, test, here.graph.outcomes_on(here.node, test));
    return of_leaf(stays, {}, here.node.leaf.label);
  }
  // Whether a split leaves some pairs at the node, because no row of the node agrees with them; and
  // which.
  bool leaves_rest(std::int32_t test) const {
    return graph_.problem().tests[index(test)].kind == TestKind::multiway;
  }
  State rest(const State& state, std::int32_t test, std::span<const std::int32_t> known) const {
    const bool own = graph_.column(test) == column_;
    State stays = state;
    Bits& gone = own ? stays.values : stays.rows;
    const Bits kept = own ? values_with(state, test, known) : rows_with(state, test, known);
    for (std::size_t w = 0; w < gone.size(); ++w) gone[w] &= ~kept[w];
    return stays;
  }
  // The total weight of the values of a state.
  std::int64_t weight(const Bits& values) const {
    std::int64_t out = 0;
    for_each_row(values, [&](std::int32_t v) { out += weight_of_value_[index(v)]; });
    return out;
  }

 private:
  static void add(Bits& set, std::size_t member) {
    set[member / 64] |= std::uint64_t{1} << (member % 64);
  }
  template <class Outcome>
  static Bits chosen(const Bits& set, std::span<const std::int32_t> wanted,
                     const Outcome& outcome) {
    Bits out(set.size(), 0);
    for_each_row(set, [&](std::int32_t member) {
      if (std::ranges::find(wanted, outcome(member)) != wanted.end()) add(out, index(member));
    });
    return out;
  }
  Bits values_with(const State& state, std::int32_t test,
                   std::span<const std::int32_t> wanted) const {
    const Problem& problem = graph_.problem();
    return chosen(state.values, wanted, [&](std::int32_t value) {
      return problem.outcome(problem.tests[index(test)], values_.example[index(value)]);
    });
  }
  Bits rows_with(const State& state, std::int32_t test,
                 std::span<const std::int32_t> wanted) const {
    const Problem& problem = graph_.problem();
    return chosen(state.rows, wanted, [&](std::int32_t row) {
      return problem.outcome(problem.tests[index(test)], row);
    });
  }
  std::int64_t errors(const Bits& rows, std::int32_t label) const {
    const Problem& problem = graph_.problem();
    std::int64_t out = 0;
    for_each_row(rows, [&](std::int32_t r) {
      if (problem.label[index(r)] != label) out += problem.weight[index(r)];
    });
    return out;
  }

  const Graph& graph_;
  const std::int32_t column_;
  const std::int64_t sign_;
  const ColumnValues values_;
  std::vector<std::int64_t> weight_of_value_;
};

}  // namespace treeproof::near
