// Sets of rows as bits, and the leaf on such a set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "core/key.hpp"
#include "data/problem.hpp"

namespace treeproof::near {

using Bits = std::vector<std::uint64_t>;
using BitsView = std::span<const std::uint64_t>;

struct Leaf {
  Cost cost = 0;
  std::int32_t label = 0;    // the heaviest class; of equally heavy ones, the first
  std::int32_t n_rows = 0;   // merged rows
  std::int64_t samples = 0;  // table rows
};

class RowBits {
 public:
  explicit RowBits(const Problem& problem);

  std::size_t n_words() const { return n_words_; }
  Bits all() const;
  // The rows of a set for which a test has an outcome.
  void part(BitsView set, std::int32_t test, std::int32_t outcome, Bits& out) const;
  Leaf leaf(BitsView set) const;
  Key key(BitsView set) const;
  std::vector<std::int32_t> rows(BitsView set) const;

 private:
  const Problem& problem_;
  std::size_t n_words_;
  std::vector<std::size_t> first_outcome_;  // per test: its first mask
  std::vector<Bits> masks_;                 // per test and outcome
};

}  // namespace treeproof::near
