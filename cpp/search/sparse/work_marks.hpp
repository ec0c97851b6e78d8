// Marks for the subproblems that some thread is working on. Threads that share a memo take
// different paths through the same search: a thread that reaches a marked child postpones that
// split and tries the next one, and works on the child too only if nothing else is left. (Weill's
// ABDADA, 1996, does the same for game trees.) Marks only influence the order, so that two
// subproblems may share a mark, and no thread ever waits for one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/key.hpp"

namespace treeproof::sparse {

class WorkMarks {
 public:
  bool busy(const Key& key) const { return slot(key).load(std::memory_order_relaxed) != 0; }

  // Sets a mark during its lifetime; does nothing if there are no marks (null).
  class Mark {
   public:
    Mark(WorkMarks* marks, const Key& key) : slot_(marks == nullptr ? nullptr : &marks->slot(key)) {
      if (slot_ != nullptr) slot_->fetch_add(1, std::memory_order_relaxed);
    }
    ~Mark() {
      if (slot_ != nullptr) slot_->fetch_sub(1, std::memory_order_relaxed);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    std::atomic<std::uint16_t>* slot_;
  };

 private:
  static constexpr std::size_t kSlots = 1 << 13;

  std::atomic<std::uint16_t>& slot(const Key& key) { return slots_[key.high % kSlots]; }
  const std::atomic<std::uint16_t>& slot(const Key& key) const { return slots_[key.high % kSlots]; }

  std::array<std::atomic<std::uint16_t>, kSlots> slots_{};
};

}  // namespace treeproof::sparse
