// What containers occupy.
#pragma once

#include <cstdint>
#include <vector>

namespace treeproof {

template <class... T>
std::uint64_t capacity_bytes(const std::vector<T>&... vectors) {
  return (std::uint64_t{0} + ... + (vectors.capacity() * sizeof(T)));
}

// Hands memory that was freed back to the system, where the allocator would keep it.
void give_back_memory();

}  // namespace treeproof
