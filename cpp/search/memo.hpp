// What is known about every set of rows met so far: a lower and an upper bound on its
// optimal cost, and the test that gives the upper one. Without a depth limit the optimal
// subtree depends only on the rows; with one, the depth left is part of the key.
//
// The table is cut into shards by the key's last bits. Each shard has a lock of its own, held
// for the few nanoseconds of a look-up, so that threads share the memo and hardly ever meet;
// a memo used by one thread takes no locks. In a shard an entry lives in one of two buckets
// of eight, named by either half of its key, whichever had more room: so a shard is nearly
// full before it has to grow. It doubles until its part of the memory allowance is reached;
// then the entry that took the least effort to find makes room. Nothing is lost by that but
// time: bounds are only ever knowledge, never part of the search's state.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/cost.hpp"
#include "core/key.hpp"
#include "core/limits.hpp"

namespace treeproof {

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

  // Changes the allowance; a memo that is larger shrinks.
  void limit(std::uint64_t max_bytes);

  // Where nothing is known the bounds say nothing.
  Bounds find(const Key& key) const;

  // Joins new knowledge with what is there; returns the joined bounds. `effort` is the work
  // it took, roughly in microseconds; an entry of effort kPinned is never given up.
  static constexpr std::uint32_t kPinned = std::numeric_limits<std::uint32_t>::max();
  Bounds update(const Key& key, std::int64_t effort, const Bounds& news);

  struct Account {
    std::int64_t entries = 0;
    std::int64_t evictions = 0;
    std::uint64_t bytes = 0;
  };
  Account account() const;
  bool full() const { return full_.load(std::memory_order_relaxed); }
  // How often a shard has moved to more room, and left a hole where it was.
  std::uint32_t moves() const { return moves_.load(std::memory_order_relaxed); }

  // Calls visit(key, effort, bounds) for every entry.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::uint64_t s = 0; s < n_shards_; ++s) {
      const Guard guard(shards_[s], shared_);
      for (const Entry& e : shards_[s].entries)
        if (!(e.key == Key{})) visit(e.key, e.effort, e.bounds());
    }
  }

 private:
  struct Entry {
    Key key;  // {0, 0}: free
    Cost lower = 0;
    Cost upper = kInfiniteCost;
    std::int32_t test = -1;
    std::uint32_t effort = 0;

    Bounds bounds() const { return {lower, upper, test}; }
  };
  static_assert(sizeof(Entry) == 40);
  static constexpr std::size_t kBucket = 8;
  static constexpr std::uint64_t kMaxShards = 64;

  struct alignas(64) Shard {
    mutable std::atomic_flag lock;
    std::vector<Entry> entries;
    std::uint64_t n_buckets = 0;
    std::int64_t size = 0;
    std::int64_t evictions = 0;

    // Half a key, taken for a fraction of 2^64, names a bucket, whatever their number.
    Entry* bucket(std::uint64_t half) {
      __extension__ using Wide = unsigned __int128;
      return entries.data() + static_cast<std::size_t>(Wide{half} * n_buckets >> 64) * kBucket;
    }
    Entry* find(const Key& key);
    Entry* free_place(const Key& key);
    Entry* evict(const Key& key);
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

  Shard& shard(const Key& key) const { return shards_[key.low & (n_shards_ - 1)]; }
  bool grow(Shard& shard);
  void resize(Shard& shard, std::uint64_t n_buckets);

  std::uint64_t n_shards_ = 1;  // a power of two
  std::unique_ptr<Shard[]> shards_;
  std::atomic<std::uint64_t> max_buckets_;  // of a shard
  bool shared_;
  std::atomic<bool> full_ = false;
  std::atomic<std::uint32_t> moves_ = 0;
};

}  // namespace treeproof
