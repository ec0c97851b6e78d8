// An allocator for small arrays of plain values, with one free list for each size.
//
// Best-first searches keep millions of short arrays (heaps, keys) that never grow and are freed in
// no particular order. The pool takes them from large chunks, rounds their sizes up to a multiple
// of four, and keeps one free list for each size. There is no overhead for headers, and the memory
// of closed nodes is reused for new ones. The pool knows how many bytes it holds, which a memory
// limit needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace treeproof {

template <class T>
class BlockPool {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(4 * sizeof(T) >= sizeof(void*));

 public:
  // Uninitialised memory for `n` values; null if n is zero.
  T* allocate(std::size_t n) {
    if (n == 0) return nullptr;
    const std::size_t units = units_for(n);
    if (units < free_.size() && free_[units] != nullptr) {
      T* block = free_[units];
      std::memcpy(&free_[units], static_cast<const void*>(block), sizeof(T*));
      return block;
    }
    const std::size_t size = units * kUnit;
    if (size > left_) {
      const std::size_t chunk = std::max(kChunk, size);
      chunks_.push_back(std::make_unique_for_overwrite<T[]>(chunk));
      bytes_ += chunk * sizeof(T);
      next_ = chunks_.back().get();
      left_ = chunk;
    }
    T* block = next_;
    next_ += size;
    left_ -= size;
    return block;
  }

  // `n` must be the number that was passed to `allocate`.
  void release(T* block, std::size_t n) {
    if (block == nullptr) return;
    const std::size_t units = units_for(n);
    if (units >= free_.size()) free_.resize(units + 1, nullptr);
    std::memcpy(static_cast<void*>(block), &free_[units], sizeof(T*));
    free_[units] = block;
  }

  std::uint64_t bytes() const { return bytes_; }
  static constexpr std::uint64_t chunk_bytes() { return kChunk * sizeof(T); }

 private:
  static constexpr std::size_t kUnit = 4;
  static constexpr std::size_t kChunk = (std::size_t{1} << 16) / sizeof(T);

  static std::size_t units_for(std::size_t n) { return (n + kUnit - 1) / kUnit; }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<T*> free_;  // for each size: a list linked through the free blocks
  T* next_ = nullptr;
  std::size_t left_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace treeproof
