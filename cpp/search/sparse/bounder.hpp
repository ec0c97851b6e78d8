// Lower bounds for any set of rows of one table, from one search that remembers them all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"

namespace treeproof::sparse {

class Bounder {
 public:
  Bounder(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits,
          Limits& limits);
  ~Bounder();

  // No tree on these rows costs less. The bound is the optimum, or more than `enough`, unless
  // a limit is hit.
  Cost lower(const std::vector<std::int32_t>& rows, int depth_left, Cost enough);

  // Levels below the root, and the number that stands for no limit.
  int depth() const;
  static int unlimited();

 private:
  class Any;
  template <class Word>
  class Of;
  std::unique_ptr<Any> search_;
};

}  // namespace treeproof::sparse
