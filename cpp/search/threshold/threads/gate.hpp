// The lock by which threads take turns at a solve that they share.
//
// One thread at a time holds the gate, and only to choose a piece of work or to enter its result;
// pieces are processed without it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace treeproof::threshold {

struct Gate {
  explicit Gate(std::size_t threads) : n_threads(threads) {}
  const std::size_t n_threads;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<std::uint64_t> bytes = 0;  // memory of the sets of all threads
};

// The hold of one thread on the gate. While this object lives, the thread holds the gate, except
// within `apart`. Without a gate there is only one thread, and nothing is locked.
class GateHold {
 public:
  // The leading thread counts only its own memory: if memory is short, the other threads leave and
  // the search continues.
  GateHold(Gate* gate, bool leads) : gate_(gate), leads_(leads) {
    if (gate_ != nullptr) hold_ = std::unique_lock(gate_->mutex);
  }
  ~GateHold() {
    if (gate_ != nullptr) gate_->bytes -= held_;
  }
  GateHold(const GateHold&) = delete;
  GateHold& operator=(const GateHold&) = delete;

  bool helps() const { return gate_ != nullptr && !leads_; }

  template <class Compute>
  auto apart(Compute compute) {
    if (gate_ == nullptr) return compute();
    hold_.unlock();
    struct Back {
      ~Back() { hold.lock(); }
      std::unique_lock<std::mutex>& hold;
    } const back{hold_};
    return compute();
  }

  // Waits until another thread changes something; false if that took too long.
  bool await() {
    constexpr std::chrono::milliseconds kPatience{5};
    return gate_->changed.wait_for(hold_, kPatience) == std::cv_status::no_timeout;
  }
  void tell_others() {
    if (gate_ != nullptr) gate_->changed.notify_all();
  }

  // The memory to compare with the limit if this thread holds `bytes`.
  std::uint64_t counted(std::uint64_t bytes) {
    if (gate_ == nullptr) return bytes;
    const std::uint64_t before = std::exchange(held_, bytes);
    const std::uint64_t all = gate_->bytes += bytes - before;
    return leads_ ? bytes : all;
  }

 private:
  Gate* gate_;
  bool leads_;
  std::unique_lock<std::mutex> hold_;
  std::uint64_t held_ = 0;
};

}  // namespace treeproof::threshold
