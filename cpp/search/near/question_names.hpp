// Fingerprints of predictions and of functions: trees with the same fingerprint predict the same.
//
// The fingerprint of the predictions on the training rows is a sum of random keys, with one key for
// each pair of a row and a class.
//
// A tree is also a function on the grid of all combinations of the columns' values. Draw a random
// number x(j, v) for every value v of column j, and a random number s(c) for every class c, from a
// prime field. The fingerprint of a function f is the sum, over all combinations (v1, ..., vd), of
// s(f(v1, ..., vd)) times the product of the x(j, vj). Fingerprints of different functions are
// different polynomials of degree d + 1 in these random numbers, so that their values agree with
// probability at most (d + 1) / p (Schwartz and Zippel). Two such values with p = 2^61 - 1 are
// computed for each function. The sum over a box of combinations is a product of sums over the
// values of each column, so that the fingerprint of a tree is computed without listing the
// combinations. At a split by category, a combination with a category that no training row of the
// node has stays at the node and gets its class.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/split_mix.hpp"
#include "search/near/column_values.hpp"
#include "search/near/fronts.hpp"

namespace treeproof::near {

class PredictionNames {
 public:
  struct Value {
    Key key;
    friend auto operator<=>(const Value&, const Value&) = default;
    friend Value operator+(Value a, const Value& b) {
      a.key += b.key;
      return a;
    }
  };
  using State = NoState;
  static constexpr bool kPlain = true, kEvery = true;

  NoState below(NoState, const Spot&, std::int32_t, std::int32_t) const { return {}; }
  Value of_leaf(NoState, BitsView rows, std::int32_t label) const {
    Value out;
    for_each_row(rows, [&](std::int32_t r) {
      out.key +=
          random_key((static_cast<std::uint64_t>(r) << 32) + static_cast<std::uint64_t>(label));
    });
    return out;
  }
  Value of_split(NoState, const Spot&, std::int32_t) const { return {}; }
};

// Numbers modulo 2^61 - 1, two of them.
struct FieldPair {
  std::array<std::uint64_t, 2> parts{};

  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  static FieldPair random(std::uint64_t n) {
    return {{split_mix(2 * n + 1) % kPrime, split_mix(~(2 * n)) % kPrime}};
  }
  friend auto operator<=>(const FieldPair&, const FieldPair&) = default;
  friend FieldPair operator+(FieldPair a, const FieldPair& b) {
    for (std::size_t k = 0; k < 2; ++k) a.parts[k] = (a.parts[k] + b.parts[k]) % kPrime;
    return a;
  }
  friend FieldPair operator*(FieldPair a, const FieldPair& b) {
    __extension__ using Wide = unsigned __int128;
    for (std::size_t k = 0; k < 2; ++k)
      a.parts[k] = static_cast<std::uint64_t>(Wide{a.parts[k]} * b.parts[k] % kPrime);
    return a;
  }
};

class FunctionNames {
 public:
  using Value = FieldPair;
  struct State {
    std::vector<Bits> values;       // for each column, the values that pass the tests on the path
    std::vector<FieldPair> weight;  // for each column, the sum of their random numbers
  };
  static constexpr bool kPlain = false, kEvery = true;

  explicit FunctionNames(const Graph& graph) : graph_(graph) {
    for (std::int32_t c = 0; c < graph.n_columns(); ++c)
      columns_.push_back(values_of_column(graph, c));
  }

  State root() const {
    State out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t n = columns_[c].example.size();
      Bits all((n + 63) / 64, 0);
      for (std::size_t v = 0; v < n; ++v) add(all, v);
      out.weight.push_back(total(c, all));
      out.values.push_back(std::move(all));
    }
    return out;
  }
  Key key(const State& state) const {
    Key out;
    for (std::size_t c = 0; c < state.values.size(); ++c)
      for_each_row(state.values[c], [&](std::int32_t v) { out += random_key(number(c, v)); });
    return out;
  }
  std::uint64_t bytes(const State& state) const {
    std::uint64_t out = state.weight.size() * (sizeof(FieldPair) + sizeof(Bits));
    for (const Bits& values : state.values) out += values.size() * sizeof(std::uint64_t);
    return out;
  }
  State below(const State& state, const Spot&, std::int32_t test, std::int32_t outcome) const {
    return below(state, test, outcome);
  }
  Value of_leaf(const State& state, BitsView, std::int32_t label) const {
    FieldPair out = FieldPair::random(static_cast<std::uint64_t>(label));
    for (const FieldPair& weight : state.weight) out = out * weight;
    return out;
  }
  Value of_split(const State& state, const Spot& here, std::int32_t test) const {
    if (!leaves_rest(test)) return {};
    return of_rest(state, test, here.graph.outcomes_on(here.node, test), here.node.leaf.label);
  }
  // Whether a split leaves some values at the node, because no row of the node has them. Such
  // values get the label of the node.
  bool leaves_rest(std::int32_t test) const {
    return graph_.problem().tests[index(test)].kind == TestKind::multiway;
  }
  Value of_rest(const State& state, std::int32_t test, std::span<const std::int32_t> outcomes,
                std::int32_t label) const {
    const std::int32_t column = graph_.column(test);
    const Bits kept = passing(state, test, outcomes);
    Bits stays = state.values[index(column)];
    for (std::size_t w = 0; w < stays.size(); ++w) stays[w] &= ~kept[w];
    if (!any(stays)) return {};
    return of_leaf(with(state, column, std::move(stays)), {}, label);
  }
  // The state below an outcome of a split.
  State below(const State& state, std::int32_t test, std::int32_t outcome) const {
    return with(state, graph_.column(test), passing(state, test, {&outcome, 1}));
  }

 private:
  static void add(Bits& set, std::size_t member) {
    set[member / 64] |= std::uint64_t{1} << (member % 64);
  }
  static std::uint64_t number(std::size_t column, std::int32_t value) {
    return ((column + 1) << 32) + static_cast<std::uint64_t>(value);
  }
  FieldPair total(std::size_t column, const Bits& values) const {
    FieldPair out;
    for_each_row(values, [&](std::int32_t v) { out = out + FieldPair::random(number(column, v)); });
    return out;
  }
  State with(const State& state, std::int32_t column, Bits values) const {
    State out = state;
    out.weight[index(column)] = total(index(column), values);
    out.values[index(column)] = std::move(values);
    return out;
  }
  // The values of the test's column that have one of these outcomes.
  Bits passing(const State& state, std::int32_t test,
               std::span<const std::int32_t> outcomes) const {
    const Problem& problem = graph_.problem();
    const auto column = index(graph_.column(test));
    Bits out(state.values[column].size(), 0);
    for_each_row(state.values[column], [&](std::int32_t v) {
      const std::int32_t found =
          problem.outcome(problem.tests[index(test)], columns_[column].example[index(v)]);
      if (std::ranges::find(outcomes, found) != outcomes.end()) add(out, index(v));
    });
    return out;
  }

  const Graph& graph_;
  std::vector<ColumnValues> columns_;
};

}  // namespace treeproof::near
