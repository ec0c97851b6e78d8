// Passes proofs and witnesses between threads.
//
// Every thread keeps its own lists of costly sets and witnesses (costly_sets.hpp), which it reads
// all the time. What one thread has found is posted here, and the others check from time to time
// whether there is something new. No thread therefore waits for a lock to look something up.
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

struct CostlySetNews {
  const void* from;  // the search that posted it
  bool witness;      // otherwise it is a costly set
  RowMask rows;      // the costly set, or the rows that the witness misclassifies
  Cost cost;         // the proved bound, or the cost of the splits of the witness
  int depth;
  bool shallow;  // it was settled by trees of two splits
};

class CostlySetExchange {
 public:
  void post(CostlySetNews news) {
    const std::scoped_lock guard(mutex_);
    news_.push_back(std::move(news));
    if (news_.size() > kMost) news_.pop_front();
    n_posted_.fetch_add(1, std::memory_order_release);
  }

  // Entries posted by others since number `seen` (which is advanced), as far as they are kept.
  std::vector<CostlySetNews> read(const void* reader, std::size_t& seen) {
    std::vector<CostlySetNews> out;
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
  std::deque<CostlySetNews> news_;
};

}  // namespace treeproof::threshold
