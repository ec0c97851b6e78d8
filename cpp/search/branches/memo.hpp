// The memo of BRANCHES: one node for each branch (set of literals) that was ever chosen.
//
// The published program keeps every child it ever evaluated. Here a branch enters the memo
// only when an action that leads to it has come to the top of its parent's heap: before
// that its bounds are those of Proposition 4.2, which cost nothing to recompute, so the
// search behaves the same with a small part of the memory. Branches are told apart by
// their sorted literals, not by a hash alone.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/block_pool.hpp"
#include "core/cost.hpp"

namespace treeproof::branches {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = ~NodeId{0};

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
  NodeId* incomplete;
  std::int32_t n_allocated;
  std::uint32_t next_free;
};

struct Node {
  Cost lower;  // no subtree of this branch costs less
  Cost upper;  // cost of the best subtree found: a leaf, or `greedy_test` at the top
  Cost leaf;
  Action* heap;
  const std::uint32_t* literals;  // sorted
  std::uint32_t n_actions;
  std::uint32_t n_allocated;
  std::int32_t depth;  // number of literals
  std::int32_t greedy_test;
  Weight weight;
  bool expanded;
  bool complete;
};

class Memo {
 public:
  explicit Memo(std::uint32_t n_literals);

  // Hash of a set of literals: a sum, so that a child's is its parent's plus one term.
  std::uint64_t hash(std::span<const std::uint32_t> literals) const;
  std::uint64_t hash_of(std::uint32_t literal) const { return keys_[literal]; }

  // The branch `parent` with one literal more; kNoNode where it is not known.
  NodeId find(std::uint64_t child_hash, std::span<const std::uint32_t> parent,
              std::uint32_t literal) const;
  // Tells the processor that `find` will be asked about a branch with this hash.
  void prefetch(std::uint64_t child_hash) const {
    __builtin_prefetch(&slots_[child_hash & (slots_.size() - 1)]);
  }
  // Adds it (it must not be there); its values are for the caller to fill in.
  NodeId insert(std::uint64_t child_hash, std::span<const std::uint32_t> parent,
                std::uint32_t literal);
  NodeId insert_root();

  Node& operator[](NodeId id) { return chunks_[id / kChunk][id % kChunk]; }
  const Node& operator[](NodeId id) const { return chunks_[id / kChunk][id % kChunk]; }
  std::span<const std::uint32_t> literals(NodeId id) const {
    return {(*this)[id].literals, static_cast<std::size_t>((*this)[id].depth)};
  }

  std::int32_t test_of(const Action& action) const {
    return action.open() ? records_[action.record()].test
                         : static_cast<std::int32_t>(action.where);
  }
  OpenAction& open_action(std::uint32_t number) { return records_[number]; }
  // Makes a record with room for `n` incomplete children.
  std::uint32_t open(std::int32_t test, std::int32_t n);
  Action* allocate_heap(std::size_t n) { return actions_.allocate(n); }
  // A complete branch is never descended into again: its heap is given back.
  void release_heap(Node& node);

  NodeId size() const { return size_; }
  std::uint64_t bytes() const;
  // What the next growth step of the table would add at its worst.
  std::uint64_t bytes_to_grow() const;

 private:
  static constexpr NodeId kChunk = 1024;

  NodeId append();
  void grow();

  std::vector<std::uint64_t> keys_;  // one random number per literal
  std::vector<std::unique_ptr<Node[]>> chunks_;
  NodeId size_ = 0;
  // Open addressing; a slot holds the upper half of the hash and the node's number + 1.
  std::vector<std::uint64_t> slots_;
  std::vector<OpenAction> records_;
  std::uint32_t free_record_ = kNoNode;
  BlockPool<Action> actions_;
  BlockPool<std::uint32_t> sorted_literals_;
  BlockPool<NodeId> children_;
};

}  // namespace treeproof::branches
