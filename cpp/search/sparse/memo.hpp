// What is known about every set of rows met so far: a lower and an upper bound on its
// optimal cost, and the test that gives the upper one. Without a depth limit the optimal
// subtree depends only on the rows; with one, the depth left is part of the key.
//
// The table is cut into shards by the key's upper half. Each shard has a lock of its own,
// held for the few nanoseconds of a look-up, so that threads share the memo and hardly ever
// meet; a memo used by one thread takes no locks. A shard is a set-associative table: an
// entry lives in one bucket of 16. The shard doubles when a bucket overflows, until its part
// of the memory allowance is reached; then the entry with the fewest rows in the bucket, the
// cheapest to find again, makes room. Nothing is lost by that but time: bounds are only ever
// knowledge, never part of the search's state.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cost.hpp"
#include "core/key.hpp"
#include "core/limits.hpp"

namespace treeproof::sparse {

struct Bounds {
  Cost lower = 0;
  Cost upper = kInfiniteCost;
  std::int32_t test = -1;  // split of the tree that costs `upper`, -1: leaf or not known
  bool of_deeper = false;  // `lower` is known of trees with one level more

  bool solved() const { return lower >= upper; }
};

// How much a memo may take under these limits.
std::uint64_t memo_bytes(const Limits& limits);

class Memo {
 public:
  // `max_bytes` of 0: no limit. Only a `shared` memo may be used by several threads.
  Memo(std::uint64_t max_bytes, bool shared);

  // Where nothing is known the bounds say nothing.
  Bounds find(const Key& key) const;

  // Joins new knowledge with what is there; returns the joined bounds.
  Bounds update(const Key& key, std::int64_t rows, const Bounds& news);

  std::int64_t size() const;
  std::int64_t evictions() const;
  std::uint64_t bytes() const;
  bool full() const { return full_.load(std::memory_order_relaxed); }

  // Calls visit(key, rows, bounds) for every entry.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::uint64_t s = 0; s < n_shards_; ++s) {
      const Guard guard(shards_[s], shared_);
      for (const Entry& e : shards_[s].entries)
        if (!(e.key == Key{})) visit(e.key, e.rows, e.bounds());
    }
  }

 private:
  struct Entry {
    Key key;  // {0, 0}: free
    Cost lower = 0;
    Cost upper = kInfiniteCost;
    std::int32_t test = -1;
    std::uint32_t rows = 0;

    Bounds bounds() const { return {lower, upper, test}; }
  };
  static_assert(sizeof(Entry) == 40);
  static constexpr std::size_t kBucket = 16;
  static constexpr std::uint64_t kMaxShards = 64;

  struct alignas(64) Shard {
    mutable std::atomic_flag lock;
    std::vector<Entry> entries;
    std::uint64_t mask = 0;
    std::int64_t size = 0;
    std::int64_t evictions = 0;

    std::size_t bucket(const Key& key) const {
      return static_cast<std::size_t>(key.low & mask) * kBucket;
    }
  };
  // Holds a shard's lock, if there are other threads.
  class Guard {
   public:
    Guard(const Shard& shard, bool shared);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::atomic_flag* lock_;
  };

  Shard& shard(const Key& key) const { return shards_[key.high & (n_shards_ - 1)]; }
  void grow(Shard& shard);

  std::uint64_t n_shards_ = 1;  // a power of two
  std::unique_ptr<Shard[]> shards_;
  std::uint64_t max_shard_bytes_;
  bool shared_;
  std::atomic<bool> full_ = false;
};

}  // namespace treeproof::sparse
