// What containers occupy, and what the machine has.
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

// Bytes of the machine's memory; 0 if it does not say.
std::uint64_t physical_memory();

}  // namespace treeproof
