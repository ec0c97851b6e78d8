// Lower bounds for trees of small depth on any set of rows of one table, by the search over every
// threshold. Tables of numbers have too many tests for the bounds of the sparse search.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"

namespace treeproof::threshold {

class SubsetBound {
 public:
  SubsetBound(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits,
              Limits& limits);
  ~SubsetBound();

  // A lower bound on the cost of trees of depth at most `depth` on these rows. It is the optimum
  // over trees with leaves of any size, or any number above `enough`, unless a limit is reached.
  Cost lower(const std::vector<std::int32_t>& rows, int depth, Cost enough);

  // The maximum depth; the problem must have one.
  int depth() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace treeproof::threshold
