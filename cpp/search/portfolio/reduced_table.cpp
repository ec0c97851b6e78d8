#include "search/portfolio/reduced_table.hpp"

#include <algorithm>
#include <numeric>

#include "bounds/idle_columns.hpp"
#include "core/index.hpp"

namespace treeproof::portfolio {

void ReducedTable::reduce(std::span<const double> weights, std::int32_t n_classes,
                          const TreeLimits& limits) {
  if (limits.penalize != Penalize::leaves) return;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double split_cost = limits.split_penalty * total;
  for (const std::size_t f :
       bounds::idle_columns(features_, codes(), weights, n_classes, split_cost)) {
    make_constant(f, weights.size());
    ++n_idle_;
  }
  // In a multiway split a single row may need a leaf of its own, which a minimum leaf size above 1
  // forbids.
  const bool wide = has_wide(features_);
  if (wide && limits.min_samples_leaf > 1) return;
  for (std::size_t f = 0; f < n_given_; ++f)
    if (features_[f].kind == FeatureKind::one_vs_rest && features_[f].n_values > 2)
      separate_heavy(f, weights, split_cost, wide);
}

void ReducedTable::make_constant(std::size_t feature, std::size_t n_rows) {
  if (changed_.empty()) changed_.assign(codes_.begin(), codes_.end());
  features_[feature].n_values = 1;
  std::fill_n(changed_.begin() + static_cast<std::ptrdiff_t>(feature * n_rows), n_rows, 0);
}

void ReducedTable::separate_heavy(std::size_t feature, std::span<const double> weights,
                                  double split_cost, bool single_rows) {
  const std::size_t n_rows = weights.size();
  const std::int32_t n_values = features_[feature].n_values;
  const std::vector<bool> light = bounds::light_categories(
      n_values, codes().subspan(feature * n_rows, n_rows), weights, split_cost, single_rows);
  const auto n_light = index(std::ranges::count(light, true));
  // One column of many categories is searched faster than a column for each of them.
  if (2 * n_light <= light.size()) return;
  n_idle_ += n_light;
  const std::span<const std::int32_t> given = codes_.subspan(feature * n_rows, n_rows);
  make_constant(feature, n_rows);
  for (std::int32_t c = 0; c < n_values; ++c) {
    if (light[index(c)]) continue;
    features_.push_back({FeatureKind::ordered, 2});
    appended_.push_back({static_cast<std::int32_t>(feature), c});
    for (const std::int32_t code : given) changed_.push_back(code == c ? 0 : 1);
  }
}

SplitTree ReducedTable::restore(SplitTree tree) const {
  for (SplitTree& child : tree.children) child = restore(std::move(child));
  if (tree.leaf() || index(tree.feature) < n_given_) return tree;
  const Category& asked = appended_[index(tree.feature) - n_given_];
  tree.feature = asked.feature;
  tree.kind = TestKind::equals;
  tree.code = asked.code;
  tree.next_code = asked.code;
  return tree;
}

}  // namespace treeproof::portfolio
