// Threads that help the exact search.
//
// Every thread runs the same search from the root, with a path and scratch memory of its own;
// what they share is the memo. A subproblem proved by one is proved for all, marks keep them
// out of each other's way (`work_marks.hpp`), and a thread leaves a subproblem that another
// has settled above it (`Search::follow_others`). So the threads divide the work at whatever
// depth there is some, without a queue. Which bounds are proved first, and so which of
// several optimal trees is returned, depends on chance; the optimum does not.
//
// The calling thread leads: it alone asks the clock and the caller (Ctrl-C), tells observers
// and looks for better trees by discrepancies; helpers do nothing but raise the bound.
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

// The next goal for the root's lower bound: one step up, or all the way.
inline Cost next_budget(const Bounds& root, Cost step, Cost least_step) {
  const bool last = root.upper - root.lower <= 2 * step && step <= least_step;
  return last ? kInfiniteCost : root.lower + step;
}

// Lets one thread at a time write a step. A step is told before its bound enters the memo,
// so whatever a thread cites has been told by then, whoever proved it.
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
      : layout_(layout),
        settings_(settings),
        leader_(limits),
        bytes_(limits.memory_allowance() / static_cast<std::uint64_t>(settings.n_threads)),
        memo_(memo),
        marks_(marks),
        wanted_(static_cast<std::size_t>(settings.n_threads) - 1) {
    helpers_.reserve(wanted_);
    if (listener != nullptr) listener_.emplace(*listener);
  }
  ~Crew() { dismiss(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Whom all threads tell their steps, or null.
  StepListener* listener() { return listener_ ? &*listener_ : nullptr; }

  // Helpers leave what they do and take steps of this size from the root's bound on.
  void order(Cost step, Cost least_step) {
    step_.store(step, std::memory_order_relaxed);
    least_step_.store(least_step, std::memory_order_relaxed);
    order_.fetch_add(1, std::memory_order_release);
  }

  // Starts the helpers, if they are not at work already.
  void start() {
    try {
      while (helpers_.size() < wanted_) {
        auto helper = std::make_unique<Helper>(*this);
        Search<Word>& search = helper->search;
        helper->thread = std::thread([this, &search] { work(search); });
        helpers_.push_back(std::move(helper));
      }
    } catch (const std::system_error&) {
      wanted_ = helpers_.size();  // the system gives no more threads: these must do
    } catch (const std::bad_alloc&) {
      wanted_ = helpers_.size();  // nor memory for their paths
    }
  }

  // Ends all helpers and waits for them.
  void dismiss() {
    dismissed_.store(true);
    order_.fetch_add(1);
    for (const auto& helper : helpers_)
      if (helper->thread.joinable()) helper->thread.join();
  }

  // Once dismissed: what the helpers counted.
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
      // One helper less; what it has proved is in the memo.
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
