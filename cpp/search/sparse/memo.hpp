// What is known about every set of rows met so far: a lower and an upper bound on its
// optimal cost, and the test that gives the upper one. Without a depth limit the optimal
// subtree depends only on the rows; with one, the depth left is part of the key.
//
// A set-associative table: an entry lives in one bucket of 16. The table doubles when a
// bucket overflows, until the memory allowance is reached; then the entry with the fewest
// rows in the bucket, the cheapest to find again, makes room. Nothing is lost by that but
// time: bounds are only ever knowledge, never part of the search's state.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "search/sparse/layout.hpp"

namespace treeproof::sparse {

struct Bounds {
  Cost lower = 0;
  Cost upper = kInfiniteCost;
  std::int32_t test = -1;  // split of the tree that costs `upper`, -1: leaf or not known

  bool solved() const { return lower >= upper; }
};

class Memo {
 public:
  explicit Memo(std::uint64_t max_bytes);

  // Null where nothing is known. The pointer dies with the next `update`.
  const Bounds* find(const Key& key) const;

  // Joins new knowledge with what is there; returns the joined bounds.
  Bounds update(const Key& key, std::int64_t rows, const Bounds& news);

  std::int64_t size() const { return size_; }
  std::int64_t evictions() const { return evictions_; }
  bool full() const { return full_; }

  // Calls visit(key, rows, bounds) for every entry.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Entry& e : entries_)
      if (!(e.key == Key{})) visit(e.key, e.rows, e.bounds);
  }

 private:
  struct Entry {
    Key key;  // {0, 0}: free
    Bounds bounds;
    std::uint32_t rows = 0;
  };
  static constexpr std::size_t kBucket = 16;

  std::size_t bucket(const Key& key) const {
    return static_cast<std::size_t>(key.low & mask_) * kBucket;
  }
  void grow();

  std::vector<Entry> entries_;
  std::uint64_t mask_;
  std::uint64_t max_bytes_;
  std::int64_t size_ = 0;
  std::int64_t evictions_ = 0;
  bool full_ = false;
};

}  // namespace treeproof::sparse
