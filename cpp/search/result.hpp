// What every search returns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/cost.hpp"
#include "core/limits.hpp"
#include "tree/split_tree.hpp"
#include "tree/tree.hpp"

namespace treeproof {

using Statistics = std::vector<std::pair<std::string, std::int64_t>>;

struct SearchResult {
  Tree tree;
  Cost lower = 0;  // no tree costs less
  Cost upper = 0;  // what `tree` costs
  StopReason stop = StopReason::none;
  Statistics statistics;

  bool optimal() const { return lower == upper; }
};

// The same of a search over sorted columns. Costs may be real numbers, so whether the bound proves
// the tree is decided by the tolerance of the loss.
template <class Value>
struct SplitResult {
  SplitTree tree;
  Value lower{};  // no tree costs less
  Value upper{};  // what `tree` costs
  Value split_cost{};
  bool optimal = false;
  StopReason stop = StopReason::none;
  Statistics statistics;
};

}  // namespace treeproof
