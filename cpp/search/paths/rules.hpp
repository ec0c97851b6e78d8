// Which tests may follow which on the way from the root to a leaf, and what they cost the rows.
//
// A *state* is what a path has to remember of its tests: the groups of columns that may still
// interact, or the measurements that are paid for. The root is in state 0.
#pragma once

#include <cstdint>
#include <span>

#include "core/cost.hpp"

namespace treeproof::paths {

struct Rules {
  std::int32_t n_states = 1;
  // [state * n_features + feature]: the state below a split on the feature; -1: not allowed.
  std::span<const std::int32_t> next;
  // [state * n_features + feature]: what a split costs for each unit of `pays`; empty: nothing.
  std::span<const Cost> prices;
  std::span<const Weight> pays;  // of each row; empty with `prices`
  // Whether a path that leaves out one of its tests allows what it did and charges no more. It may
  // charge more if that test gave a discount on others.
  bool contract = true;
  // The order of predictions along each feature (Misclassification::direction); empty: any.
  std::span<const std::int32_t> directions;
};

}  // namespace treeproof::paths
