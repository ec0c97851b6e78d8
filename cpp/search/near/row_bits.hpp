// Sets of rows as bits.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/key.hpp"
#include "data/problem.hpp"

namespace treeproof::near {

using Bits = std::vector<std::uint64_t>;
using BitsView = std::span<const std::uint64_t>;

template <class Visit>
void for_each_row(BitsView set, const Visit& visit) {
  for (std::size_t w = 0; w < set.size(); ++w)
    for (std::uint64_t word = set[w]; word != 0; word &= word - 1)
      visit(static_cast<std::int32_t>(64 * w) + std::countr_zero(word));
}

inline bool any(BitsView set) {
  for (const std::uint64_t word : set)
    if (word != 0) return true;
  return false;
}

class RowBits {
 public:
  explicit RowBits(const Problem& problem);

  std::size_t n_words() const { return n_words_; }
  Bits all() const;
  // Finds the rows of a set for which a test has an outcome.
  void part(BitsView set, std::int32_t test, std::int32_t outcome, Bits& out) const;
  Key key(BitsView set) const;
  std::vector<std::int32_t> rows(BitsView set) const;

 private:
  const Problem& problem_;
  std::size_t n_words_;
  std::vector<std::size_t> first_outcome_;  // per test: its first mask
  std::vector<Bits> masks_;                 // per test and outcome
};

}  // namespace treeproof::near
