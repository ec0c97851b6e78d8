// Threads that help the exact search.
//
// Every thread runs the same search from the root, with its own path and scratch memory; they share
// the memo. A subproblem that one thread has proved is proved for all. Marks keep the threads from
// working on the same subproblem (`work_marks.hpp`), and a thread leaves a subproblem that another
// has settled (`Search::follow_others`). The threads thus divide the work at any depth without a
// queue. Which bounds are proved first, and therefore which of several optimal trees is returned,
// depends on timing; the optimum does not.
//
// The calling thread is the leader: it alone checks the clock and Ctrl-C, calls observers, and
// looks for better trees by discrepancy search; helpers only raise the lower bound.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "search/sparse/search.hpp"

namespace treeproof::sparse {

// The next budget for the lower bound of the root: one step up, or up to the best tree.
inline Cost next_budget(const Bounds& root, Cost step, Cost least_step) {
  const bool last = root.upper - root.lower <= 2 * step && step <= least_step;
  return last ? kInfiniteCost : root.lower + step;
}

// Lets one thread at a time write a step. A step is written before its bound enters the memo, so
// that every bound that a thread cites has been written before, whoever proved it.
class SharedListener : public StepListener {
 public:
  explicit SharedListener(StepListener& inner) : inner_(inner) {}
  void begin(Cost split_cost) override {
    const std::scoped_lock guard(mutex_);
    inner_.begin(split_cost);
  }
  void step(const Step& step) override {
    const std::scoped_lock guard(mutex_);
    inner_.step(step);
  }
  void close() override {
    const std::scoped_lock guard(mutex_);
    inner_.close();
  }

 private:
  std::mutex mutex_;
  StepListener& inner_;
};

template <class Word>
class Crew {
 public:
  Crew(const Layout& layout, const Settings& settings, const Limits& limits, Memo& memo,
       WorkMarks& marks, StepListener* listener)
      : layout_(layout), settings_(settings), leader_(limits),
        bytes_(limits.memory_allowance() / static_cast<std::uint64_t>(settings.n_threads)),
        memo_(memo), marks_(marks), wanted_(static_cast<std::size_t>(settings.n_threads) - 1) {
    helpers_.reserve(wanted_);
    if (listener != nullptr) listener_.emplace(*listener);
  }
  ~Crew() { dismiss(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // The listener to which all threads report their steps, or null.
  StepListener* listener() { return listener_ ? &*listener_ : nullptr; }

  // Helpers abandon their current work and take steps of this size, starting from the bound of the
  // root.
  void order(Cost step, Cost least_step) {
    step_.store(step, std::memory_order_relaxed);
    least_step_.store(least_step, std::memory_order_relaxed);
    order_.fetch_add(1, std::memory_order_release);
  }

  // Starts the helpers, unless they are running already.
  void start() {
    try {
      while (helpers_.size() < wanted_) {
        auto helper = std::make_unique<Helper>(*this);
        Search<Word>& search = helper->search;
        helper->thread = std::thread([this, &search] { work(search); });
        helpers_.push_back(std::move(helper));
      }
    } catch (const std::system_error&) {
      wanted_ = helpers_.size();  // the system has no more threads; continue with these
    } catch (const std::bad_alloc&) {
      wanted_ = helpers_.size();  // there is no memory for further paths; continue with these
    }
  }

  // Ends all helpers and waits for them.
  void dismiss() {
    dismissed_.store(true);
    order_.fetch_add(1);
    for (const auto& helper : helpers_)
      if (helper->thread.joinable()) helper->thread.join();
  }

  // The counters of the helpers, after they were dismissed.
  void add_counters(Counters& sum) {
    for (const auto& helper : helpers_) {
      const Counters& theirs = helper->search.counters();
#define X(name) sum.name += theirs.name;
      TREEPROOF_SPARSE_COUNTERS(X)
#undef X
    }
  }

 private:
  struct Helper {
    explicit Helper(Crew& crew)
        : limits(crew.dismissed_, crew.leader_, crew.bytes_),
          search(crew.layout_, crew.settings_, limits, crew.memo_, &crew.marks_) {
      search.listen(crew.listener());
      search.obey(&crew.order_);
    }
    Limits limits;
    Search<Word> search;
    std::thread thread;
  };

  void work(Search<Word>& search) {
    try {
      while (!dismissed_.load() && !search.root().solved()) {
        search.take_order();
        const Cost budget = next_budget(search.root(), step_.load(), least_step_.load());
        search.deepen(budget, 0);
      }
    } catch (const std::bad_alloc&) {
      // This helper ends; what it has proved is in the memo.
    }
  }

  const Layout& layout_;
  const Settings& settings_;
  const Limits& leader_;
  std::uint64_t bytes_;
  Memo& memo_;
  WorkMarks& marks_;
  std::optional<SharedListener> listener_;
  std::atomic<bool> dismissed_ = false;
  std::atomic<std::uint32_t> order_ = 0;
  std::atomic<Cost> step_ = 1, least_step_ = 1;
  std::size_t wanted_;  // number of helpers
  std::vector<std::unique_ptr<Helper>> helpers_;
};

}  // namespace treeproof::sparse
