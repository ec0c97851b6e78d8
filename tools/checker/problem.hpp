// The problem that a proof is about: rows as codes, and the tests that trees may have. Section 1 of
// docs/proof-format.md.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cells.hpp"
#include "errors.hpp"
#include "limits.hpp"
#include "line_columns.hpp"
#include "ratio.hpp"

namespace checker {

using Rows = std::vector<std::uint32_t>;  // numbers of rows, in ascending order

enum class Split { kThreshold, kMultiway, kOneVsRest };

// A view of a column of the table: one way in which tests may divide it.
struct Column {
  std::string name;
  Split split{};
  std::size_t n_values = 0;
  std::vector<std::int32_t> codes;  // the code of every row
  std::size_t first_test = 0;
  // For two classes: 1 if predictions must not fall along the column, -1 if they must not rise.
  int direction = 0;
  std::size_t feature = 0;  // the number of the column of the table

  // The class that a leaf on one side of a cut must predict, if the column has a direction.
  std::size_t says(bool yes) const { return (direction > 0) == yes ? 0 : 1; }
};

struct Test {
  std::size_t column = 0;
  std::int32_t code = 0;
  std::size_t n_outcomes = 2;
};

// Costs of actions (see gains.hpp).
struct Gains {
  std::size_t n_actions = 0;
  std::vector<std::vector<double>> costs;        // for each row, by action
  std::vector<std::vector<std::int32_t>> whole;  // gains of each row, by action
  int exponent = 0;                              // gains were multiplied by 2 to this power
  std::int64_t total = 0;                        // the sum of all integer gains
  bool rounded = false;
  std::int64_t n_raised = 0;             // rows whose gain is the same for every action
  double base = 0, off = 0, weight = 0;  // sums: highest costs, rounding errors, weights of rows
};

// The kinds of losses: squared errors (also of shares of classes), distances to quantiles,
// deviances, which are sums with logarithms, and squared distances to lines.
enum class Family { kSquares, kDistances, kLogs, kLines };

struct Problem {
  std::vector<Column> columns;
  std::vector<Test> tests;
  bool multiway = false;  // whether a test has three or more outcomes
  std::size_t n_classes = 0;
  std::vector<std::int32_t> labels;          // for classification
  std::vector<std::vector<double>> targets;  // for regression: one list for each output
  Family family = Family::kSquares;
  bool of_shares = false;  // log loss and Gini: costs are stated as means
  // The weight of the imaginary rows of every leaf, one for each output.
  double smoothing = 0;
  std::vector<double> levels{0.5};  // the levels of the quantiles
  LineColumns lines;                // the columns of lines in leaves
  double factor = 1;                // factor of distances: 2 for absolute errors
  std::vector<double> weights;
  std::optional<Gains> gains;      // for costs; labels are not used then
  std::optional<Ratio> ratio;      // for F1, F-beta and Jaccard
  std::optional<Limits> limits;    // limits on rates; costs are then those of errors and prices
  std::string about;               // rows, weights and columns, in words
  std::string promises;            // restrictions of trees, in words
  std::vector<std::size_t> group;  // equal for rows that no test tells apart
  std::int64_t min_samples_leaf = 1;
  bool list = false;                   // whether one child of every split must be a leaf
  bool directed = false;               // whether a column has a direction
  std::function<void()> poll = [] {};  // called often; throws if the check is to end

  std::size_t n_rows() const { return weights.size(); }

  // The rows among these for which a test has this outcome.
  Rows restricted(const Rows& rows, std::size_t t, std::size_t outcome) const {
    const Column& column = columns[tests[t].column];
    const std::int32_t code =
        column.split == Split::kMultiway ? static_cast<std::int32_t>(outcome) : tests[t].code;
    const bool ordered = column.split == Split::kThreshold;
    const bool yes = column.split == Split::kMultiway || outcome == 0;
    Rows kept(rows.size());
    std::size_t size = 0;
    for (const std::uint32_t row : rows) {
      const std::int32_t own = column.codes[row];
      kept[size] = row;
      size += (ordered ? own <= code : own == code) == yes ? 1 : 0;
    }
    kept.resize(size);
    return kept;
  }

  std::string describe(std::size_t t) const {
    return "test " + std::to_string(t) + " (of " + columns[tests[t].column].name + ")";
  }

  // Adds a view and its tests.
  void add(Column column) {
    const std::size_t n = column.n_values;
    const bool each = column.split == Split::kMultiway;
    column.first_test = tests.size();
    const std::size_t n_tests = n < 2                               ? 0
                                : column.split == Split::kThreshold ? n - 1
                                : each || n == 2                    ? 1
                                                                    : n;
    for (std::size_t c = 0; c < n_tests; ++c) {
      tests.push_back({columns.size(), static_cast<std::int32_t>(c), each ? n : 2});
    }
    multiway = multiway || (each && n > 2);
    columns.push_back(std::move(column));
  }
};

// The views of a column with n values. For each of them: how it is divided, and its code for each
// code of the column, where n stands for a missing value.
struct View {
  Split split;
  std::vector<std::int32_t> code;
};

inline std::vector<View> views_of(const std::string& split, std::int32_t n,
                                  const std::string& missing) {
  const bool gaps = !missing.empty(), own_branch = missing == "branch";
  const bool ordered = split == "threshold" || split == "order", either = split == "either";
  const bool each = either || split == "one-vs-rest";
  const std::int32_t size = gaps ? n + 1 : n;
  std::vector<View> views;
  const auto add = [&](Split how, auto&& code) {
    View& view = views.emplace_back(how, std::vector<std::int32_t>());
    for (std::int32_t c = 0; c < size; ++c) view.code.push_back(code(c));
  };
  // Adds a test with two outcomes. Missing values are apart if they have a branch of their own.
  const auto ask = [&](auto&& yes) {
    const Split how = own_branch ? Split::kMultiway : Split::kThreshold;
    add(how, [&](std::int32_t c) { return own_branch && c == n ? 2 : yes(c) ? 0 : 1; });
  };
  const auto same = [](std::int32_t c) { return c; };
  if (either || split == "multiway") add(Split::kMultiway, same);
  if (split == "multiway") return views;
  if (own_branch) {
    add(Split::kThreshold, [&](std::int32_t c) { return c == n ? 0 : 1; });
  } else if (ordered && gaps) {
    add(Split::kThreshold, [&](std::int32_t c) { return c == n ? 0 : c + 1; });
    if (n > 1) add(Split::kThreshold, same);
  } else if (ordered || each) {
    add(ordered ? Split::kThreshold : Split::kOneVsRest, same);
  }
  if (split == "subset") {
    const std::int32_t parted = own_branch ? n : size;
    if (parted > 16) throw Unreadable("a column has too many subsets");
    for (std::int32_t k = 0; parted > 1 && k < (1 << (parted - 1)) - 1; ++k) {
      ask([k](std::int32_t c) { return (2 * k + 1) >> c & 1; });
    }
  } else if (own_branch) {
    for (std::int32_t k = 0; k < (each && n > 2 ? n : n - 1); ++k) {
      ask([&](std::int32_t c) { return ordered ? c <= k : c == k; });
    }
  } else if (each && !either && gaps && n > 2) {
    for (std::int32_t k = 0; k < n; ++k) {
      ask([&](std::int32_t c) { return c == k || c == n; });
    }
  }
  return views;
}

}  // namespace checker
