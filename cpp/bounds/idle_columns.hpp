// Columns and categories on which no split pays, anywhere in any tree.
//
// Lemma 1 (columns). Let every further child of a multiway split cost a penalty L, let no category
// of the column weigh more than w, and let there be K classes. If L >= 2 w (1 - 1/K), a leaf costs
// no more than any subtree whose root splits on the column.
//
// Proof. Let the split have c >= 2 children with rows, and let the rows weigh W. Then W <= c w,
// and the subtree costs at least (c - 1) L >= (c - 1) 2 w (1 - 1/K) >= c w (1 - 1/K) >= W (1 -
// 1/K). The most frequent class of K has at least W / K, so a leaf costs at most W (1 - 1/K).
//
// Lemma 2 (categories). Let the rows of a category weigh at most L, and let no split have more
// than two children. Some tree of least cost never asks "is it this category?". If other columns
// have multiway splits, the same holds for a category of a single row, as long as leaves may have
// a single row.
//
// Proof. Take a node that asks this, and put the subtree of its "no" side in its place. This saves
// the penalty of the split. The rows of the category now go through that subtree: leaves only
// grow, the depth does not, and at most the weight of these rows is newly wrong, which is at most
// L. In a multiway split, a single row may need a child of its own: a leaf without an error, which
// costs L. Either way the tree costs no more than before, and it has one such node less.
//
// So a search may do without them: names, numbers of tickets, anything that nearly tells the rows
// apart. With one penalty for a whole multiway split, lemma 1 does not hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/index.hpp"
#include "data/problem.hpp"

namespace treeproof::bounds {

inline constexpr double kIdleMargin = 1.001;  // weights and penalty are rounded later

// Numbers of the columns of lemma 1. `codes` is column-major; `split_cost` is in units of weight.
inline std::vector<std::size_t> idle_columns(std::span<const Feature> features,
                                             std::span<const std::int32_t> codes,
                                             std::span<const double> weights,
                                             std::int32_t n_classes, double split_cost) {
  std::vector<std::size_t> idle;
  std::vector<double> heaviness;
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (features[f].kind != FeatureKind::multiway) continue;
    heaviness.assign(index(features[f].n_values), 0.0);
    for (std::size_t r = 0; r < weights.size(); ++r)
      heaviness[index(codes[f * weights.size() + r])] += weights[r];
    const double heaviest =
        heaviness.empty() ? 0.0 : *std::max_element(heaviness.begin(), heaviness.end());
    const double most = 2.0 * heaviest * (1.0 - 1.0 / static_cast<double>(n_classes));
    if (split_cost >= kIdleMargin * most && split_cost > 0.0) idle.push_back(f);
  }
  return idle;
}

// For every category of one column, whether lemma 2 holds. `codes` are those of the column;
// `wide`: some split may have more than two children.
inline std::vector<bool> light_categories(std::int32_t n_values,
                                          std::span<const std::int32_t> codes,
                                          std::span<const double> weights, double split_cost,
                                          bool wide) {
  std::vector<double> heaviness(index(n_values), 0.0);
  std::vector<std::int64_t> rows(index(n_values), 0);
  for (std::size_t r = 0; r < codes.size(); ++r) {
    heaviness[index(codes[r])] += weights[r];
    ++rows[index(codes[r])];
  }
  std::vector<bool> light(index(n_values));
  for (std::size_t c = 0; c < light.size(); ++c)
    light[c] =
        split_cost > 0.0 && split_cost >= kIdleMargin * heaviness[c] && (!wide || rows[c] <= 1);
  return light;
}

}  // namespace treeproof::bounds
