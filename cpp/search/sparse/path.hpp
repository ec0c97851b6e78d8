// Solves one table at one split cost after another; each search uses what the others have proved.
//
// For a set of rows S let f(L) be the lowest cost of a tree at split cost L. As the minimum of
// lines errors + penalties * L with penalties >= 0, it is concave and nondecreasing, and f(0) >= 0.
// Bounds proved at two split costs can therefore be interpolated between them; a bound proved at L1
// holds for all larger split costs, and in the proportion L / L1 for smaller ones. Trees can be
// used at any split cost: those of the neighbouring split costs are the first candidates.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "search/result.hpp"
#include "search/sparse/settings.hpp"
#include "search/sparse/warm_start.hpp"

namespace treeproof::sparse {

// What a search reuses from earlier searches; for tests and measurements.
struct Reuse {
  bool trees = true;
  bool facts = true;
};

class PathSearch {
 public:
  // `limits.split_penalty` and `limits.max_splits` are not used.
  PathSearch(Problem problem, const TreeLimits& limits, Reuse reuse);

  // Finds the optimum at this split cost; `root_lower` is a lower bound on it that the caller
  // knows.
  SearchResult solve(Cost split_cost, Cost root_lower, Limits& limits, const Observer& observer);

  const Problem& problem() const { return problem_; }

 private:
  struct Solved {
    Tree tree;
    std::vector<Fact> facts;  // sorted by key
  };
  using Table = std::map<Cost, Solved>;

  std::vector<Fact> known_at(Cost split_cost) const;
  void keep(Cost split_cost, Tree tree, std::vector<Fact> facts, std::uint64_t allowance);

  Problem problem_;
  TreeLimits tree_limits_;
  Reuse reuse_;
  Table solved_;
};

}  // namespace treeproof::sparse
