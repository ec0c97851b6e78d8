// Proofs and witnesses on their way between threads.
//
// Every thread keeps its own lists of them (shared_cores.hpp), which it reads all the time; what
// one has found goes through here to the others, who look now and then whether there is
// something new. So nobody waits for a lock to look something up.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "core/cost.hpp"
#include "data/row_mask.hpp"

namespace treeproof::threshold {

struct CoreNews {
  const void* from;  // the thread's search
  bool witness;      // else a core
  RowMask rows;      // that the core has, or that the witness gets wrong
  Cost cost;         // proved, or of the splits
  int depth;
  bool shallow;      // the core is one of those that trees of two splits settle
};

class CoreExchange {
 public:
  void post(CoreNews news) {
    const std::scoped_lock guard(mutex_);
    news_.push_back(std::move(news));
    if (news_.size() > kMost) news_.pop_front();
    n_posted_.fetch_add(1, std::memory_order_release);
  }

  // What others have posted since number `seen` (which moves on), as far as it is kept.
  std::vector<CoreNews> read(const void* reader, std::size_t& seen) {
    std::vector<CoreNews> out;
    if (n_posted_.load(std::memory_order_acquire) == seen) return out;
    const std::scoped_lock guard(mutex_);
    const std::size_t end = n_posted_.load(std::memory_order_relaxed);
    const std::size_t fresh = std::min(end - seen, news_.size());
    for (std::size_t k = news_.size() - fresh; k < news_.size(); ++k)
      if (news_[k].from != reader) out.push_back(news_[k]);
    seen = end;
    return out;
  }

 private:
  static constexpr std::size_t kMost = 1024;
  std::mutex mutex_;
  std::atomic<std::size_t> n_posted_ = 0;
  std::deque<CoreNews> news_;
};

}  // namespace treeproof::threshold
