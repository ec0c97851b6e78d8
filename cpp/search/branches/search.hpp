// The state and the steps of one BRANCHES search; `solve.cpp` has the loop, `search.cpp`
// the steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/literal_bits.hpp"
#include "search/branches/memo.hpp"
#include "search/result.hpp"

namespace treeproof::branches {

struct Counters {
  std::int64_t iterations = 0;
  std::int64_t expansions = 0;
  std::int64_t evaluations = 0;  // child branches whose rows were counted
  std::int64_t purified = 0;     // of these, closed by the purification bound at once
  std::int64_t memo_hits = 0;    // of these, known to the memo with better values
  std::int64_t refreshes = 0;    // actions brought up to date while backpropagating
  std::int64_t longest_path = 0;
};

class Search {
 public:
  Search(const Problem& problem, const TreeLimits& tree_limits, LiteralBits bits,
         Limits& limits);

  // One iteration: select, expand, backpropagate. A limit hit on the way leaves all bounds
  // true.
  void iterate();

  const Node& root() const { return memo_[0]; }
  const Counters& counters() const { return counters_; }
  BranchId n_branches() const { return memo_.index().size(); }
  std::uint64_t bytes() const {
    return bits_.bytes() + memo_.bytes() + children_.capacity() * sizeof(Child) +
           actions_.capacity() * sizeof(Action);
  }
  std::uint64_t bytes_to_grow() const { return memo_.bytes_to_grow(problem_.tests.size()); }
  // The tree of the greedy policy: the best one found so far.
  TreeDraft incumbent() { return draft(0); }

 private:
  // What Proposition 4.2 says of a branch from its counts alone.
  struct Evaluation {
    Cost leaf = 0;
    Cost lower = 0;
    Weight weight = 0;
    bool complete = false;
    bool purified = false;  // complete because a leaf costs no more than one split
  };
  struct Child {
    BranchId node = kNoBranch;  // kNoBranch: not in the memo (or complete as it stands)
    std::int32_t outcome = 0;
    Evaluation value;
  };
  struct Candidate {
    std::int32_t test;
    std::size_t end;  // of its children in `children_`
  };

  Evaluation evaluate(const Weight* by_class, std::int64_t samples, std::int32_t depth) const;
  static Node fresh_node(const Evaluation& value);
  BranchId select();
  void expand(BranchId id);
  void load_rows(BranchId id);
  bool split_by_all(BranchId id);
  bool split(BranchId id, std::int32_t test);
  void recall(BranchId id, std::int32_t test, std::span<Child> children);
  std::uint64_t child_hash(std::int32_t test, std::int32_t outcome) const {
    return memo_.index().hash_with(hash_, bits_.literal(test, outcome));
  }
  void open_top(BranchId id);
  void expand_sibling(BranchId parent);
  void backpropagate();
  bool is_stale(BranchId id);
  void refresh_top(BranchId id);
  void settle(BranchId id);
  TreeDraft draft(BranchId id);

  const Problem& problem_;
  Limits& limits_;
  Cost split_cost_;
  std::int32_t max_depth_;
  std::int64_t min_samples_;
  std::int32_t n_tests_;
  bool all_two_way_;
  LiteralBits bits_;
  Memo memo_;
  Counters counters_;

  std::vector<BranchId> path_;

  // Scratch of the branch whose rows are loaded.
  BranchId loaded_ = kNoBranch;
  RowSet rows_;
  Counts whole_;
  Counts outcomes_;
  std::uint64_t hash_ = 0;
  std::vector<Child> children_;
  std::vector<Candidate> candidates_;
  std::vector<Action> actions_;
  std::vector<std::uint32_t> refreshed_;
};

}  // namespace treeproof::branches
