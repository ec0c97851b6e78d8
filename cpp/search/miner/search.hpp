// The state and the steps of one DT-Miner search; `solve.cpp` has the loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "search/miner/branch_book.hpp"
#include "search/miner/tree_memo.hpp"
#include "tree/tree.hpp"

namespace treeproof::miner {

struct Counters {
  std::int64_t iterations = 0;
  std::int64_t successors = 0;  // trees whose bound was computed
  std::int64_t pruned = 0;      // of these, no better than the incumbent
  std::int64_t memo_hits = 0;   // chosen trees that another order of splits had built
  std::int64_t longest_path = 0;
};

class Search {
 public:
  Search(const Problem& problem, const TreeLimits& tree_limits, LiteralBits bits, Limits& limits);

  // One iteration: select, expand, backpropagate. All bounds stay valid if a limit is reached on
  // the way.
  void iterate();

  bool complete() const { return lower() == upper_; }
  Cost lower() const { return std::min(memo_[0].lower, upper_); }
  Cost upper() const { return upper_; }
  const Counters& counters() const { return counters_; }
  const BranchBook& book() const { return book_; }
  TreeId n_trees() const { return memo_.size(); }
  std::uint64_t bytes() const { return book_.bytes() + memo_.bytes(); }
  std::uint64_t bytes_to_grow() const { return book_.bytes_to_grow() + memo_.bytes_to_grow(); }
  TreeDraft incumbent();

 private:
  // A tree by the split that makes it from another one.
  struct Step {
    TreeId from = kNoTree;
    BranchId leaf = kNoBranch;
    std::uint32_t split = 0;
  };

  TreeState successor_of(TreeId id, const Step& step) const;
  void expand(TreeId id);
  bool step_down(TreeId id);
  bool build_top(TreeId id);
  void backpropagate();

  Limits& limits_;
  std::int32_t max_splits_;
  BranchBook book_;
  TreeMemo memo_;
  Cost upper_ = 0;
  Step best_;  // if it has no parent tree, the best tree is a leaf
  Counters counters_;
  std::vector<TreeId> path_;
  std::vector<BranchId> leaves_;
  std::vector<Successor> successors_;
};

}  // namespace treeproof::miner
