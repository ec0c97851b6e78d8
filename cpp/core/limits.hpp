// Time, memory and interruption, polled together.
//
// A search calls `stop()` often; the call is one counter decrement except every
// `kStride`-th time, when the clock is read, and every `kSignalPeriod`, when the caller's
// interrupt function is asked (from Python it needs the interpreter lock, so not oftener).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/baton.hpp"

namespace treeproof {

enum class StopReason { none, time_limit, memory_limit, interrupted };

// Thrown where a limit is hit before a search has begun: see `Limits::prepare`.
struct Stopped {};

class Limits {
 public:
  using Clock = std::chrono::steady_clock;
  using Interrupt = std::function<bool()>;

  // `seconds` <= 0 and `bytes` == 0 mean: no limit. The clock starts here.
  explicit Limits(double seconds = 0.0, std::uint64_t bytes = 0, Interrupt interrupt = {});

  // For a thread that helps the search that `leader` limits: stops once told, asks neither clock
  // nor caller, and waits whenever its search has to wait for its turn.
  Limits(const std::atomic<bool>& told, const Limits& leader, std::uint64_t bytes);

  // For a search that shares a processor with others: stops once told, and waits for its turn
  // whenever its slice of work is used up.
  Limits(const std::atomic<bool>& told, std::uint64_t bytes, Baton& baton, Baton::Player player);

  // True once any limit is hit; stays true. `work` is roughly the microseconds of
  // computing done since the last call.
  bool stop(std::uint32_t work = 1) {
    if (reason_ != StopReason::none) return true;
    if (countdown_ > work) {
      countdown_ -= work;
      return false;
    }
    return poll();
  }

  // For work of which a part is of no use: merging and sorting a table before a search can begin.
  // Throws `Stopped` once any limit is hit, after `cells` more numbers were read or written. Small
  // tables are prepared whatever the limits are, so that there is some search of them.
  void prepare(std::size_t cells) {
    prepared_ += cells;
    if (prepared_ > kSmallTable && stop(static_cast<std::uint32_t>(cells / kCellsPerMicrosecond)))
      throw Stopped{};
  }

  StopReason reason() const { return reason_; }
  double seconds() const;
  std::uint64_t memory_allowance() const { return bytes_; }  // 0: no limit
  void memory_exhausted() { reason_ = StopReason::memory_limit; }

 private:
  bool poll();

  static constexpr std::uint32_t kStride = 1000;  // microseconds of work between clock reads
  static constexpr std::chrono::milliseconds kSignalPeriod{25};
  static constexpr std::size_t kSmallTable = 1 << 19;  // cells; some milliseconds
  static constexpr std::size_t kCellsPerMicrosecond = 100;

  Clock::time_point start_;
  Clock::time_point deadline_;
  Clock::time_point next_signal_;
  std::uint64_t bytes_;
  Interrupt interrupt_;
  const std::atomic<bool>* told_ = nullptr;
  Baton* baton_ = nullptr;  // null: this search need not wait for others
  Baton::Player player_ = 0;
  bool helps_ = false;  // the leader's work counts, a helper's does not
  StopReason reason_ = StopReason::none;
  std::uint32_t countdown_ = kStride;
  std::size_t prepared_ = 0;
};

// Calls `work(from, to)` for 0 .. n in blocks, and polls the limits (null: none) after each of
// them; an item stands for `width` cells.
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
