// Threads that help a search with its outermost solve.
//
// All threads take pieces of work from that solve (best_first/work.hpp, common_rows_search.cpp).
// What is below a piece is solved by one thread alone, in memory of its own. For trees of depth
// three a piece takes milliseconds and there are hundreds of them, so that the threads seldom wait.
//
// The calling thread is the leader: it alone checks the clock and Ctrl-C and calls observers;
// helpers stop when it is done. Which of several optimal trees is returned depends on timing; the
// optimum does not.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/solve.hpp"
#include "search/threshold/task.hpp"
#include "search/threshold/threads/gate.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
class Crew {
 public:
  using MakeTerminal = std::function<std::unique_ptr<Terminal>(const Context<L>&, StumpSolver<L>&)>;
  // The function that a helper runs, with limits, counters and scratch memory of its own.
  using Help = std::function<void(const Context<L>&, Terminal&, StumpSolver<L>&)>;

  Crew(const Context<L>& context, const Switches& switches, MakeTerminal make_terminal)
      : context_(&context), helpers_first_(switches.helpers_first),
        n_helpers_(static_cast<std::size_t>(std::max(switches.n_threads, 1)) - 1),
        make_terminal_(std::move(make_terminal)) {}

  std::size_t n_threads() const { return n_helpers_ + 1; }

  // Runs `work` in this thread while helpers run `help`, which returns when it is told to stop.
  void share(Gate& gate, const std::function<void()>& work, const Help& help) {
    told_ = false;
    arrived_ = 0;
    std::vector<Counters> counters(n_helpers_);
    {
      Team team(*this, gate);
      team.start(help, counters);
      while (helpers_first_ && arrived_ < team.size()) std::this_thread::yield();
      work();
    }
    for (const Counters& theirs : counters) context_->counters->add(theirs);
  }

 private:
  // The helpers of one solve; the destructor ends them.
  class Team {
   public:
    Team(Crew& crew, Gate& gate) : crew_(crew), gate_(gate) {}
    ~Team() {
      crew_.told_ = true;
      gate_.changed.notify_all();
      for (std::thread& helper : helpers_) helper.join();
    }
    void start(const Help& help, std::vector<Counters>& counters) {
      helpers_.reserve(counters.size());
      try {
        for (Counters& theirs : counters)
          helpers_.emplace_back([this, &help, &theirs] { crew_.run(help, theirs); });
      } catch (const std::system_error&) {
        // The system has no more threads; continue with these.
      }
    }
    std::size_t size() const { return helpers_.size(); }

   private:
    Crew& crew_;
    Gate& gate_;
    std::vector<std::thread> helpers_;
  };

  void run(const Help& help, Counters& counters) {
    ++arrived_;
    try {
      Limits limits(told_, *context_->limits, context_->limits->memory_allowance());
      Context<L> context = *context_;
      context.limits = &limits;
      context.counters = &counters;
      StumpSolver<L> stumps(*context.columns, *context.loss);
      const std::unique_ptr<Terminal> terminal = make_terminal_(context, stumps);
      help(context, *terminal, stumps);
    } catch (const std::bad_alloc&) {
      // This helper ends; its piece of work was returned.
    }
  }

  const Context<L>* context_;
  bool helpers_first_;
  std::size_t n_helpers_;
  MakeTerminal make_terminal_;
  std::atomic<bool> told_ = false;
  std::atomic<std::size_t> arrived_ = 0;
};

}  // namespace treeproof::threshold
