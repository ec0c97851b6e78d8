// Limits on time and memory, and interruption by the user, polled together.
//
// A search calls `stop()` often. The call only decrements a counter, except every `kStride`-th
// time, when the clock is read, and every `kSignalPeriod`, when the interrupt function of the
// caller is called. (From Python this needs the interpreter lock, so it must not be called more
// often.)
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/baton.hpp"

namespace treeproof {

enum class StopReason { none, time_limit, memory_limit, interrupted, tolerance };

// Thrown if a limit is reached before a search has begun: see `Limits::prepare`.
struct Stopped {};

class Limits {
 public:
  using Clock = std::chrono::steady_clock;
  using Interrupt = std::function<bool()>;

  // `seconds` <= 0 and `bytes` == 0 mean that there is no limit. The clock starts here.
  explicit Limits(double seconds = 0.0, std::uint64_t bytes = 0, Interrupt interrupt = {});

  // For a thread that helps the search limited by `leader`: it stops when `told` is set, does not
  // read the clock or call the interrupt function, and waits whenever its search waits for a slice.
  Limits(const std::atomic<bool>& told, const Limits& leader, std::uint64_t bytes);

  // For a search that shares a processor with others: it stops when `told` is set, and waits for
  // the next slice when its slice of work is used up.
  Limits(const std::atomic<bool>& told, std::uint64_t bytes, Baton& baton, Baton::Seat player);

  // Returns true once any limit has been reached, and stays true. `work` is the approximate number
  // of microseconds of computation since the last call.
  bool stop(std::uint32_t work = 1) {
    if (reason_ != StopReason::none) return true;
    if (countdown_ > work) {
      countdown_ -= work;
      return false;
    }
    return poll(kStride - countdown_ + work);
  }

  // The same, but reads the clock at once; for loops that wait.
  bool stop_now() { return reason_ != StopReason::none || poll(0); }

  // For work that is useless unless it is completed: merging and sorting a table before a search
  // can begin. Throws `Stopped` once a limit is reached, after `cells` more numbers were read or
  // written. Small tables are prepared regardless of the limits, so that at least some search takes
  // place.
  void prepare(std::size_t cells) {
    prepared_ += cells;
    if (prepared_ > kSmallTable && stop(static_cast<std::uint32_t>(cells / kCellsPerMicrosecond)))
      throw Stopped{};
  }

  StopReason reason() const { return reason_; }
  double seconds() const;
  std::uint64_t memory_allowance() const { return bytes_; }  // 0 means no limit
  void memory_exhausted() { reason_ = StopReason::memory_limit; }

 private:
  bool poll(std::uint32_t work);

  static constexpr std::uint32_t kStride = 1000;  // microseconds of work between clock reads
  static constexpr std::chrono::milliseconds kSignalPeriod{25};
  static constexpr std::size_t kSmallTable = 1 << 19;  // cells; takes a few milliseconds
  static constexpr std::size_t kCellsPerMicrosecond = 100;

  Clock::time_point start_;
  Clock::time_point deadline_;
  Clock::time_point next_signal_;
  std::uint64_t bytes_;
  Interrupt interrupt_;
  const std::atomic<bool>* told_ = nullptr;
  Baton* baton_ = nullptr;  // null if this search does not share its processor
  Baton::Seat player_ = 0;
  bool helps_ = false;  // only the work of the leader is counted, not that of a helper
  StopReason reason_ = StopReason::none;
  std::uint32_t countdown_ = kStride;
  std::size_t prepared_ = 0;
};

// Calls `work(from, to)` for blocks of 0 .. n and polls the limits (null: none) after each block;
// an item counts as `width` cells.
template <class Work>
void prepare_in_blocks(Limits* limits, std::size_t n, std::size_t width, Work work) {
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 16) / width);
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t to = std::min(n, from + block);
    work(from, to);
    if (limits != nullptr) limits->prepare((to - from) * width);
  }
}

}  // namespace treeproof
