// Moves bits of many rows to other places, 64 rows at a time.
//
// Moving the bits of one row at a time costs a shift and a mask for every bit. In a transposed
// block, the same bit of 64 rows is one word, so that moving it is a copy; two transpositions of 64
// x 64 bits cost a few operations for each word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/rules/rule_store.hpp"

namespace treeproof::rules {

using BitBlock = std::array<Word, 64>;

// Exchanges bit j of word i with bit i of word j (the recursion over halves in Warren,
// Hacker's Delight, Section 7-3).
inline void transpose(BitBlock& block) {
  Word low = 0x00000000ffffffffULL;
  for (std::size_t half = 32; half != 0; half >>= 1, low ^= low << half) {
    for (std::size_t i = 0; i < 64; i = ((i | half) + 1) & ~half) {
      const Word changed = ((block[i] >> half) ^ block[i | half]) & low;
      block[i | half] ^= changed;
      block[i] ^= changed << half;
    }
  }
}

class BitMoves {
 public:
  static constexpr std::int32_t kNothing = -1;
  static constexpr std::size_t kRows = 64;

  // Bit b of the result is bit source[b] of a row, or zero for kNothing. The size of
  // `source` is a multiple of 64.
  BitMoves(std::vector<std::int32_t> source, std::size_t n_words)
      : source_(std::move(source)), columns_(64 * n_words) {}

  // Moves the bits of up to kRows rows; results follow each other at `out`.
  void apply(std::span<const Word* const> rows, Word* out) {
    BitBlock block;
    for (std::size_t w = 0; w < columns_.size() / 64; ++w) {
      block.fill(0);
      for (std::size_t r = 0; r < rows.size(); ++r) block[r] = rows[r][w];
      transpose(block);
      for (std::size_t b = 0; b < 64; ++b) columns_[64 * w + b] = block[b];
    }
    const std::size_t n_out = source_.size() / 64;
    for (std::size_t w = 0; w < n_out; ++w) {
      for (std::size_t b = 0; b < 64; ++b) {
        const std::int32_t from = source_[64 * w + b];
        block[b] = from < 0 ? 0 : columns_[static_cast<std::size_t>(from)];
      }
      transpose(block);
      for (std::size_t r = 0; r < rows.size(); ++r) out[r * n_out + w] = block[r];
    }
  }

 private:
  std::vector<std::int32_t> source_;
  std::vector<Word> columns_;  // one word for each bit of the rows at hand
};

}  // namespace treeproof::rules
