// The training data as every categorical search sees it: merged weighted rows and the
// tests a tree may use.
//
// Rows with the same feature codes and the same label are merged into one weighted row.
// Rows with the same codes and different labels stay apart but share a *group*: no tree
// can tell them from each other (the papers' equivalent points).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "core/key.hpp"
#include "core/limits.hpp"

namespace treeproof {

// How a feature may be split. `ordered` codes are ranks of distinct values, split by
// `code <= c`; `multiway` has one child for each category; `one_vs_rest` splits by
// `code == c`.
enum class FeatureKind : std::uint8_t { ordered, multiway, one_vs_rest };

struct Feature {
  FeatureKind kind;
  std::int32_t n_values;  // codes are 0 .. n_values - 1
};

// Whether a split of some feature can have more than two children.
inline bool has_wide(std::span<const Feature> features) {
  return std::ranges::any_of(
      features, [](const Feature& f) { return f.kind == FeatureKind::multiway && f.n_values > 2; });
}

enum class TestKind : std::uint8_t { threshold, equals, multiway };

// A split: outcome 0 is "yes" for thresholds (code <= c) and equality (code == c),
// outcome 1 is "no"; a multiway test has outcome v for category v.
struct Test {
  std::int32_t feature;
  TestKind kind;
  std::int32_t code;
  std::int32_t n_outcomes;
};

struct Problem {
  std::vector<Feature> features;
  std::int32_t n_classes = 0;

  // Merged rows, sorted by label, then by first appearance.
  std::vector<std::int32_t> label;
  std::vector<Weight> weight;
  std::vector<std::int64_t> samples;  // how many table rows were merged into it
  std::vector<std::int32_t> group;    // equal groups: equal feature codes
  // the number of the row in a larger table; empty if this is the whole table
  std::vector<std::int32_t> name;
  std::uint64_t key_seed = 0;       // seed of the random keys of the rows
  std::vector<std::int32_t> codes;  // column-major: codes[feature * n_rows + row]
  std::int32_t n_groups = 0;
  std::int64_t total_weight = 0;
  bool weights_are_samples = false;  // weight == samples on every row

  std::vector<Test> tests;

  std::int32_t n_rows() const { return static_cast<std::int32_t>(label.size()); }
  // Sets of rows are identified by sums of these keys. If the seed is not known in advance, nobody
  // can construct a table in which two sets have the same sum.
  Key key_of(std::int32_t row) const {
    return random_key(key_seed + static_cast<std::uint64_t>(name_of(row)));
  }
  std::int32_t name_of(std::int32_t row) const {
    return name.empty() ? row : name[static_cast<std::size_t>(row)];
  }
  std::int32_t code(std::int32_t feature, std::int32_t row) const {
    return codes[static_cast<std::size_t>(feature) * label.size() + static_cast<std::size_t>(row)];
  }
  std::int32_t outcome(const Test& test, std::int32_t row) const {
    const std::int32_t c = code(test.feature, row);
    switch (test.kind) {
      case TestKind::threshold: return c <= test.code ? 0 : 1;
      case TestKind::equals: return c == test.code ? 0 : 1;
      case TestKind::multiway: return c;
    }
    return 0;
  }
};

// `codes` is column-major, n_rows * features.size(); labels in 0 .. n_classes - 1; weights
// are finite and not negative, and not all zero (the input border has seen to that). Whole-number
// weights are kept exactly where their total allows it; others are rounded to 2^-30 of their total.
// `names`, if not empty: the rows' numbers in a larger table of which these are a part. Of
// merged rows the first one's counts. Throws `Stopped` when a limit (null: none) is hit.
Problem make_problem(std::vector<Feature> features, std::span<const std::int32_t> codes,
                     std::span<const std::int32_t> labels, std::int32_t n_classes,
                     std::span<const double> weights, std::span<const std::int32_t> names = {},
                     Limits* limits = nullptr);

// The same without the tests. Searches that sort the columns do not need them, and a column of
// numbers that all differ has a test for every row.
Problem merge_rows(std::vector<Feature> features, std::span<const std::int32_t> codes,
                   std::span<const std::int32_t> labels, std::int32_t n_classes,
                   std::span<const double> weights, std::span<const std::int32_t> names = {},
                   Limits* limits = nullptr);

// Whether some column alone tells all rows apart, so that no rows can be merged. Columns of
// measurements often do.
bool all_rows_differ(std::span<const Feature> features, std::span<const std::int32_t> codes,
                     std::size_t n_rows);

// How much the cost of each group of equal rows can differ between trees: the first row of its
// heaviest class holds that row's weight, and all other rows hold 0. The sum over a group is the
// maximum by which its cost can exceed its lowest cost. Empty if no group has rows of different
// classes.
std::vector<Weight> find_swings(const Problem& problem);

// The number of ordered pairs of different classes, and the index of a pair among them.
constexpr std::int32_t n_class_pairs(std::int32_t n_classes) { return n_classes * (n_classes - 1); }
constexpr std::int32_t class_pair(std::int32_t n_classes, std::int32_t a, std::int32_t b) {
  return a * (n_classes - 1) + (b < a ? b : b - 1);
}

// What a group gains if its leaf predicts class a instead of class b, or 0 if that is a loss.
// Stored as [row][pair] for the row that holds the swing of the group; 0 for other rows.
std::vector<Weight> find_pair_gains(const Problem& problem, std::span<const Weight> swings);

}  // namespace treeproof
