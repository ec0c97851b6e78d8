// Converts the limits of a caller to the settings of a threshold search and to the context of its
// subproblems.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/options.hpp"
#include "data/columns.hpp"
#include "search/threshold/doubles.hpp"
#include "search/threshold/settings.hpp"
#include "search/threshold/solve.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

// Represents "no limit" by a number that no tree reaches.
inline int finite(int wanted) { return wanted < 0 ? 1 << 30 : std::min(wanted, 1 << 30); }

inline bool has_multiway(const Columns& columns) {
  return std::ranges::any_of(columns.features,
                             [](const Feature& f) { return f.kind == FeatureKind::multiway; });
}

template <class Value>
Settings<Value> settings_for(const Columns& columns, const TreeLimits& tree_limits,
                             const Switches& switches) {
  Settings<Value> settings;
  settings.max_depth = columns.n_features() > 0 ? finite(tree_limits.max_depth) : 0;
  settings.max_splits = finite(tree_limits.max_splits);
  settings.min_leaf = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(tree_limits.min_samples_leaf, 1, std::int64_t{columns.n_rows} + 1));
  settings.list = tree_limits.list;
  settings.use_unit_step = switches.unit_step;
  settings.use_inheritance = switches.inheritance;
  settings.use_partitions = switches.partitions;
  settings.use_common_rows_search = switches.common_rows_search;
  settings.use_costly_sets = switches.costly_sets;
  settings.use_common_rows = switches.common_rows;
  settings.use_two_splits = switches.two_splits;
  settings.use_leaf_gain = switches.leaf_gain;
  settings.use_boxes = switches.boxes;
  settings.use_sets = switches.sets;
  settings.use_leave_out = switches.leave_out;
  settings.use_chains = switches.chains;
  settings.use_pairs = switches.pairs;
  settings.use_counts = switches.counts;
  settings.prices = switches.prices;
  settings.portable_kernels = switches.portable_kernels;
  settings.coarse_cuts = static_cast<std::uint32_t>(std::max(1, switches.coarse_cuts));
  settings.most_bins = switches.most_bins;
  settings.fine_bins_from = static_cast<std::uint32_t>(std::max(0, switches.fine_bins_from));
  return settings;
}

// What all subproblems of a search share. `split_cost` is in the units of the loss.
template <class L>
Context<L> context_for(const Columns& columns, const L& loss, const TreeLimits& tree_limits,
                       const Switches& switches, typename L::Value split_cost, Limits& limits,
                       Counters& counters) {
  using Value = typename L::Value;
  Settings<Value> settings = settings_for<Value>(columns, tree_limits, switches);
  settings.split_cost = split_cost;
  if (tree_limits.penalize == Penalize::leaves && has_wide(columns.features))
    settings.further_child = split_cost;
  if constexpr (std::integral<Value>)
    settings.granule = split_cost % kUnitCost == 0 ? kUnitCost : 1;
  return {
      &columns, &loss, settings, &limits, &counters, has_multiway(columns), find_doubles(columns)};
}

}  // namespace treeproof::threshold
