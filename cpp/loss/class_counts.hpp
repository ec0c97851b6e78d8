// Two classes and whole weights: the log loss of a leaf from a table of n log n.
//
// A leaf with n0 and n1 rows of the classes loses n log n - n0 log n0 - n1 log n1 with n = n0 + n1,
// which takes three look-ups instead of two logarithms. Rows that were merged have shares of the
// classes, but weights times shares are whole numbers again. If every such product is a whole
// multiple of one unit, the loss is the unit times that of the counts.
//
// Precision: a look-up is exact to half a unit in the last place, so that the loss of a leaf of a
// table of N rows has an error of about 3e-16 N log N. `counts_of` refuses tables where this is
// more than 3e-14 of the loss of a single leaf, well below what losses are compared with
// (loss/tolerance.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "loss/targets.hpp"

namespace treeproof {

struct ClassCounts {
  // A row or a sum of rows: the second class in the upper half, the first one in the lower half.
  using Pair = std::uint32_t;
  static constexpr Pair kMost = 0xffff;  // of either class
  static constexpr std::uint32_t first(Pair pair) { return pair & kMost; }
  static constexpr std::uint32_t second(Pair pair) { return pair >> 16; }

  std::vector<Pair> rows;
  // n log n for all n up to the number of all rows, such that a single leaf loses 1.
  std::vector<double> table;
  std::vector<double> forced;  // of each row: what its classes lose whatever a leaf predicts
  double unit = 1.0;           // weight of a count, in the unit of the targets' weights

  // What a leaf loses, with the forced part of its rows.
  double loss(std::uint32_t n0, std::uint32_t n1) const {
    return table[n0 + n1] - (table[n0] + table[n1]);
  }
  double loss(Pair pair) const { return loss(first(pair), second(pair)); }
};

// The counts of two classes, if all of them are whole, and nothing otherwise.
inline std::optional<ClassCounts> counts_of(const Targets& targets) {
  constexpr double kWhole = 1e-14, kMostDigitsLost = 100.0;
  if (targets.n_outputs != 2 || targets.smoothing > 0.0) return std::nullopt;
  const std::size_t n = targets.weights.size();
  double least = 0.0;  // of the products that are not zero
  bool whole = true;   // in units of 1
  for (std::size_t r = 0; r < n; ++r) {
    const double share = targets.values[2 * r] + targets.values[2 * r + 1];
    if (!(std::abs(share - 1.0) <= kWhole)) return std::nullopt;
    for (std::size_t k = 0; k < 2; ++k) {
      const double product = targets.weights[r] * targets.values[2 * r + k];
      if (product < 0.0) return std::nullopt;
      if (product > 0.0) least = least > 0.0 ? std::min(least, product) : product;
      whole = whole && std::abs(product - std::round(product)) <= kWhole * product;
    }
  }
  ClassCounts out;
  out.unit = whole ? 1.0 : least;
  double sums[2] = {0.0, 0.0};
  out.rows.reserve(n);
  for (std::size_t r = 0; r < n; ++r) {
    double counts[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const double exact = targets.weights[r] * targets.values[2 * r + k] / out.unit;
      counts[k] = std::round(exact);
      sums[k] += counts[k];
      if (std::abs(exact - counts[k]) > kWhole * exact || sums[k] > ClassCounts::kMost)
        return std::nullopt;
    }
    out.rows.push_back(static_cast<ClassCounts::Pair>(counts[1]) << 16 |
                       static_cast<ClassCounts::Pair>(counts[0]));
  }
  const auto n0 = static_cast<std::uint32_t>(sums[0]), n1 = static_cast<std::uint32_t>(sums[1]);
  out.table.assign(n0 + n1 + 1, 0.0);
  for (std::size_t k = 2; k < out.table.size(); ++k) {
    const auto count = static_cast<double>(k);
    out.table[k] = count * std::log(count);
  }
  double forced = 0.0;
  for (const ClassCounts::Pair row : out.rows) {
    out.forced.push_back(std::max(0.0, out.loss(row)));
    forced += out.forced.back();
  }
  const double alone = out.loss(n0, n1) - forced;
  if (!(out.table.back() < kMostDigitsLost * alone)) return std::nullopt;
  for (double& value : out.table) value /= alone;
  for (double& value : out.forced) value /= alone;
  return out;
}

}  // namespace treeproof
