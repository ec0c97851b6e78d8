// What every search returns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/cost.hpp"
#include "core/limits.hpp"
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

}  // namespace treeproof
