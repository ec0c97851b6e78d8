// One search of a portfolio: an engine that works on one level of depth, in a thread of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "core/baton.hpp"
#include "core/limits.hpp"
#include "search/portfolio/board.hpp"
#include "search/result.hpp"

namespace treeproof::portfolio {

// The role of a player in the portfolio; each role gets a share of the time (policy.hpp).
enum class Role { whole, level, trees, prices };
inline constexpr std::size_t kRoles = 4;

template <class Value>
struct Engine {
  std::string name;
  bool climbs;  // whether it also works on the levels of depth
  // The number of the engine's own units of work in a microsecond: engines estimate their work in
  // different ways, and equal shares should take equal time.
  double pace;
  // Works on trees with at most `level` levels (kAnyDepth: any) until it is finished or stopped.
  std::function<Statistics(int level, Limits& limits, Exchange<Value>& exchange)> run;
  Role role = Role::trees;  // of an engine that does not climb, or only computes prices
  // The levels on which it works.
  int from_level = 0;
  int to_level = kAnyDepth;
};

template <class Value>
class Player {
 public:
  Player(const Engine<Value>& engine, Role role, int level, int rivals, Board<Value>& board,
         Baton& baton, std::uint64_t bytes)
      : engine_(engine), role_(role), level_(level), baton_(baton), seat_(baton.add()),
        limits_(told_, bytes, baton, seat_),
        exchange_(board, level, rivals, [&baton] { baton.call(); }), thread_([this] { play(); }) {}
  ~Player() { end(); }
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  const std::string& engine() const { return engine_.name; }
  Role role() const { return role_; }
  int level() const { return level_; }
  bool prices() const { return engine_.role == Role::prices; }
  bool at_work() const { return !baton_.left(seat_); }
  std::int64_t work() const { return work_; }
  double seconds() const { return seconds_; }
  double counted() const { return static_cast<double>(work_) / 1e6; }

  void give(std::int64_t slice) {
    baton_.give(seat_, static_cast<std::int64_t>(static_cast<double>(slice) * engine_.pace));
  }
  // After a slice: returns the work that was done in it, and adds it to the total.
  std::int64_t count_slice() {
    constexpr std::int64_t kLeast = 100;  // switching takes time even if no work was done
    const auto work =
        static_cast<std::int64_t>(static_cast<double>(baton_.used_of_slice()) / engine_.pace);
    work_ += std::max(kLeast, work);
    return std::max(kLeast, work);
  }
  void add_seconds(double seconds) { seconds_ += seconds; }

  // Stops the search and waits until its thread has returned.
  void end() {
    told_ = true;
    baton_.release(seat_);
    if (thread_.joinable()) thread_.join();
  }

  // To be called after `end`: the counters of the search, whether it ran out of memory, and the
  // exception that ended it, if there was one.
  const Statistics& statistics() const { return statistics_; }
  bool out_of_memory() const { return exhausted_ || limits_.reason() == StopReason::memory_limit; }
  std::exception_ptr fault() const { return fault_; }

 private:
  void play() {
    baton_.wait_for_turn(seat_);
    try {
      // The search of the whole problem is started regardless of the limits, so that there is a
      // tree (and a checkpoint, if one is requested).
      if (!told_ || role_ == Role::whole) statistics_ = engine_.run(level_, limits_, exchange_);
    } catch (const Stopped&) {
      // The search was stopped before it had a result. The board has the tree that is a single
      // leaf.
    } catch (const std::bad_alloc&) {
      exhausted_ = true;  // the other searches go on
    } catch (...) {
      fault_ = std::current_exception();
    }
    baton_.leave(seat_);
  }

  const Engine<Value>& engine_;
  const Role role_;
  const int level_;
  Baton& baton_;
  const Baton::Seat seat_;
  std::atomic<bool> told_ = false;
  Limits limits_;
  LevelExchange<Value> exchange_;
  std::int64_t work_ = 0;
  double seconds_ = 0.0;
  Statistics statistics_;
  bool exhausted_ = false;
  std::exception_ptr fault_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace treeproof::portfolio
