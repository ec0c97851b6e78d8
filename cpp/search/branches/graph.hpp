// The search graph of BRANCHES, its memo: one node for each branch that was ever chosen.
//
// The published program keeps every child it ever evaluated. Here a branch enters the graph
// only when an action that leads to it has come to the top of its parent's heap: before
// that its bounds are those of Proposition 4.2, which cost nothing to recompute, so the
// search behaves the same with a small part of the memory.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/block_pool.hpp"
#include "core/cost.hpp"
#include "data/branch_index.hpp"

namespace treeproof::branches {

// A split action in the heap of its branch. A closed action knows only its test; an open
// one has a record of its children.
struct Action {
  Cost lower;
  // Value (weight - cost, in whole units) of the children that are complete: among equal
  // bounds the larger goes first, and kAllComplete before everything.
  std::int32_t complete_value;
  std::uint32_t where;  // kOpen + number of the record, or the test

  static constexpr std::uint32_t kOpen = std::uint32_t{1} << 31;
  bool open() const { return (where & kOpen) != 0; }
  std::uint32_t record() const { return where & ~kOpen; }
};
inline constexpr std::int32_t kAllComplete = std::numeric_limits<std::int32_t>::max();
static_assert(sizeof(Action) == 16);

// The children of an open action: those still incomplete, and the sums of the others.
struct OpenAction {
  std::int32_t test;
  std::int32_t n_incomplete;
  Cost complete_cost;
  std::int64_t complete_weight;
  BranchId* incomplete;
  std::int32_t n_allocated;
  std::uint32_t next_free;
};

struct Node {
  Cost lower;  // no subtree of this branch costs less
  Cost upper;  // cost of the best subtree found: a leaf, or `greedy_test` at the top
  Cost leaf;
  Action* heap = nullptr;
  std::uint32_t n_actions = 0;
  std::uint32_t n_allocated = 0;
  std::int32_t greedy_test = -1;
  Weight weight;
  bool expanded = false;
  bool complete;
};

class Graph {
 public:
  explicit Graph(std::uint32_t n_literals) : index_(n_literals) {}

  BranchIndex& index() { return index_; }
  const BranchIndex& index() const { return index_; }
  Node& operator[](BranchId id) { return chunks_[id / kChunk][id % kChunk]; }
  const Node& operator[](BranchId id) const { return chunks_[id / kChunk][id % kChunk]; }
  // The node of the branch that `index()` numbered last.
  void append(const Node& node);

  std::int32_t test_of(const Action& action) const {
    return action.open() ? records_[action.record()].test : static_cast<std::int32_t>(action.where);
  }
  OpenAction& open_action(std::uint32_t number) { return records_[number]; }
  // Makes a record with room for `n` incomplete children.
  std::uint32_t open(std::int32_t test, std::int32_t n);
  Action* allocate_heap(std::size_t n) { return actions_.allocate(n); }
  // A complete branch is never visited again, so the memory of its heap is freed.
  void release_heap(Node& node);
  // Gives back all heaps; bounds and branches stay.
  void forget_heaps();

  std::uint64_t bytes() const;
  // The maximum number of bytes that one iteration can add: two branches expanded, all tests kept,
  // and some actions opened on the way back.
  std::uint64_t bytes_to_grow(std::size_t n_tests) const;

 private:
  static constexpr BranchId kChunk = 1024;
  static constexpr std::size_t kMostOpened = 512;  // maximum in one iteration, in practice

  BranchIndex index_;
  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::vector<OpenAction> records_;
  std::uint32_t free_record_ = kNoBranch;
  BlockPool<Action> actions_;
  BlockPool<BranchId> children_;
};

}  // namespace treeproof::branches
