// Lets several searches take turns on one processor: at any time one of them runs and the others
// wait.
//
// Each search is a player with threads of its own. A search polls its `Limits` frequently, so that
// is where it is suspended: when its slice of work is used up, the poll blocks until the dealer
// gives the player another slice. Nothing has to be undone or repeated. Slices are measured in
// units of work and not by the clock, which makes runs deterministic.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace treeproof {

class Baton {
 public:
  using Seat = std::size_t;

  // Functions for the dealer, who gives out the slices. New players wait for their first slice.
  Seat add();
  // Gives a player a slice of this much work, in (approximate) microseconds.
  void give(Seat seat, std::int64_t slice);
  // Waits until the slice is used up or its player has left, but at most for this long. Returns
  // true if no player is running.
  bool wait_until_idle(std::chrono::milliseconds longest);
  // The work done in the last slice, which may be more or less than was given: a search polls only
  // between steps, and a player may leave early.
  std::int64_t used_of_slice() const;
  // Wakes the dealer, because a player has a new result.
  void call();
  // From now on this player never waits, so that it can finish.
  void release(Seat seat);

  // Functions for the players. Waits for a slice; returns at once if the player was released.
  void wait_for_turn(Seat seat);
  // Subtracts work from the slice, and waits for the next slice if nothing is left.
  void used(Seat seat, std::int64_t work);
  // The player has finished.
  void leave(Seat seat);
  bool left(Seat seat) const;

 private:
  static constexpr Seat kNobody = static_cast<Seat>(-1);

  struct Occupant {
    bool released = false;
    bool left = false;
  };

  bool may_run(Seat seat) const { return running_ == seat || seats_[seat].released; }

  mutable std::mutex mutex_;
  std::condition_variable turn_;    // players wait here
  std::condition_variable dealer_;  // the dealer waits here
  std::vector<Occupant> seats_;
  Seat running_ = kNobody;
  std::int64_t slice_ = 0;
  std::int64_t left_in_slice_ = 0;
  bool called_ = false;
};

}  // namespace treeproof
