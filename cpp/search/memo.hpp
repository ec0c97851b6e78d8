// Bounds for every set of rows met so far: a lower and an upper bound on its optimal cost, and the
// test at the root of the tree with the upper bound. Without a depth limit, the optimal subtree
// depends only on the rows; with one, the number of levels left is part of the key.
//
// The table is divided into shards by the last bits of the key. Each shard has its own lock, which
// is held for the few nanoseconds of a look-up, so that threads share the memo and rarely wait for
// each other; a memo that is used by one thread takes no locks. Within a shard, an entry is in one
// of two buckets of eight, given by either half of its key, whichever had more room; a shard is
// therefore nearly full before it has to grow. It doubles until its part of the memory allowance is
// reached. After that, the entry that took the least effort to compute is replaced. This costs only
// time: bounds are knowledge, not part of the state of the search.
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
  std::int32_t test = -1;  // split of the tree that costs `upper`; -1 if it is a leaf or not known
  bool of_deeper = false;  // `lower` was proved for trees with one more level

  bool solved() const { return lower >= upper; }
};

// The memory that a memo may use under these limits.
std::uint64_t memo_bytes(const Limits& limits);

class Memo {
 public:
  // `max_bytes` of 0 means no limit. Only a `shared` memo may be used by several threads.
  Memo(std::uint64_t max_bytes, bool shared);

  // Changes the allowance; a memo that is larger shrinks.
  void limit(std::uint64_t max_bytes);

  // If nothing is known, the trivial bounds are returned.
  Bounds find(const Key& key) const;

  // Combines new bounds with those that are stored, and returns the result. `effort` is the work
  // that it took, in approximate microseconds; an entry with the effort kPinned is never dropped.
  static constexpr std::uint32_t kPinned = std::numeric_limits<std::uint32_t>::max();
  Bounds update(const Key& key, std::int64_t effort, const Bounds& news);

  struct Account {
    std::int64_t entries = 0;
    std::int64_t evictions = 0;
    std::uint64_t bytes = 0;
  };
  Account account() const;
  bool full() const { return full_.load(std::memory_order_relaxed); }
  // How often a shard was moved to a larger table, leaving a hole in memory.
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

    // Half a key, read as a fraction of 2^64, selects a bucket, whatever their number.
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
