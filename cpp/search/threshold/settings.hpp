// What one threshold search is asked to respect, in the units of its costs.
#pragma once

#include <cstdint>

#include "bounds/prices/price_board.hpp"
#include "core/cost.hpp"

namespace treeproof::threshold {

template <class Value>
struct Settings {
  Value split_cost{};             // cost of a split into two
  Value further_child{};          // cost of each child more; 0 where no split has more
  int max_depth = 0;              // already made finite
  int max_splits = 0;             // already made finite
  std::uint32_t min_leaf = 1;     // table rows in every leaf
  Value granule{};                // every cost is a multiple of this; 0 where none is known
  bool portable_kernels = false;  // for tests
  // Switches for the tests that compare every combination of bounds.
  bool use_unit_step = true;
  bool use_inheritance = true;
  bool use_partitions = true;
  bool use_core_search = true;
  bool use_cores = true;
  bool use_common_rows = true;
  bool use_two_splits = true;
  bool use_leaf_gain = true;
  bool use_boxes = true;
  bool use_sets = true;
  const prices::PriceBoard* prices = nullptr;  // of the table's rows; null: none
  std::uint32_t coarse_cuts = 24;  // cuts of stage 1 in depth two
  int most_bins = 128;

  SplitPrice<Value> price() const { return {split_cost, further_child}; }
};

}  // namespace treeproof::threshold
