#include "stream/branch_memo.hpp"

#include <algorithm>
#include <numeric>

namespace treeproof::stream {

template <class Same>
std::int32_t BranchMemo::find_hash(std::uint64_t hash, Same same) const {
  if (slots_.empty()) return kAbsent;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = hash & mask; slots_[s] != kEmpty; s = (s + 1) & mask) {
    const Branch& branch = nodes_[slots_[s]].branch;
    if (branch.hash() == hash && same(branch)) return static_cast<std::int32_t>(slots_[s]);
  }
  return kAbsent;
}

std::int32_t BranchMemo::find(const Branch& branch) const {
  return find_hash(branch.hash(), [&](const Branch& other) { return other == branch; });
}

std::int32_t BranchMemo::find_child(const Branch& parent, const Literal& literal) const {
  return find_hash(parent.hash_with(literal), [&](const Branch& other) {
    const Literal* own = other.on(literal.column);
    if (own == nullptr || *own != literal) return false;
    if (other.depth() != parent.depth() + (parent.on(literal.column) == nullptr)) return false;
    return std::ranges::all_of(parent.literals(), [&](const Literal& l) {
      if (l.column == literal.column) return true;
      const Literal* theirs = other.on(l.column);
      return theirs != nullptr && *theirs == l;
    });
  });
}

std::int32_t BranchMemo::add(BranchNode node) {
  if (nodes_.size() * 2 + 2 > slots_.size()) rebuild(std::max<std::size_t>(64, slots_.size() * 2));
  insert_slot(node.branch.hash(), static_cast<std::uint32_t>(nodes_.size()));
  bytes_ += node.bytes();
  nodes_.push_back(std::move(node));
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

void BranchMemo::clear() {
  nodes_.clear();
  slots_.clear();
  nodes_.shrink_to_fit();
  slots_.shrink_to_fit();
  bytes_ = 0;
}

void BranchMemo::insert_slot(std::uint64_t hash, std::uint32_t node) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = hash & mask;
  while (slots_[s] != kEmpty) s = (s + 1) & mask;
  slots_[s] = node;
}

void BranchMemo::rebuild(std::size_t n_slots) {
  slots_.assign(n_slots, kEmpty);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    insert_slot(nodes_[i].branch.hash(), static_cast<std::uint32_t>(i));
}

void BranchMemo::evict(std::size_t limit) {
  std::vector<std::uint32_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return nodes_[a].support > nodes_[b].support;
  });
  std::size_t used = 0;
  std::vector<BranchNode> kept;
  for (const std::uint32_t i : order) {
    const std::size_t size = nodes_[i].bytes();
    if (nodes_[i].branch.depth() > 0 && used + size > limit) {
      ++evicted_;
      continue;
    }
    used += size;
    kept.push_back(std::move(nodes_[i]));
  }
  nodes_ = std::move(kept);
  bytes_ = used;
  std::size_t n_slots = 64;
  while (n_slots < nodes_.size() * 2 + 2) n_slots *= 2;
  rebuild(n_slots);
}

}  // namespace treeproof::stream
