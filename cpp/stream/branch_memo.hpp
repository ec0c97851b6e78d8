// The memo of Online-BRANCHES: the bounds and splits of each branch that was expanded.
//
// Branches are found by their literals (Section 4.3 of Chaouki's thesis), through an
// open-addressing table of their hashes; nodes never hold pointers to each other, so that
// entries can be evicted at any time: a branch that is gone is simply estimated afresh from
// the window when the search comes back to it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "stream/schema.hpp"

namespace treeproof::stream {

// One split of a branch: a lower bound on its cost, and the cost of the best tree found below it;
// both include the split itself.
struct Action {
  Cost lower = 0;
  Cost upper = 0;
  Split split;
  bool complete = false;  // lower is the cost of a known tree

  template <class Archive>
  void archive(Archive& a) {
    a(lower, upper, split, complete);
  }
};

struct BranchNode {
  Branch branch;
  Cost support = 0;  // weight of its rows
  Cost leaf = 0;     // weight that a leaf here would get wrong
  Cost lower = 0;
  Cost upper = 0;
  Split best;  // the root of the best tree found; none: a leaf
  bool complete = false;
  std::vector<Action> actions;  // a heap, the least lower bound on top

  std::size_t bytes() const {
    return sizeof(BranchNode) + actions.capacity() * sizeof(Action) +
           branch.literals().capacity() * sizeof(Literal);
  }

  template <class Archive>
  void archive(Archive& a) {
    a(branch, support, leaf, lower, upper, best, complete, actions);
  }
};

class BranchMemo {
 public:
  static constexpr std::int32_t kAbsent = -1;

  // Entries are numbered; numbers hold until the next eviction.
  std::int32_t find(const Branch& branch) const;
  // The entry of parent.with(literal), without making that branch.
  std::int32_t find_child(const Branch& parent, const Literal& literal) const;
  std::int32_t add(BranchNode node);  // the branch must not be there yet
  BranchNode& operator[](std::int32_t node) { return nodes_[static_cast<std::size_t>(node)]; }
  const BranchNode& operator[](std::int32_t node) const {
    return nodes_[static_cast<std::size_t>(node)];
  }

  void clear();
  std::size_t size() const { return nodes_.size(); }
  std::size_t bytes() const { return bytes_ + slots_.capacity() * sizeof(std::uint32_t); }
  // Must be called when the memory of an entry has changed.
  void account(std::size_t before, std::size_t after) { bytes_ += after - before; }

  // Drops entries, the smallest supports first, until at most `limit` bytes are used; the
  // root stays.
  void evict(std::size_t limit);
  std::int64_t evicted() const { return evicted_; }

  template <class Archive>
  void archive(Archive& a) {
    a(nodes_, slots_, bytes_, evicted_);
  }

 private:
  template <class Same>
  std::int32_t find_hash(std::uint64_t hash, Same same) const;
  void insert_slot(std::uint64_t hash, std::uint32_t node);
  void rebuild(std::size_t n_slots);

  static constexpr std::uint32_t kEmpty = 0xffffffffU;
  std::vector<BranchNode> nodes_;
  std::vector<std::uint32_t> slots_;  // a power of two; node numbers
  std::size_t bytes_ = 0;
  std::int64_t evicted_ = 0;
};

}  // namespace treeproof::stream
