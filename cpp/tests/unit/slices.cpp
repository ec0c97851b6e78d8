// Searches that share a processor: all the work that a search reports counts against its slice.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "core/baton.hpp"
#include "core/limits.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

using Milliseconds = std::chrono::milliseconds;

// The work counted in one slice for a search that reports `step` microseconds at a time.
std::int64_t used_by(std::int64_t slice, std::uint32_t step) {
  Baton baton;
  const Baton::Seat player = baton.add();
  std::atomic<bool> told = false;
  std::thread search([&] {
    Limits limits(told, 0, baton, player);
    baton.wait_for_turn(player);
    while (!limits.stop(step)) {
    }
    baton.leave(player);
  });
  baton.give(player, slice);
  while (!baton.wait_until_idle(Milliseconds(5))) {
  }
  const std::int64_t used = baton.used_of_slice();
  told = true;
  baton.release(player);
  search.join();
  return used;
}

}  // namespace

void test_slices(Report& report) {
  // A long step is counted whole, even if it takes more than the slice.
  for (const std::uint32_t step : {5'000u, 70'000u, 1'000'000u})
    report.expect(used_by(2'000, step) == step);
  // Short steps use up the slice, and at most one look at the clock more.
  for (const std::uint32_t step : {1u, 30u, 999u, 1'000u, 1'001u})
    for (const std::int64_t slice : {2'000, 20'000}) {
      const std::int64_t used = used_by(slice, step);
      report.expect(used >= slice);
      report.expect(used < slice + 1'000 + step);
    }
}

}  // namespace treeproof::unit
