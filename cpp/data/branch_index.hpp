// Numbers branches: a set of literals gets the next free number when it is first seen, whatever the
// order of its literals.
//
// The hash of a set is the sum of one random number per literal, so that a child's hash is
// its parent's plus one term. Hashes only find candidates: two sets are the same branch
// when their sorted literals are equal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/block_pool.hpp"

namespace treeproof {

using BranchId = std::uint32_t;
inline constexpr BranchId kNoBranch = ~BranchId{0};

class BranchIndex {
 public:
  // Number 0 is the root, the branch without literals.
  explicit BranchIndex(std::uint32_t n_literals);

  BranchId size() const { return size_; }
  std::span<const std::uint32_t> literals(BranchId id) const {
    const Key& key = chunks_[id / kChunk][id % kChunk];
    return {key.sorted, key.length};
  }
  std::int32_t depth(BranchId id) const {
    return static_cast<std::int32_t>(chunks_[id / kChunk][id % kChunk].length);
  }

  std::uint64_t hash(BranchId id) const;
  std::uint64_t hash_with(std::uint64_t parent_hash, std::uint32_t literal) const {
    return parent_hash + random_[literal];
  }
  // Prefetches the slot that `find` will read for a branch with this hash.
  void prefetch(std::uint64_t child_hash) const {
    __builtin_prefetch(&slots_[child_hash & (slots_.size() - 1)]);
  }
  // The number of the branch `parent` with one more literal; kNoBranch if it has none yet.
  BranchId find(std::uint64_t child_hash, BranchId parent, std::uint32_t literal) const;
  // Gives the branch the number `size()`; it must not have a number yet.
  BranchId insert(std::uint64_t child_hash, BranchId parent, std::uint32_t literal);

  std::uint64_t bytes() const;
  // The maximum number of bytes that the next `n` insertions (less than a chunk) can add.
  std::uint64_t bytes_to_grow(std::size_t n) const;

 private:
  struct Key {
    const std::uint32_t* sorted;
    std::size_t length;
  };
  static constexpr BranchId kChunk = 1024;

  BranchId append(Key key);
  void grow();

  std::vector<std::uint64_t> random_;  // one number per literal
  std::vector<std::unique_ptr<Key[]>> chunks_;
  BranchId size_ = 0;
  // Open addressing; a slot holds the upper half of the hash and the branch's number + 1.
  std::vector<std::uint64_t> slots_;
  BlockPool<std::uint32_t> sorted_;
};

}  // namespace treeproof
