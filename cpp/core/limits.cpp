#include "core/limits.hpp"

#include <algorithm>

namespace treeproof {

Limits::Limits(double seconds, std::uint64_t bytes, Interrupt interrupt)
    : start_(Clock::now()), deadline_(Clock::time_point::max()),
      next_signal_(start_ + kSignalPeriod), bytes_(bytes), interrupt_(std::move(interrupt)) {
  if (seconds > 0.0 && seconds < 1e9) {
    // Reserve some time to build the tree from the results of the search.
    const double search = seconds - std::min(0.02 * seconds, 0.05);
    deadline_ =
        start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(search));
  }
}

Limits::Limits(const std::atomic<bool>& told, const Limits& leader, std::uint64_t bytes)
    : Limits(0.0, bytes) {
  told_ = &told;
  baton_ = leader.baton_;
  player_ = leader.player_;
  helps_ = true;
}

Limits::Limits(const std::atomic<bool>& told, std::uint64_t bytes, Baton& baton, Baton::Seat player)
    : Limits(0.0, bytes) {
  told_ = &told;
  baton_ = &baton;
  player_ = player;
}

double Limits::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Limits::poll(std::uint32_t work) {
  countdown_ = kStride;
  if (baton_ != nullptr) {
    if (helps_) baton_->wait_for_turn(player_);
    else baton_->used(player_, work);
  }
  if (told_ != nullptr) {
    if (told_->load(std::memory_order_relaxed)) reason_ = StopReason::interrupted;
    return reason_ != StopReason::none;
  }
  const auto now = Clock::now();
  if (now >= deadline_) {
    reason_ = StopReason::time_limit;
  } else if (now >= next_signal_) {
    next_signal_ = now + kSignalPeriod;
    if (interrupt_ && interrupt_()) reason_ = StopReason::interrupted;
  }
  return reason_ != StopReason::none;
}

}  // namespace treeproof
