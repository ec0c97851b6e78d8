#include "search/branches/graph.hpp"

#include <algorithm>

namespace treeproof::branches {

void Graph::append(const Node& node) {
  const BranchId id = index_.size() - 1;
  if (id % kChunk == 0) chunks_.push_back(std::make_unique<Node[]>(kChunk));
  chunks_.back()[id % kChunk] = node;
}

std::uint32_t Graph::open(std::int32_t test, std::int32_t n) {
  BranchId* children = children_.allocate(static_cast<std::size_t>(n));
  std::uint32_t number = free_record_;
  if (number == kNoBranch) {
    number = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  } else {
    free_record_ = records_[number].next_free;
  }
  records_[number] = {test, 0, 0, 0, children, n, kNoBranch};
  return number;
}

void Graph::release_heap(Node& node) {
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

void Graph::forget_heaps() {
  actions_ = {};
  children_ = {};
  records_ = {};
  free_record_ = kNoBranch;
}

std::uint64_t Graph::bytes() const {
  return index_.bytes() + actions_.bytes() + children_.bytes() +
         chunks_.size() * kChunk * sizeof(Node) + records_.capacity() * sizeof(OpenAction);
}

std::uint64_t Graph::bytes_to_grow(std::size_t n_tests) const {
  const bool full = records_.size() + kMostOpened >= records_.capacity();
  const std::uint64_t heap =
      std::max<std::uint64_t>(actions_.chunk_bytes(), (n_tests + 4) * sizeof(Action));
  return index_.bytes_to_grow(kMostOpened) + 2 * heap + children_.chunk_bytes() +
         kChunk * sizeof(Node) +
         (full ? (2 * records_.capacity() + kMostOpened) * sizeof(OpenAction) : 0);
}

}  // namespace treeproof::branches
