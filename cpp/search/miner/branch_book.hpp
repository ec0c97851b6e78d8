// The costs and splits of each branch in DT-Miner.
//
// The search moves between trees, but trees share their branches: whatever is counted for a branch
// is counted once and used for every tree that has it as a leaf.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/branch_index.hpp"
#include "data/literal_bits.hpp"

namespace treeproof::miner {

// One way to split a branch.
struct Split {
  std::int32_t test;
  std::uint32_t first_child;  // in the book's list of children
  std::int32_t n_children;
};

class BranchBook {
 public:
  BranchBook(const Problem& problem, const TreeLimits& tree_limits, LiteralBits bits,
             Limits& limits);

  Cost split_cost() const { return split_cost_; }
  Cost leaf(BranchId id) const { return records_[id].leaf; }
  // The purification bound: a branch costs its errors if it stays a leaf, and at least one
  // split otherwise.
  Cost bound(BranchId id) const { return records_[id].bound; }
  // Splitting a branch that is not open cannot pay off: its errors cost no more than a split, or no
  // split of it is allowed.
  bool open(BranchId id) const { return records_[id].bound < records_[id].leaf; }
  // Computes the splits of an open branch at the first call, and returns their number. A branch
  // without splits is no longer open. If a limit is reached meanwhile, nothing is stored.
  std::uint32_t work_out(BranchId id);
  const Split& split(BranchId id, std::uint32_t number) const {
    return splits_[records_[id].first_split + number];
  }
  std::span<const BranchId> children(const Split& split) const {
    return {children_.data() + split.first_child, static_cast<std::size_t>(split.n_children)};
  }
  // The outcome of a split's test that leads to one of its children.
  std::int32_t outcome(const Split& split, std::size_t child) const;

  BranchId size() const { return index_.size(); }
  std::uint64_t bytes() const;
  // The maximum number of bytes that computing the leaves of one tree can add, including lists that
  // are nearly full and have to be doubled.
  std::uint64_t bytes_to_grow() const;
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t purified() const { return purified_; }

 private:
  struct Record {
    Cost leaf;
    Cost bound;
    std::uint32_t first_split = 0;
    std::int32_t n_splits = -1;  // not worked out yet
  };

  Record evaluate(const Weight* by_class, std::int64_t samples, std::int32_t depth);
  void add_split(BranchId id, std::uint64_t hash, std::int32_t test);

  const Problem& problem_;
  Limits& limits_;
  Cost split_cost_;
  std::int32_t max_depth_;
  std::int64_t min_samples_;
  LiteralBits bits_;
  BranchIndex index_;
  std::vector<Record> records_;
  std::vector<Split> splits_;
  std::vector<BranchId> children_;
  std::vector<std::int32_t> outcomes_;  // beside `children_`
  std::int64_t evaluations_ = 0;
  std::int64_t purified_ = 0;

  RowSet rows_;
  Counts whole_;
  Counts counts_;
};

}  // namespace treeproof::miner
