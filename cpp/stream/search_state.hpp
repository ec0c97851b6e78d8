// The graph the Monte Carlo searches walk: its nodes are whole decision trees (the MDP of
// DT-Miner, thesis Section 3.2.3), its edges single splits.
//
// A tree is identified by the set of its inner nodes (branch, split), so that trees reached
// by different orders of the same splits are one state with one visit count and one value.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/branch_statistics.hpp"
#include "stream/schema.hpp"

namespace treeproof::stream {

struct Edge {
  std::int32_t leaf = -1;  // the statistics of the leaf that is split
  Split split;
  std::int32_t state = -1;  // where it leads

  template <class Archive>
  void archive(Archive& a) {
    a(leaf, split, state);
  }
};

struct State {
  std::uint64_t hash = 0;
  std::int64_t visits = 1;       // v(T), beginning at one as in Algorithm 2
  std::int64_t stop_visits = 1;  // v of the absorbing state behind it
  Estimate value;                // of the best continuation, split penalties included
  double proposal = 0.0;         // the same over trees that were tried, never hoped-for ones
  std::int64_t last_visit = 0;   // the simulation that last passed here
  std::vector<Edge> edges;       // to trees that were tried

  std::size_t bytes() const { return sizeof(State) + edges.capacity() * sizeof(Edge) + 48; }

  template <class Archive>
  void archive(Archive& a) {
    a(hash, visits, stop_visits, value, proposal, last_visit, edges);
  }
};

}  // namespace treeproof::stream
