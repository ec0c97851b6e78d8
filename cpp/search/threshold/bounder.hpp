// Lower bounds for any set of rows of one table and trees of few levels, by the search over every
// threshold. Tables of numbers have too many tests for the bounds of the sparse search.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"

namespace treeproof::threshold {

class Bounder {
 public:
  Bounder(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits, Limits& limits);
  ~Bounder();

  // No tree of at most `depth` levels on these rows costs less. The bound is the optimum over
  // trees with leaves of any size, or more than `enough`, unless a limit is hit.
  Cost lower(const std::vector<std::int32_t>& rows, int depth, Cost enough);

  // Levels below the root; there has to be a limit.
  int depth() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace treeproof::threshold
