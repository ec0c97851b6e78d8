#include "search/memo.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/check.hpp"
#include "core/memory.hpp"

namespace treeproof {

// The memo gets half of the allowance at the start; the search adjusts this later to what remains.
// Without an allowance, the memory of the machine is the limit, because a table that outgrew it
// would end the whole process.
std::uint64_t memo_bytes(const Limits& limits) {
  if (limits.memory_allowance() > 0) return limits.memory_allowance() / 2 + 1;
  return physical_memory() / 2;
}

namespace {

constexpr std::uint64_t kLeastShard = 1 << 14;  // bytes; smaller shards fill too unevenly
constexpr int kSpins = 64;  // before yielding to a thread that may have been suspended

std::uint32_t sum_of(std::uint32_t effort, std::int64_t more) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(effort + more, Memo::kPinned));
}

}  // namespace

Memo::Guard::Guard(const Shard& shard, bool shared) : lock_(shared ? &shard.lock : nullptr) {
  if (lock_ == nullptr) return;
  for (int spins = 0; lock_->test_and_set(std::memory_order_acquire); ++spins)
    if (spins >= kSpins) std::this_thread::yield();
}

Memo::Guard::~Guard() {
  if (lock_ != nullptr) lock_->clear(std::memory_order_release);
}

Memo::Memo(std::uint64_t max_bytes, bool shared) : shared_(shared) {
  while (n_shards_ < kMaxShards && (max_bytes == 0 || max_bytes / (2 * n_shards_) >= kLeastShard))
    n_shards_ *= 2;
  shards_ = std::make_unique<Shard[]>(n_shards_);
  for (std::uint64_t s = 0; s < n_shards_; ++s) {
    shards_[s].entries.resize(kBucket);
    shards_[s].n_buckets = 1;
  }
  limit(max_bytes);
}

void Memo::limit(std::uint64_t max_bytes) {
  max_buckets_.store(max_bytes == 0 ? std::numeric_limits<std::uint64_t>::max()
                                    : max_bytes / n_shards_ / (kBucket * sizeof(Entry)),
                     std::memory_order_relaxed);
  const std::uint64_t most =
      std::max<std::uint64_t>(max_buckets_.load(std::memory_order_relaxed), 1);
  for (std::uint64_t s = 0; s < n_shards_; ++s) {
    const Guard guard(shards_[s], shared_);
    if (shards_[s].n_buckets <= most) continue;
    resize(shards_[s], most);
    full_.store(true, std::memory_order_relaxed);
  }
}

Memo::Entry* Memo::Shard::find(const Key& key) {
  for (const std::uint64_t half : {key.low, key.high}) {
    Entry* const first = bucket(half);
    for (Entry* e = first; e != first + kBucket; ++e)
      if (e->key == key) return e;
  }
  return nullptr;
}

// A free place in the emptier of the two buckets, or null.
Memo::Entry* Memo::Shard::free_place(const Key& key) {
  Entry* place = nullptr;
  int most = 0;
  for (const std::uint64_t half : {key.low, key.high}) {
    Entry* const first = bucket(half);
    int n_free = 0;
    Entry* last = nullptr;
    for (Entry* e = first; e != first + kBucket; ++e)
      if (e->key == Key{}) {
        ++n_free;
        last = e;
      }
    if (n_free <= most) continue;
    most = n_free;
    place = last;
  }
  return place;
}

// Makes room in a full pair of buckets. The entry with the least effort is dropped, and its effort
// is subtracted from that of the others, so that old entries that are not updated become cheaper
// over time (the GreedyDual rule of Young, 1994).
Memo::Entry* Memo::Shard::evict(const Key& key) {
  Entry* victim = bucket(key.low);
  const auto each = [&](const auto& visit) {
    for (const std::uint64_t half : {key.low, key.high}) {
      Entry* const first = bucket(half);
      for (Entry* e = first; e != first + kBucket; ++e) visit(*e);
    }
  };
  each([&](Entry& e) {
    if (e.effort < victim->effort) victim = &e;
  });
  const std::uint32_t worth = victim->effort;
  each([&](Entry& e) {
    if (e.effort != kPinned) e.effort -= std::min(e.effort, worth);
  });
  ++evictions;
  return victim;
}

Bounds Memo::find(const Key& key) const {
  Shard& s = shard(key);
  const Guard guard(s, shared_);
  const Entry* const found = s.find(key);
  return found == nullptr ? Bounds{} : found->bounds();
}

Bounds Memo::update(const Key& key, std::int64_t effort, const Bounds& news) {
  Shard& s = shard(key);
  const Guard guard(s, shared_);
  if (Entry* const e = s.find(key)) {
    e->effort = sum_of(e->effort, effort);
    e->lower = std::max(e->lower, news.lower);
    if (news.upper < e->upper) {
      e->upper = news.upper;
      e->test = news.test;
    }
    check([&] { return e->lower <= e->upper; }, "bounds of one set of rows never cross");
    return e->bounds();
  }
  Entry* place = s.free_place(key);
  while (place == nullptr && grow(s)) place = s.free_place(key);
  if (place == nullptr) {
    place = s.evict(key);
  } else {
    ++s.size;
  }
  *place = {key, news.lower, news.upper, news.test, sum_of(0, effort)};
  return news;
}

// False if the memory allowance forbids it.
bool Memo::grow(Shard& s) {
  // While entries are moved, the old and the new table of this shard exist at the same time.
  const std::uint64_t wanted =
      std::min(2 * s.n_buckets, max_buckets_.load(std::memory_order_relaxed));
  if (wanted <= s.n_buckets) {
    full_.store(true, std::memory_order_relaxed);
    return false;
  }
  resize(s, wanted);
  return true;
}

void Memo::resize(Shard& s, std::uint64_t n_buckets) {
  moves_.fetch_add(1, std::memory_order_relaxed);
  const std::vector<Entry> old = std::exchange(s.entries, std::vector<Entry>(n_buckets * kBucket));
  s.n_buckets = n_buckets;
  s.size = 0;
  for (const Entry& e : old) {
    if (e.key == Key{}) continue;
    Entry* const place = s.free_place(e.key);
    s.size += place != nullptr;
    *(place == nullptr ? s.evict(e.key) : place) = e;
  }
}

Memo::Account Memo::account() const {
  Account sum;
  for (std::uint64_t s = 0; s < n_shards_; ++s) {
    const Guard guard(shards_[s], shared_);
    sum.entries += shards_[s].size;
    sum.evictions += shards_[s].evictions;
    sum.bytes += shards_[s].entries.size() * sizeof(Entry);
  }
  return sum;
}

}  // namespace treeproof
