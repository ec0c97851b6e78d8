// A memo that is kept between searches and exchanges bounds with memos of other processes.
//
// Searches on subsets of one table meet the same smaller subsets again and again. If the rows have
// the same names in all searches, a set of rows has the same key in all of them, and what one
// search has proved is valid for every other, in this process or another. Only bounds that took
// some effort are sent; others are recomputed faster than they can be transferred.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/memo.hpp"
#include "search/sparse/checkpoint.hpp"

namespace treeproof::sparse {

class SharedMemo {
 public:
  using Record = Checkpoint::Record;

  explicit SharedMemo(std::uint64_t max_bytes) : memo_(max_bytes, true) {}

  Memo& memo() { return memo_; }

  // Adds bounds that others have proved.
  void learn(const std::vector<Record>& records) {
    const std::scoped_lock guard(mutex_);
    for (const Record& r : records) {
      memo_.update(r.key, std::min(r.effort, Memo::kPinned - 1), {r.lower, r.upper, r.test});
      told_[r.key] = {r.lower, r.upper};
    }
  }

  // The bounds proved here since the last call: at most this many, those of greatest effort.
  std::vector<Record> news(std::uint32_t least_effort, std::size_t most) {
    const std::scoped_lock guard(mutex_);
    std::vector<Record> found;
    memo_.for_each([&](const Key& key, std::uint32_t effort, const Bounds& b) {
      if (effort < least_effort) return;
      const auto known = told_.find(key);
      if (known == told_.end() || known->second != std::pair(b.lower, b.upper))
        found.push_back({key, b.lower, b.upper, b.test, effort});
    });
    if (found.size() > most) {
      const auto end = found.begin() + static_cast<std::ptrdiff_t>(most);
      std::ranges::nth_element(found, end, std::ranges::greater{}, &Record::effort);
      found.erase(end, found.end());
    }
    for (const Record& r : found) told_[r.key] = {r.lower, r.upper};
    return found;
  }

 private:
  Memo memo_;
  std::mutex mutex_;
  std::unordered_map<Key, std::pair<Cost, Cost>, KeyHash> told_;
};

}  // namespace treeproof::sparse
