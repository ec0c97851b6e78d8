// One processor for several searches: at any time one of them runs and the others wait.
//
// Each search is a player with threads of its own. A search polls its `Limits` all the time, so
// that is where it is suspended: once its slice of work is used up, the poll blocks until the
// dealer gives the player another slice. Nothing of the search has to be undone or repeated, and
// because slices are measured in work and not by the clock, every run goes the same way.
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
  using Player = std::size_t;

  // The dealer's side. New players wait until they get a slice.
  Player add();
  // Lets a player do so much work, in (rough) microseconds.
  void give(Player player, std::int64_t slice);
  // Waits until the slice is used up or its player has left, but no longer than this; true iff
  // nobody runs any more.
  bool wait_until_idle(std::chrono::milliseconds longest);
  // Wakes the dealer, because a player has news for it.
  void call();
  // From now on this player never waits, so that it can end.
  void release(Player player);

  // A player's side. Waits for its turn; returns at once for a released player.
  void wait_for_turn(Player player);
  // Takes work off the slice, and waits for the next one if nothing is left.
  void used(Player player, std::int64_t work);
  // The player is done.
  void leave(Player player);
  bool left(Player player) const;

 private:
  static constexpr Player kNobody = static_cast<Player>(-1);

  struct Seat {
    bool released = false;
    bool left = false;
  };

  bool may_run(Player player) const { return running_ == player || seats_[player].released; }

  mutable std::mutex mutex_;
  std::condition_variable turn_;    // players wait here
  std::condition_variable dealer_;  // the dealer waits here
  std::vector<Seat> seats_;
  Player running_ = kNobody;
  std::int64_t left_in_slice_ = 0;
  bool called_ = false;
};

}  // namespace treeproof
