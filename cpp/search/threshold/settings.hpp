// The limits of one threshold search, in the units of its costs.
#pragma once

#include <cstdint>

#include "bounds/prices/price_board.hpp"
#include "core/cost.hpp"
#include "search/threshold/multiway_cost.hpp"

namespace treeproof::threshold {

template <class Value>
struct Settings {
  Value split_cost{};             // cost of a split into two
  Value further_child{};          // cost of each further child; 0 if no split has more than two
  int max_depth = 0;              // already made finite
  int max_splits = 0;             // already made finite
  std::uint32_t min_leaf = 1;     // table rows in every leaf
  bool leave_out = false;         // multiway splits may leave out categories (multiway_cost.hpp)
  bool list = false;              // one child of every split is a leaf
  Value granule{};                // every cost is a multiple of this; 0 if none is known
  bool portable_kernels = false;  // for tests
  // Switches for the tests that compare every combination of bounds.
  bool use_unit_step = true;
  bool use_inheritance = true;
  bool use_partitions = true;
  bool use_common_rows_search = true;
  bool use_costly_sets = true;
  bool use_common_rows = true;
  bool use_two_splits = true;
  bool use_leaf_gain = true;
  bool use_boxes = true;
  bool use_sets = true;
  bool use_leave_out = true;
  bool use_chains = true;
  bool use_pairs = true;
  bool use_counts = true;
  // Prices of the rows of the table; null if there are none.
  const prices::PriceBoard* prices = nullptr;
  std::uint32_t coarse_cuts = 24;  // cuts of stage 1 in depth two
  int most_bins = 128;
  // Sets of so many rows divide their bins into parts if scans take long (depth_two/fine_bins.hpp).
  std::uint32_t fine_bins_from = 4'096;

  SplitPrice<Value> price() const { return {split_cost, further_child}; }
  // Adds up the cost of a split with one child for each category.
  MultiwayCost<Value> multiway() const { return {price(), leave_out}; }
  // Does the same without the cost of a split into two.
  MultiwayCost<Value> multiway_loss() const { return {{Value{}, further_child}, leave_out}; }
};

}  // namespace treeproof::threshold
