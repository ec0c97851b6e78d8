// A step of a proof: its rows, limits and bound, and its citations.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace checker {

inline constexpr std::int32_t kNoLimit = -1;
inline constexpr std::int64_t kLookedAt = -1;

template <class Cost>
struct Use {
  std::size_t test;
  // For each outcome: earlier steps, and bounds that follow without citations.
  std::vector<std::vector<std::int64_t>> cited;
  std::vector<std::vector<Cost>> claims;
};

template <class Cost>
struct Step {
  std::vector<std::int32_t> branch;  // test, outcome, test, outcome, ...
  std::int32_t depth, splits;
  Cost bound;
  std::vector<Use<Cost>> uses;
};

// Whether a claim about all trees within `limit` is also one about all trees within `needed`.
inline bool covers(std::int32_t limit, std::int32_t needed) {
  return limit == kNoLimit || (needed != kNoLimit && limit >= needed);
}

}  // namespace checker
