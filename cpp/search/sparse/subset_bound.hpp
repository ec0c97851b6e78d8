// Lower bounds for any set of rows of one table, from one search that keeps its memo.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"

namespace treeproof::sparse {

class SubsetBound {
 public:
  SubsetBound(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits,
              Limits& limits);
  ~SubsetBound();

  // A lower bound on the cost of all trees on these rows. It is the optimum, or more than `enough`,
  // unless a limit is reached.
  Cost lower(const std::vector<std::int32_t>& rows, int depth_left, Cost enough);

  // The number of levels below the root; `unlimited` is the value that means no limit.
  int depth() const;
  static int unlimited();

 private:
  class Any;
  template <class Word>
  class Of;
  std::unique_ptr<Any> search_;
};

}  // namespace treeproof::sparse
