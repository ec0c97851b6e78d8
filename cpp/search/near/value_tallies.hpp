// Splits into leaves, computed from sums over the rows for each value of a feature. A tally is an
// array of such sums.
//
// `Tallies` defines what is summed over rows, and what a leaf with such sums costs:
//   Number                  int64 or double
//   width()                 how many numbers a tally has
//   add(tally, row)         adds a row
//   leaf(tally, n_rows)     the leaf on the rows tallied
// One pass over the rows serves all tests of a feature.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "search/near/leaves.hpp"

namespace treeproof::near {

template <class Tallies>
class TalliedLeaves final : public Leaves {
 public:
  using Number = typename Tallies::Number;

  TalliedLeaves(const Problem& problem, LeafRules rules, Tallies tallies)
      : problem_(problem), rules_(std::move(rules)), tallies_(std::move(tallies)),
        width_(tallies_.width()), total_(width_), left_(width_), right_(width_) {
    std::size_t most = 1;
    for (const Feature& f : problem.features) most = std::max(most, index(f.n_values));
    count_.assign(most, 0);
    by_value_.assign(most * width_, Number{});
    keys_.assign(most, Key{});
    for (std::int32_t r = 0; r < problem.n_rows(); ++r)
      row_keys_.push_back(random_key(static_cast<std::uint64_t>(r)));
  }

  Leaf leaf(BitsView set) const override {
    std::ranges::fill(total_, Number{});
    std::int32_t n = 0;
    for_each_row(set, [&](std::int32_t r) {
      tallies_.add(total_.data(), r);
      ++n;
    });
    return tallies_.leaf(total_.data(), n);
  }

  void for_each_stump(BitsView set, const Visit& visit) const override {
    for_each(set, true, [&](const Stump& stump) { visit(stump); });
  }

  Cost best_stump(BitsView set) const override {
    Cost least = kInfiniteCost;
    for_each(set, false, [&](const Stump& s) { least = std::min(least, s.cost); });
    return least;
  }

 private:
  // `once`: of the tests of one column that divide the rows in the same way, visit only the first.
  template <class V>
  void for_each(BitsView set, bool once, const V& visit) const {
    read(set);
    for (std::size_t c = 0; c < rules_.columns.size(); ++c) {
      const ColumnTests& column = rules_.columns[c];
      const bool compare = once && !column.distinct();
      if (compare) seen_.clear();
      for (const FeatureTests& tests : column.features) {
        tally_by_value(tests.feature, compare);
        if (codes_.size() > 1) {
          const auto number = static_cast<std::int32_t>(c);
          if (tests.ordered) sweep(number, tests, compare, visit);
          else if (problem_.tests[index(tests.first)].kind == TestKind::equals)
            one_by_one(number, tests, compare, visit);
          else all_apart(number, tests, compare, visit);
        }
        for (const std::int32_t code : codes_) count_[index(code)] = 0;
      }
    }
  }

  void read(BitsView set) const {
    rows_.clear();
    std::ranges::fill(total_, Number{});
    whole_ = Key{};
    for_each_row(set, [&](std::int32_t r) {
      rows_.push_back(r);
      tallies_.add(total_.data(), r);
      whole_ += row_keys_[index(r)];
    });
  }

  Number* tally_of(std::int32_t code) const { return by_value_.data() + index(code) * width_; }

  // Fills codes_ with the codes that occur, in order, and their tallies.
  void tally_by_value(std::int32_t feature, bool with_keys) const {
    codes_.clear();
    const std::int32_t* const column =
        problem_.codes.data() + index(feature) * index(problem_.n_rows());
    for (const std::int32_t r : rows_) {
      const std::int32_t code = column[r];
      if (count_[index(code)]++ == 0) {
        codes_.push_back(code);
        std::fill_n(tally_of(code), width_, Number{});
        if (with_keys) keys_[index(code)] = Key{};
      }
      tallies_.add(tally_of(code), r);
      if (with_keys) keys_[index(code)] += row_keys_[index(r)];
    }
    sort_codes(problem_.features[index(feature)].n_values);
  }

  // If many of the values occur, visiting all of them is faster than sorting.
  void sort_codes(std::int32_t n_values) const {
    constexpr std::size_t kSparse = 8;
    if (codes_.size() * kSparse < index(n_values)) {
      std::ranges::sort(codes_);
      return;
    }
    codes_.clear();
    for (std::int32_t code = 0; code < n_values; ++code)
      if (count_[index(code)] > 0) codes_.push_back(code);
  }

  // Visits every threshold between two values that occur, from the lowest to the highest.
  template <class V>
  void sweep(std::int32_t column, const FeatureTests& tests, bool compare, const V& visit) const {
    std::ranges::fill(left_, Number{});
    right_ = total_;
    std::array<Key, 2> parts{Key{}, whole_};
    std::int32_t n_left = 0;
    for (std::size_t k = 0; k + 1 < codes_.size(); ++k) {
      const std::int32_t code = codes_[k];
      for (std::size_t j = 0; j < width_; ++j) {
        left_[j] += tally_of(code)[j];
        right_[j] -= tally_of(code)[j];
      }
      n_left += count_[index(code)];
      if (compare) {
        parts[0] += keys_[index(code)];
        parts[1] -= keys_[index(code)];
      }
      two_ways(tests.first + code, column, n_left, compare, parts, visit);
    }
  }

  template <class V>
  void one_by_one(std::int32_t column, const FeatureTests& tests, bool compare,
                  const V& visit) const {
    for (const std::int32_t code : codes_) {
      if (code >= tests.n) continue;  // of two categories one test is enough
      for (std::size_t j = 0; j < width_; ++j) {
        left_[j] = tally_of(code)[j];
        right_[j] = total_[j] - tally_of(code)[j];
      }
      std::array<Key, 2> parts{keys_[index(code)], whole_};
      parts[1] -= parts[0];
      two_ways(tests.first + code, column, count_[index(code)], compare, parts, visit);
    }
  }

  template <class V>
  void two_ways(std::int32_t test, std::int32_t column, std::int32_t n_left, bool compare,
                const std::array<Key, 2>& parts, const V& visit) const {
    if (compare && !seen_.insert(parts)) return;
    const auto n_right = static_cast<std::int32_t>(rows_.size()) - n_left;
    const Leaf low = tallies_.leaf(left_.data(), n_left);
    const Leaf high = tallies_.leaf(right_.data(), n_right);
    if (low.samples < rules_.min_samples || high.samples < rules_.min_samples) return;
    visit(Stump{test, column, rules_.price(2) + low.cost + high.cost, low.label == high.label});
  }

  template <class V>
  void all_apart(std::int32_t column, const FeatureTests& tests, bool compare,
                 const V& visit) const {
    if (compare) {
      std::vector<Key> parts;
      for (const std::int32_t code : codes_) parts.push_back(keys_[index(code)]);
      if (!seen_.insert(parts)) return;
    }
    Stump stump{tests.first, column, rules_.price(static_cast<std::int64_t>(codes_.size())), true};
    std::int32_t label = -1;
    for (const std::int32_t code : codes_) {
      const Leaf leaf = tallies_.leaf(tally_of(code), count_[index(code)]);
      if (leaf.samples < rules_.min_samples) return;
      stump.cost += leaf.cost;
      stump.alike = stump.alike && (label < 0 || leaf.label == label);
      label = leaf.label;
    }
    visit(stump);
  }

  const Problem& problem_;
  const LeafRules rules_;
  const Tallies tallies_;
  const std::size_t width_;
  std::vector<Key> row_keys_;
  // Scratch memory of one call.
  mutable std::vector<Number> total_, left_, right_, by_value_;
  mutable std::vector<std::int32_t> rows_, codes_, count_;
  mutable std::vector<Key> keys_;
  mutable Key whole_;
  mutable SeenPartitions seen_;
};

}  // namespace treeproof::near
