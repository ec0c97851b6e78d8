// Columns of categories on which no split pays, anywhere in any tree.
//
// Lemma. Let every further child of a multiway split cost a penalty L, let no category of the
// column weigh more than w, and let there be K classes. If L >= 2 w (1 - 1/K), a leaf costs no
// more than any subtree whose root splits on the column.
//
// Proof. Let the split have c >= 2 children with rows, and let the rows weigh W. Then W <= c w,
// and the subtree costs at least (c - 1) L >= (c - 1) 2 w (1 - 1/K) >= c w (1 - 1/K) >= W (1 -
// 1/K). The most frequent class of K has at least W / K, so a leaf costs at most W (1 - 1/K).
//
// So a search may do without such columns: names, numbers of tickets, anything that nearly tells
// the rows apart. With one penalty for a whole split the lemma does not hold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/index.hpp"
#include "data/problem.hpp"

namespace treeproof::bounds {

// Numbers of such columns. `codes` is column-major; `split_cost` is in units of weight.
inline std::vector<std::size_t> idle_columns(std::span<const Feature> features,
                                             std::span<const std::int32_t> codes,
                                             std::span<const double> weights,
                                             std::int32_t n_classes, double split_cost) {
  constexpr double kMargin = 1.001;  // weights and penalty are rounded later
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
    if (split_cost >= kMargin * most && split_cost > 0.0) idle.push_back(f);
  }
  return idle;
}

}  // namespace treeproof::bounds
