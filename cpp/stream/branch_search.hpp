// The search of Online-BRANCHES: BRANCHES (thesis, Chapter 4) over a sliding window
// (Chapter 7), one iteration at a time.
//
// An iteration selects: from the root, the split with the least lower bound, and below it
// the open child whose best known tree has the least value, down to a branch that was never
// expanded; expands it, which prices all of its splits from one count table; and propagates
// the new bounds up the path. Every number on the path is taken from the window as it is
// now, so estimates follow the stream where the search goes; elsewhere they rest, as in the
// thesis. The memo and the pruning are those of the batch algorithm, in terms of cost: a
// leaf costs its errors, a split costs the penalty and its children's costs.
//
// The lower bound of a branch never expanded is min(errors, penalty), the purification
// bound (Proposition 7): a tree there is a leaf, or pays for at least one split.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "stream/branch_memo.hpp"
#include "stream/stream_tree.hpp"
#include "stream/window.hpp"

namespace treeproof::stream {

struct SearchCounters {
  std::int64_t iterations = 0;
  std::int64_t expansions = 0;
  std::int64_t closed_by_purification = 0;  // branches complete without expansion
  std::int64_t pruned_splits = 0;           // splits that cannot beat the leaf
  std::int64_t memo_hits = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(iterations, expansions, closed_by_purification, pruned_splits, memo_hits);
  }
};

class BranchSearch {
 public:
  explicit BranchSearch(double split_penalty = 0.0, std::size_t memory_limit = 0)
      : split_penalty_(split_penalty), memory_limit_(memory_limit) {}

  // Starts a new search on the rows in slots 0 .. rows - 1.
  void start(const Window& window, std::int32_t rows);

  // One iteration; returns whether the best tree may have changed.
  bool step(const Window& window);

  bool complete() const { return complete_; }
  // The cost of the best tree, the bound of the root, and their unit: the cost that 1.0 stands for.
  Cost upper() const { return memo_[root_].upper; }
  Cost lower() const { return memo_[root_].lower; }
  Cost unit() const { return total_; }

  StreamTreeDraft best_tree(const Window& window) const;

  const SearchCounters& counters() const { return counters_; }
  std::size_t bytes() const { return memo_.bytes(); }
  std::size_t branches() const { return memo_.size(); }
  std::int64_t evicted() const { return memo_.evicted(); }

  template <class Archive>
  void archive(Archive& a) {
    a(split_penalty_, memory_limit_, rows_, root_, complete_, total_, split_cost_, memo_,
      counters_);
  }

 private:
  struct Child {
    Literal literal;
    Cost support = 0;
    Cost lower = 0;
    Cost upper = 0;
    bool complete = false;
  };

  void weigh_root(const Window& window, const Bits& support);
  Child child_of(const BranchNode& parent, const Literal& literal, Cost support, Cost errors);
  void children_of(const Window& window, const BranchNode& node, const Split& split,
                   const Bits& support, std::vector<Child>& out);
  std::int32_t expand(const Window& window, const Branch& branch, const Bits& support);
  void price(BranchNode& node, const Split& split, const std::vector<Child>& children);
  bool propagate(const Window& window, std::int32_t node, const Bits& support);
  void conclude(BranchNode& node);
  StreamTreeDraft draft(const Window& window, const Branch& branch, const Bits& support) const;

  double split_penalty_;
  std::size_t memory_limit_;
  std::int32_t rows_ = 0;
  std::int32_t root_ = 0;
  bool complete_ = false;
  Cost total_ = 0;       // weight of the rows searched
  Cost split_cost_ = 0;  // the penalty in the same unit
  BranchMemo memo_;
  SearchCounters counters_;

  // Scratch space, kept between iterations.
  std::vector<Bits> supports_;
  std::vector<Cost> weights_;
  std::vector<Child> children_;
  std::vector<Literal> outcomes_;
};

}  // namespace treeproof::stream
