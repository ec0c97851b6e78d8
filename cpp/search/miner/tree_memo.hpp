// The memo of DT-Miner: one state for each tree that is worth exploring.
//
// A tree is the set of its leaves, whatever the order of the splits that made it. Its hash
// is a sum over the leaves; two trees are the same when their sorted leaves are equal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/block_pool.hpp"
#include "core/cost.hpp"
#include "core/split_mix.hpp"
#include "data/branch_index.hpp"

namespace treeproof::miner {

using TreeId = std::uint32_t;
inline constexpr TreeId kNoTree = ~TreeId{0};

// One split of a tree, and a lower bound for all trees that can follow from it. The resulting tree
// is built and looked up in the memo only when the split is the best one of its parent; until then,
// the leaf and the number of the split identify it.
struct Successor {
  Cost lower;
  std::uint32_t where;  // the tree, or the position of the leaf that is split
  std::uint32_t split;  // kBuilt, or the number of the leaf's split

  static constexpr std::uint32_t kBuilt = ~std::uint32_t{0};
};
static_assert(sizeof(Successor) == 16);

struct TreeState {
  Cost lower;     // no tree reached from this one costs less, unless the best tree does
  Cost bound;     // the same from the leaves alone (Proposition 4)
  Cost terminal;  // cost of this tree as it stands
  std::uint64_t hash = 0;
  const BranchId* leaves = nullptr;  // sorted
  Successor* heap = nullptr;
  std::uint32_t n_leaves = 0;
  std::uint32_t n_heap = 0;
  std::uint32_t n_allocated = 0;
  std::int32_t n_splits = 0;
  TreeId parent = kNoTree;  // how the tree was first reached
  BranchId split_leaf = kNoBranch;
  std::uint32_t split_number = 0;
};

class TreeMemo {
 public:
  TreeMemo();

  TreeId size() const { return size_; }
  TreeState& operator[](TreeId id) { return chunks_[id / kChunk][id % kChunk]; }
  const TreeState& operator[](TreeId id) const { return chunks_[id / kChunk][id % kChunk]; }
  std::span<const BranchId> leaves(TreeId id) const {
    return {(*this)[id].leaves, (*this)[id].n_leaves};
  }

  static std::uint64_t hash_of(BranchId leaf) { return split_mix(leaf); }
  TreeId find(std::uint64_t hash, std::span<const BranchId> sorted_leaves) const;
  // Adds a tree that is not there; `hash`, `leaves` and `n_leaves` are filled in.
  TreeId insert(std::uint64_t hash, std::span<const BranchId> sorted_leaves,
                const TreeState& state);

  // Gives a tree its successors.
  void queue(TreeState& state, std::span<const Successor> successors);
  // Drops the best successor, or puts another in its place.
  void pop(TreeState& state);
  void replace_top(TreeState& state, const Successor& successor);

  std::uint64_t bytes() const;
  // What one iteration may add at their worst.
  std::uint64_t bytes_to_grow() const;

 private:
  static constexpr TreeId kChunk = 512;

  void grow();

  std::vector<std::unique_ptr<TreeState[]>> chunks_;
  TreeId size_ = 0;
  // Open addressing; a slot holds the upper half of the hash and the tree's number + 1.
  std::vector<std::uint64_t> slots_;
  BlockPool<BranchId> leaves_;
  BlockPool<Successor> heaps_;
};

}  // namespace treeproof::miner
