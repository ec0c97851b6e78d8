#include "data/branch_index.hpp"

#include <algorithm>
#include <new>
#include <random>

namespace treeproof {
namespace {

constexpr std::uint64_t kLowHalf = 0xffffffffULL;

// Is `child` the sorted list `parent` with `literal` added?
bool is_child(std::span<const std::uint32_t> child, std::span<const std::uint32_t> parent,
              std::uint32_t literal) {
  if (child.size() != parent.size() + 1) return false;
  std::size_t i = 0;
  while (i < parent.size() && parent[i] < literal) {
    if (child[i] != parent[i]) return false;
    ++i;
  }
  if (child[i] != literal) return false;
  for (; i < parent.size(); ++i)
    if (child[i + 1] != parent[i]) return false;
  return true;
}

}  // namespace

BranchIndex::BranchIndex(std::uint32_t n_literals) : random_(n_literals), slots_(1024, 0) {
  std::mt19937_64 generator(20240611);
  for (std::uint64_t& number : random_) number = generator();
  append({nullptr, 0});
}

std::uint64_t BranchIndex::hash(BranchId id) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t l : literals(id)) sum += random_[l];
  return sum;
}

BranchId BranchIndex::find(std::uint64_t child_hash, BranchId parent, std::uint32_t literal) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = child_hash & mask; slots_[s] != 0; s = (s + 1) & mask) {
    if ((slots_[s] ^ child_hash) >> 32 != 0) continue;
    const auto id = static_cast<BranchId>((slots_[s] & kLowHalf) - 1);
    if (is_child(literals(id), literals(parent), literal)) return id;
  }
  return kNoBranch;
}

BranchId BranchIndex::append(Key key) {
  if (size_ == kNoBranch - 1) throw std::bad_alloc();
  if (size_ % kChunk == 0) chunks_.push_back(std::make_unique_for_overwrite<Key[]>(kChunk));
  chunks_.back()[size_ % kChunk] = key;
  return size_++;
}

BranchId BranchIndex::insert(std::uint64_t child_hash, BranchId parent, std::uint32_t literal) {
  if (2 * static_cast<std::size_t>(size_) >= slots_.size()) grow();
  const std::span<const std::uint32_t> old = literals(parent);
  std::uint32_t* sorted = sorted_.allocate(old.size() + 1);
  const auto place = std::ranges::lower_bound(old, literal) - old.begin();
  std::copy(old.begin(), old.begin() + place, sorted);
  sorted[place] = literal;
  std::copy(old.begin() + place, old.end(), sorted + place + 1);
  const BranchId id = append({sorted, old.size() + 1});
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = child_hash & mask;
  while (slots_[s] != 0) s = (s + 1) & mask;
  slots_[s] = (child_hash & ~kLowHalf) | (id + std::uint64_t{1});
  return id;
}

void BranchIndex::grow() {
  std::vector<std::uint64_t> larger(2 * slots_.size(), 0);
  const std::size_t mask = larger.size() - 1;
  for (const std::uint64_t slot : slots_) {
    if (slot == 0) continue;
    std::size_t s = hash(static_cast<BranchId>((slot & kLowHalf) - 1)) & mask;
    while (larger[s] != 0) s = (s + 1) & mask;
    larger[s] = slot;
  }
  slots_ = std::move(larger);
}

std::uint64_t BranchIndex::bytes() const {
  return sorted_.bytes() + chunks_.size() * kChunk * sizeof(Key) +
         slots_.size() * sizeof(slots_[0]) + random_.size() * sizeof(random_[0]);
}

std::uint64_t BranchIndex::bytes_to_grow(std::size_t n) const {
  const bool full = 2 * (size_ + n) >= slots_.size();
  return (full ? 2 * slots_.size() * sizeof(slots_[0]) : 0) + kChunk * sizeof(Key) +
         sorted_.chunk_bytes();
}

}  // namespace treeproof
