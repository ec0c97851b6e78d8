#include "search/sparse/memo.hpp"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace treeproof::sparse {

// Three quarters of the allowance go to the memo, the rest to the path and to the
// discrepancy search. Without an allowance the machine's memory is one: a table that grew
// beyond it would end the whole process.
std::uint64_t memo_bytes(const Limits& limits) {
  if (limits.memory_allowance() > 0) return limits.memory_allowance() / 4 * 3;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  return static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(page);
}
namespace {

constexpr std::uint64_t kLeastShard = 1 << 14;  // bytes; smaller ones fill too unevenly
constexpr int kSpins = 64;  // before giving way to a thread that was put to sleep

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
  while (n_shards_ < kMaxShards &&
         (max_bytes == 0 || max_bytes / (2 * n_shards_) >= kLeastShard))
    n_shards_ *= 2;
  max_shard_bytes_ = max_bytes / n_shards_;
  shards_ = std::make_unique<Shard[]>(n_shards_);
  for (std::uint64_t s = 0; s < n_shards_; ++s) shards_[s].entries.resize(kBucket);
}

Bounds Memo::find(const Key& key) const {
  const Shard& s = shard(key);
  const Guard guard(s, shared_);
  const Entry* const first = s.entries.data() + s.bucket(key);
  for (const Entry* e = first; e != first + kBucket; ++e)
    if (e->key == key) return e->bounds();
  return {};
}

Bounds Memo::update(const Key& key, std::int64_t rows, const Bounds& news) {
  Shard& s = shard(key);
  const Guard guard(s, shared_);
  for (;;) {
    Entry* const first = s.entries.data() + s.bucket(key);
    Entry* free = nullptr;
    Entry* smallest = first;
    for (Entry* e = first; e != first + kBucket; ++e) {
      if (e->key == key) {
        e->lower = std::max(e->lower, news.lower);
        if (news.upper < e->upper) {
          e->upper = news.upper;
          e->test = news.test;
        }
        return e->bounds();
      }
      if (e->key == Key{}) free = free == nullptr ? e : free;
      if (e->rows < smallest->rows) smallest = e;
    }
    if (free == nullptr) {
      const std::size_t before = s.entries.size();
      grow(s);
      if (s.entries.size() > before) continue;
    }
    Entry* const place = free == nullptr ? smallest : free;
    if (free == nullptr) {
      ++s.evictions;
    } else {
      ++s.size;
    }
    *place = {key, news.lower, news.upper, news.test,
              static_cast<std::uint32_t>(std::min<std::int64_t>(rows, 0xffffffff))};
    return news;
  }
}

void Memo::grow(Shard& s) {
  // While entries move, the old and the new table exist side by side.
  const std::uint64_t now = s.entries.size() * sizeof(Entry);
  if (max_shard_bytes_ != 0 && 3 * now > max_shard_bytes_) {
    full_.store(true, std::memory_order_relaxed);
    return;
  }
  std::vector<Entry> bigger(2 * s.entries.size());
  s.mask = 2 * s.mask + 1;
  for (const Entry& e : s.entries) {
    if (e.key == Key{}) continue;
    // A bucket's entries part into two buckets of the same size: there is always room.
    Entry* place = bigger.data() + s.bucket(e.key);
    while (!(place->key == Key{})) ++place;
    *place = e;
  }
  s.entries = std::move(bigger);
}

std::int64_t Memo::size() const {
  std::int64_t sum = 0;
  for (std::uint64_t s = 0; s < n_shards_; ++s) {
    const Guard guard(shards_[s], shared_);
    sum += shards_[s].size;
  }
  return sum;
}

std::int64_t Memo::evictions() const {
  std::int64_t sum = 0;
  for (std::uint64_t s = 0; s < n_shards_; ++s) {
    const Guard guard(shards_[s], shared_);
    sum += shards_[s].evictions;
  }
  return sum;
}

std::uint64_t Memo::bytes() const {
  std::uint64_t sum = 0;
  for (std::uint64_t s = 0; s < n_shards_; ++s) {
    const Guard guard(shards_[s], shared_);
    sum += shards_[s].entries.size() * sizeof(Entry);
  }
  return sum;
}

}  // namespace treeproof::sparse
