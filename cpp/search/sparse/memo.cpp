#include "search/sparse/memo.hpp"

#include <algorithm>
#include <utility>

namespace treeproof::sparse {

Memo::Memo(std::uint64_t max_bytes) : mask_(63), max_bytes_(max_bytes) {
  entries_.resize((mask_ + 1) * kBucket);
}

const Bounds* Memo::find(const Key& key) const {
  const Entry* const first = entries_.data() + bucket(key);
  for (const Entry* e = first; e != first + kBucket; ++e)
    if (e->key == key) return &e->bounds;
  return nullptr;
}

Bounds Memo::update(const Key& key, std::int64_t rows, const Bounds& news) {
  for (;;) {
    Entry* const first = entries_.data() + bucket(key);
    Entry* free = nullptr;
    Entry* smallest = first;
    for (Entry* e = first; e != first + kBucket; ++e) {
      if (e->key == key) {
        Bounds& b = e->bounds;
        b.lower = std::max(b.lower, news.lower);
        if (news.upper < b.upper) {
          b.upper = news.upper;
          b.test = news.test;
        }
        return b;
      }
      if (e->key == Key{}) free = free == nullptr ? e : free;
      if (e->rows < smallest->rows) smallest = e;
    }
    if (free == nullptr && !full_) {
      grow();
      continue;
    }
    Entry* const place = free == nullptr ? smallest : free;
    if (free == nullptr) {
      ++evictions_;
    } else {
      ++size_;
    }
    place->key = key;
    place->bounds = news;
    place->rows = static_cast<std::uint32_t>(std::min<std::int64_t>(rows, 0xffffffff));
    return news;
  }
}

void Memo::grow() {
  // While entries move, the old and the new table exist side by side.
  const std::uint64_t now = entries_.size() * sizeof(Entry);
  if (max_bytes_ != 0 && 3 * now > max_bytes_) {
    full_ = true;
    return;
  }
  std::vector<Entry> old = std::exchange(entries_, {});
  mask_ = 2 * mask_ + 1;
  entries_.resize((mask_ + 1) * kBucket);
  for (const Entry& e : old) {
    if (e.key == Key{}) continue;
    // A bucket's entries part into two buckets of the same size: there is always room.
    Entry* place = entries_.data() + bucket(e.key);
    while (!(place->key == Key{})) ++place;
    *place = e;
  }
}

}  // namespace treeproof::sparse
