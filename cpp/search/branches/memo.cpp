#include "search/branches/memo.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace treeproof::branches {
namespace {

constexpr std::uint64_t kLowHalf = 0xffffffffULL;

// Is `node` the sorted list `parent` with `literal` added?
bool equal_with(const std::uint32_t* node, std::span<const std::uint32_t> parent,
                std::uint32_t literal) {
  std::size_t i = 0;
  while (i < parent.size() && parent[i] < literal) {
    if (node[i] != parent[i]) return false;
    ++i;
  }
  if (node[i] != literal) return false;
  for (; i < parent.size(); ++i)
    if (node[i + 1] != parent[i]) return false;
  return true;
}

}  // namespace

Memo::Memo(std::uint32_t n_literals) : keys_(n_literals), slots_(1024, 0) {
  std::mt19937_64 random(20240611);
  for (std::uint64_t& key : keys_) key = random();
}

std::uint64_t Memo::hash(std::span<const std::uint32_t> literals) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t l : literals) sum += keys_[l];
  return sum;
}

NodeId Memo::find(std::uint64_t child_hash, std::span<const std::uint32_t> parent,
                  std::uint32_t literal) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = child_hash & mask; slots_[s] != 0; s = (s + 1) & mask) {
    if ((slots_[s] ^ child_hash) >> 32 != 0) continue;
    const auto id = static_cast<NodeId>((slots_[s] & kLowHalf) - 1);
    const Node& node = (*this)[id];
    if (static_cast<std::size_t>(node.depth) == parent.size() + 1 &&
        equal_with(node.literals, parent, literal))
      return id;
  }
  return kNoNode;
}

NodeId Memo::append() {
  if (size_ == kNoNode - 1) throw std::length_error("too many branches for one search");
  if (size_ % kChunk == 0) chunks_.push_back(std::make_unique_for_overwrite<Node[]>(kChunk));
  return size_++;
}

NodeId Memo::insert_root() {
  const NodeId id = append();
  (*this)[id].literals = nullptr;
  (*this)[id].depth = 0;
  return id;
}

NodeId Memo::insert(std::uint64_t child_hash, std::span<const std::uint32_t> parent,
                    std::uint32_t literal) {
  if (2 * static_cast<std::size_t>(size_) >= slots_.size()) grow();
  std::uint32_t* sorted = sorted_literals_.allocate(parent.size() + 1);
  const auto place = std::ranges::lower_bound(parent, literal) - parent.begin();
  std::copy(parent.begin(), parent.begin() + place, sorted);
  sorted[place] = literal;
  std::copy(parent.begin() + place, parent.end(), sorted + place + 1);
  const NodeId id = append();
  (*this)[id].literals = sorted;
  (*this)[id].depth = static_cast<std::int32_t>(parent.size()) + 1;
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = child_hash & mask;
  while (slots_[s] != 0) s = (s + 1) & mask;
  slots_[s] = (child_hash & ~kLowHalf) | (id + std::uint64_t{1});
  return id;
}

void Memo::grow() {
  std::vector<std::uint64_t> larger(2 * slots_.size(), 0);
  const std::size_t mask = larger.size() - 1;
  for (const std::uint64_t slot : slots_) {
    if (slot == 0) continue;
    const auto id = static_cast<NodeId>((slot & kLowHalf) - 1);
    std::size_t s = hash(literals(id)) & mask;
    while (larger[s] != 0) s = (s + 1) & mask;
    larger[s] = slot;
  }
  slots_ = std::move(larger);
}

std::uint32_t Memo::open(std::int32_t test, std::int32_t n) {
  NodeId* children = children_.allocate(static_cast<std::size_t>(n));
  std::uint32_t number = free_record_;
  if (number == kNoNode) {
    number = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    free_record_ = records_[number].next_free;
  }
  records_[number] = {test, 0, 0, 0, children, n, kNoNode};
  return number;
}

void Memo::release_heap(Node& node) {
  for (std::uint32_t a = 0; a < node.n_actions; ++a) {
    if (!node.heap[a].open()) continue;
    OpenAction& record = records_[node.heap[a].record()];
    children_.release(record.incomplete, static_cast<std::size_t>(record.n_allocated));
    record.incomplete = nullptr;
    record.next_free = free_record_;
    free_record_ = node.heap[a].record();
  }
  actions_.release(node.heap, node.n_allocated);
  node.heap = nullptr;
  node.n_actions = 0;
  node.n_allocated = 0;
}

std::uint64_t Memo::bytes() const {
  return actions_.bytes() + sorted_literals_.bytes() + children_.bytes() +
         chunks_.size() * kChunk * sizeof(Node) + slots_.capacity() * sizeof(slots_[0]) +
         records_.capacity() * sizeof(OpenAction) + keys_.size() * sizeof(keys_[0]);
}

std::uint64_t Memo::bytes_to_grow() const {
  std::uint64_t more = std::uint64_t{1} << 18;  // a chunk of each kind
  if (2 * static_cast<std::size_t>(size_) + 64 >= slots_.size())
    more += 2 * slots_.size() * sizeof(slots_[0]);
  if (records_.size() + 64 >= records_.capacity())
    more += 2 * records_.capacity() * sizeof(OpenAction);
  return more;
}

}  // namespace treeproof::branches
