// What a search may know before it starts, and what it leaves for later searches: trees, whose cost
// is an upper bound at any split cost, and lower bounds for sets of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/key.hpp"
#include "tree/tree.hpp"

namespace treeproof::sparse {

// No tree on the rows of this key (see Search::key_at) costs less than `lower`.
struct Fact {
  Key key;
  std::uint32_t effort = 0;  // the work it took, in microseconds
  Cost lower = 0;
};

struct WarmStart {
  std::vector<Tree> trees;
  std::vector<Fact> facts;
  Cost root_lower = 0;        // lower bound for the whole table, from outside
  std::vector<Fact> learned;  // filled at the end of the search
};

}  // namespace treeproof::sparse
