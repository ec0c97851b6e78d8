// Every set of kernels of depth two that this machine runs, against every stump of small
// histograms, counted one by one.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/split_mix.hpp"
#include "search/threshold/depth_two/kernels.hpp"
#include "search/threshold/depth_two/lane_memory.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

using threshold::ClassKernels;
using threshold::kLanes;
using threshold::LaneMemory;
using threshold::SideTotals;

// Random rows of some classes in the bins of some lanes, a part of them left of a cut. Every lane
// has the same rows in other bins, as features have.
template <class T>
struct Rows {
  static constexpr std::size_t kBins = 9;
  std::size_t classes;
  std::size_t lanes = kLanes<T> + 3;
  LaneMemory<T> memory;
  std::vector<T> left_sums, right_sums;

  Rows(std::size_t n_classes, std::uint64_t seed) : classes(n_classes) {
    memory.shape(lanes, kBins, classes);
    memory.left.zero();
    left_sums.assign(classes, T{0});
    right_sums.assign(classes, T{0});
    for (std::uint64_t row = 0; row < 60; ++row) {
      const std::size_t c = split_mix(seed + 7 * row) % classes;
      const bool left = split_mix(seed + 11 * row) % 3 == 0;
      T& sum = (left ? left_sums : right_sums)[c];
      sum = static_cast<T>(sum + 1);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t bin = split_mix(seed + 13 * row + 1000 * lane) % kBins;
        const std::size_t at = memory.base(lane) + bin * memory.bin_stride() + c * kLanes<T>;
        memory.total[at] = static_cast<T>(memory.total[at] + 1);
        if (left) memory.left[at] = static_cast<T>(memory.left[at] + 1);
      }
    }
    std::fill_n(memory.several.data(), memory.several.size(), T{-1});
  }

  std::int64_t weight(std::size_t lane, std::size_t bin, std::size_t c, bool left) const {
    const std::size_t at = memory.base(lane) + bin * memory.bin_stride() + c * kLanes<T>;
    return left ? memory.left[at] : memory.total[at] - memory.left[at];
  }
  // The least loss of the stumps of a side that cut between two bins, or of a leaf.
  std::int64_t best(std::size_t lane, bool left) const {
    std::int64_t all = 0, most = 0;
    for (std::size_t cut = 0; cut <= kBins; ++cut) {
      std::int64_t before = 0, after = 0;
      all = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        std::int64_t sum = 0, rest = 0;
        for (std::size_t bin = 0; bin < kBins; ++bin)
          (bin < cut ? sum : rest) += weight(lane, bin, c, left);
        before = std::max(before, sum);
        after = std::max(after, rest);
        all += sum + rest;
      }
      most = std::max(most, before + after);
    }
    return all - most;
  }
};

template <class T>
void compare(const ClassKernels<T>& fastest, const ClassKernels<T>& kernels, std::size_t classes,
             Report& report) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rows<T> rows(classes, 100'000 * seed);
    const SideTotals<T> left{rows.left_sums.data(), T{0}, T{1}};
    const SideTotals<T> right{rows.right_sums.data(), T{0}, T{1}};
    LaneMemory<T>& memory = rows.memory;
    const auto run = [&](const ClassKernels<T>& set) {
      (classes == 2 ? set.two : set.many)(memory.input(), left, right,
                                          {memory.lower_left.data(), memory.upper_left.data()},
                                          {memory.lower_right.data(), memory.upper_right.data()});
      std::vector<T> all;
      for (const auto* part :
           {&memory.lower_left, &memory.upper_left, &memory.lower_right, &memory.upper_right})
        all.insert(all.end(), part->data(), part->data() + rows.lanes);
      return all;
    };
    const std::vector<T> found = run(kernels);
    for (std::size_t lane = 0; lane < rows.lanes; ++lane) {
      report.expect(memory.upper_left[lane] == rows.best(lane, true));
      report.expect(memory.upper_right[lane] == rows.best(lane, false));
      report.expect(memory.lower_left[lane] <= memory.upper_left[lane]);
      report.expect(memory.lower_right[lane] <= memory.upper_right[lane]);
    }
    report.expect(run(fastest) == found);
  }
}

}  // namespace

void test_depth_two_kernels(Report& report) {
  const auto sets = threshold::supported_kernels();
  for (const threshold::KernelSet& set : sets)
    for (const std::size_t classes : {2u, 3u, 4u, 5u, 7u}) {
      compare(sets.front().counts16, set.counts16, classes, report);
      compare(sets.front().counts32, set.counts32, classes, report);
    }
}

}  // namespace treeproof::unit
