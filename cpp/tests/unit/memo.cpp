// The memo of bounds: entries are kept, bounds are combined, memory is limited, and
// entries that cost most effort stay longest.
#include "search/memo.hpp"

#include <thread>
#include <vector>

#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

void joins_knowledge(Report& report) {
  Memo memo(0, false);
  const Key key = random_key(1);
  report.expect(memo.find(key).lower == 0 && memo.find(key).upper == kInfiniteCost);
  memo.update(key, 1, {10, 90, 3});
  memo.update(key, 1, {20, 95, 4});  // a better bound, a more expensive tree
  Bounds known = memo.update(key, 1, {5, 70, 5});
  report.expect(known.lower == 20 && known.upper == 70 && known.test == 5);
  known = memo.find(key);
  report.expect(known.lower == 20 && known.upper == 70 && known.test == 5 && !known.solved());
  memo.update(key, 1, {70, 70, 6});  // a tree that costs the same changes nothing
  report.expect(memo.find(key).solved() && memo.find(key).test == 5);
}

void keeps_everything_without_a_limit(Report& report) {
  Memo memo(0, false);
  constexpr std::uint64_t kMany = 20000;
  for (std::uint64_t n = 0; n < kMany; ++n)
    memo.update(random_key(n), 1, {static_cast<Cost>(n), static_cast<Cost>(n) + 1, -1});
  for (std::uint64_t n = 0; n < kMany; ++n)
    report.expect(memo.find(random_key(n)).lower == static_cast<Cost>(n));
  report.expect(memo.account().entries == static_cast<std::int64_t>(kMany));
  report.expect(memo.account().evictions == 0 && !memo.full());
}

void forgets_what_was_cheap(Report& report) {
  constexpr std::uint64_t kBytes = 1 << 16;
  Memo memo(kBytes, false);
  const Key pinned = random_key(~std::uint64_t{0});
  memo.update(pinned, Memo::kPinned, {7, 8, 0});
  constexpr std::uint64_t kMany = 50000, kExpensive = 200;
  for (std::uint64_t n = 0; n < kMany; ++n)
    memo.update(random_key(n), n < kExpensive ? 1000000 : 1,
                {static_cast<Cost>(n), kInfiniteCost, -1});
  report.expect(memo.account().bytes <= kBytes && memo.full());
  report.expect(memo.account().evictions > 0);
  report.expect(memo.find(pinned).lower == 7 && memo.find(pinned).upper == 8);
  std::uint64_t expensive = 0;
  for (std::uint64_t n = 1; n < kExpensive; ++n) {
    const Cost lower = memo.find(random_key(n)).lower;
    report.expect(lower == 0 || lower == static_cast<Cost>(n));  // forgotten, never wrong
    expensive += lower > 0 ? 1 : 0;
  }
  report.expect(expensive > kExpensive / 2);
}

void shrinks(Report& report) {
  Memo memo(0, false);
  for (std::uint64_t n = 0; n < 20000; ++n) memo.update(random_key(n), 1, {1, 2, -1});
  const std::uint64_t before = memo.account().bytes;
  memo.limit(before / 4);
  report.expect(memo.account().bytes <= before / 4);
  std::int64_t entries = 0;
  memo.for_each([&](const Key&, std::uint32_t, const Bounds& bounds) {
    ++entries;
    report.expect(bounds.lower == 1 && bounds.upper == 2);
  });
  report.expect(entries == memo.account().entries && entries > 0);
}

void serves_threads(Report& report) {
  Memo memo(0, true);
  constexpr std::uint64_t kMany = 2000;
  std::vector<std::jthread> threads;
  for (Cost t = 1; t <= 4; ++t)
    threads.emplace_back([&memo, t] {
      for (std::uint64_t n = 0; n < kMany; ++n) memo.update(random_key(n), 1, {t, 100 - t, -1});
    });
  threads.clear();
  for (std::uint64_t n = 0; n < kMany; ++n) {
    const Bounds known = memo.find(random_key(n));
    report.expect(known.lower == 4 && known.upper == 96);
  }
}

}  // namespace

void test_memo(Report& report) {
  joins_knowledge(report);
  keeps_everything_without_a_limit(report);
  forgets_what_was_cheap(report);
  shrinks(report);
  serves_threads(report);
}

}  // namespace treeproof::unit
