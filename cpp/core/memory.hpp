// The memory that containers occupy, and the memory of the machine.
#pragma once

#include <cstdint>
#include <vector>

namespace treeproof {

template <class... T>
std::uint64_t capacity_bytes(const std::vector<T>&... vectors) {
  return (std::uint64_t{0} + ... + (vectors.capacity() * sizeof(T)));
}

// Returns freed memory to the operating system, which the allocator would otherwise keep.
void give_back_memory();

// The physical memory in bytes; 0 if it is unknown.
std::uint64_t physical_memory();

}  // namespace treeproof
