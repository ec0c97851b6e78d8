#include "search/miner/tree_memo.hpp"

#include <algorithm>
#include <new>

namespace treeproof::miner {
namespace {

constexpr std::uint64_t kLowHalf = 0xffffffffULL;

// Least bound first; among equals a tree that was built already, to go deep at once; then
// the first split.
bool worse(const Successor& a, const Successor& b) {
  if (a.lower != b.lower) return a.lower > b.lower;
  const bool a_built = a.split == Successor::kBuilt;
  const bool b_built = b.split == Successor::kBuilt;
  if (a_built != b_built) return b_built;
  return a.where != b.where ? a.where > b.where : a.split > b.split;
}

}  // namespace

TreeMemo::TreeMemo() : slots_(1024, 0) {}

TreeId TreeMemo::find(std::uint64_t hash, std::span<const BranchId> sorted_leaves) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = hash & mask; slots_[s] != 0; s = (s + 1) & mask) {
    if ((slots_[s] ^ hash) >> 32 != 0) continue;
    const auto id = static_cast<TreeId>((slots_[s] & kLowHalf) - 1);
    if (std::ranges::equal(leaves(id), sorted_leaves)) return id;
  }
  return kNoTree;
}

TreeId TreeMemo::insert(std::uint64_t hash, std::span<const BranchId> sorted_leaves,
                        const TreeState& state) {
  if (size_ == kNoTree - 1) throw std::bad_alloc();
  if (2 * static_cast<std::size_t>(size_) >= slots_.size()) grow();
  BranchId* own = leaves_.allocate(sorted_leaves.size());
  std::ranges::copy(sorted_leaves, own);
  if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<TreeState[]>(kChunk));
  const TreeId id = size_++;
  (*this)[id] = state;
  (*this)[id].hash = hash;
  (*this)[id].leaves = own;
  (*this)[id].n_leaves = static_cast<std::uint32_t>(sorted_leaves.size());
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = hash & mask;
  while (slots_[s] != 0) s = (s + 1) & mask;
  slots_[s] = (hash & ~kLowHalf) | (id + std::uint64_t{1});
  return id;
}

void TreeMemo::grow() {
  std::vector<std::uint64_t> larger(2 * slots_.size(), 0);
  const std::size_t mask = larger.size() - 1;
  for (const std::uint64_t slot : slots_) {
    if (slot == 0) continue;
    std::size_t s = (*this)[static_cast<TreeId>((slot & kLowHalf) - 1)].hash & mask;
    while (larger[s] != 0) s = (s + 1) & mask;
    larger[s] = slot;
  }
  slots_ = std::move(larger);
}

void TreeMemo::queue(TreeState& state, std::span<const Successor> successors) {
  state.heap = heaps_.allocate(successors.size());
  state.n_heap = state.n_allocated = static_cast<std::uint32_t>(successors.size());
  std::ranges::copy(successors, state.heap);
  std::make_heap(state.heap, state.heap + state.n_heap, worse);
}

void TreeMemo::pop(TreeState& state) {
  std::pop_heap(state.heap, state.heap + state.n_heap, worse);
  if (--state.n_heap > 0) return;
  heaps_.release(state.heap, state.n_allocated);
  state.heap = nullptr;
  state.n_allocated = 0;
}

void TreeMemo::replace_top(TreeState& state, const Successor& successor) {
  std::pop_heap(state.heap, state.heap + state.n_heap, worse);
  state.heap[state.n_heap - 1] = successor;
  std::push_heap(state.heap, state.heap + state.n_heap, worse);
}

std::uint64_t TreeMemo::bytes() const {
  return leaves_.bytes() + heaps_.bytes() + chunks_.size() * kChunk * sizeof(TreeState) +
         slots_.size() * sizeof(slots_[0]);
}

std::uint64_t TreeMemo::bytes_to_grow() const {
  const bool full = 2 * static_cast<std::size_t>(size_) + 2 >= slots_.size();
  return (full ? 2 * slots_.size() * sizeof(slots_[0]) : 0) + kChunk * sizeof(TreeState) +
         leaves_.chunk_bytes() + heaps_.chunk_bytes();
}

}  // namespace treeproof::miner
