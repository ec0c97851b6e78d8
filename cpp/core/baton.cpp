#include "core/baton.hpp"

namespace treeproof {

Baton::Seat Baton::add() {
  const std::scoped_lock guard(mutex_);
  seats_.emplace_back();
  return seats_.size() - 1;
}

void Baton::give(Seat seat, std::int64_t slice) {
  {
    const std::scoped_lock guard(mutex_);
    if (seats_[seat].left) return;
    running_ = seat;
    slice_ = slice;
    left_in_slice_ = slice;
  }
  turn_.notify_all();
}

bool Baton::wait_until_idle(std::chrono::milliseconds longest) {
  std::unique_lock hold(mutex_);
  dealer_.wait_for(hold, longest, [&] { return running_ == kNobody || called_; });
  called_ = false;
  return running_ == kNobody;
}

std::int64_t Baton::used_of_slice() const {
  const std::scoped_lock guard(mutex_);
  return slice_ - left_in_slice_;
}

void Baton::call() {
  {
    const std::scoped_lock guard(mutex_);
    called_ = true;
  }
  dealer_.notify_one();
}

void Baton::release(Seat seat) {
  {
    const std::scoped_lock guard(mutex_);
    seats_[seat].released = true;
    if (running_ == seat) running_ = kNobody;
  }
  turn_.notify_all();
  dealer_.notify_one();
}

void Baton::wait_for_turn(Seat seat) {
  std::unique_lock hold(mutex_);
  turn_.wait(hold, [&] { return may_run(seat); });
}

void Baton::used(Seat seat, std::int64_t work) {
  std::unique_lock hold(mutex_);
  if (running_ == seat) {
    left_in_slice_ -= work;
    if (left_in_slice_ > 0) return;
    running_ = kNobody;
    dealer_.notify_one();
  }
  turn_.wait(hold, [&] { return may_run(seat); });
}

void Baton::leave(Seat seat) {
  {
    const std::scoped_lock guard(mutex_);
    seats_[seat].left = true;
    if (running_ == seat) running_ = kNobody;
  }
  dealer_.notify_one();
}

bool Baton::left(Seat seat) const {
  const std::scoped_lock guard(mutex_);
  return seats_[seat].left;
}

}  // namespace treeproof
