// The state and the steps of one BRANCHES search; `solve.cpp` has the loop, `search.cpp`
// the steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/events.hpp"
#include "core/limits.hpp"
#include "search/branches/graph.hpp"
#include "search/branches/splitter.hpp"
#include "search/memo.hpp"
#include "search/result.hpp"

namespace treeproof::branches {

class Search {
 public:
  Search(Splitter& splitter, Limits& limits, Counters& counters);

  // One iteration: select, expand, backpropagate. All bounds stay valid if a limit is reached on
  // the way.
  void iterate();

  const Node& root() const { return graph_[0]; }
  BranchId n_branches() const { return graph_.index().size(); }
  std::uint64_t bytes() const {
    return splitter_.bits().bytes() + graph_.bytes() + children_.capacity() * sizeof(Child) +
           actions_.capacity() * sizeof(Action);
  }
  std::uint64_t bytes_to_grow() const {
    return graph_.bytes_to_grow(splitter_.problem().tests.size());
  }
  // The tree of the greedy policy: the best one found so far.
  TreeDraft incumbent() { return draft(0); }

  // Ends the search and frees the heaps; only the bounds can be used afterwards.
  void give_up_heaps() { graph_.forget_heaps(); }
  // Calls visit(literals, weight, bounds) for every branch about which more is known than
  // its counts say.
  template <class Visit>
  void for_each_bound(const Visit& visit) const {
    for (BranchId id = 0; id < graph_.index().size(); ++id) {
      const Node& node = graph_[id];
      if (!node.expanded) continue;
      visit(graph_.index().literals(id), node.weight,
            Bounds{node.lower, node.upper, node.greedy_test});
    }
  }

 private:
  struct Child {
    std::int32_t outcome = 0;
    Evaluation value = {};
    BranchId node = kNoBranch;  // kNoBranch: not in the graph (or complete as it stands)
  };
  struct Candidate {
    std::int32_t test;
    std::size_t end;  // of its children in `children_`
  };

  static Node fresh_node(const Evaluation& value);
  BranchId select();
  void expand(BranchId id);
  void load_rows(BranchId id);
  bool split_by_all(BranchId id);
  bool split(BranchId id, std::int32_t test);
  void recall(BranchId id, std::int32_t test, std::span<Child> children);
  std::uint64_t child_hash(std::int32_t test, std::int32_t outcome) const {
    return graph_.index().hash_with(hash_, splitter_.bits().literal(test, outcome));
  }
  void open_top(BranchId id);
  void expand_sibling(BranchId parent);
  void backpropagate();
  bool is_stale(BranchId id);
  void refresh_top(BranchId id);
  void settle(BranchId id);
  TreeDraft draft(BranchId id);

  Splitter& splitter_;
  Limits& limits_;
  Cost split_cost_;
  bool all_two_way_;
  Graph graph_;
  Counters& counters_;

  std::vector<BranchId> path_;

  // Scratch of the branch whose rows are loaded.
  BranchId loaded_ = kNoBranch;
  RowSet rows_;
  Counts whole_;
  std::uint64_t hash_ = 0;
  std::vector<Child> children_;
  std::vector<Candidate> candidates_;
  std::vector<Action> actions_;
  std::vector<std::uint32_t> refreshed_;
};

}  // namespace treeproof::branches
