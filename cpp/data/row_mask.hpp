// A set of rows as a bit mask, for questions about common and missing rows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treeproof {

class RowMask {
 public:
  RowMask() = default;
  explicit RowMask(std::size_t n_rows) : words_((n_rows + 63) / 64) {}

  void insert(std::uint32_t row) { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  bool holds(std::uint32_t row) const { return (words_[row / 64] >> (row % 64) & 1) != 0; }
  bool empty() const { return words_.empty(); }  // true for a table without rows
  std::size_t n_words() const { return words_.size(); }
  std::uint64_t word(std::size_t k) const { return words_[k]; }

  void make_common(const RowMask& a, const RowMask& b) {
    words_.resize(a.words_.size());
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] = a.words_[k] & b.words_[k];
  }
  static std::size_t count_common(const RowMask& a, const RowMask& b) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < a.words_.size(); ++k)
      n += static_cast<std::size_t>(std::popcount(a.words_[k] & b.words_[k]));
    return n;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// The weight of sets of rows.
class RowWeights {
 public:
  explicit RowWeights(std::span<const std::int32_t> weights) : weights_(weights) {
    for (const std::int32_t w : weights) unit_ = unit_ && w == 1;
  }

  // The weight of the rows in both sets; stops counting above `most`.
  std::int64_t common(const RowMask& a, const RowMask& b, std::int64_t most) const {
    return sum(a, most, [&](std::size_t k) { return a.word(k) & b.word(k); });
  }
  // The weight of the rows in `a` that are not in `b`; stops counting above `most`.
  std::int64_t missing(const RowMask& a, const RowMask& b, std::int64_t most) const {
    return sum(a, most, [&](std::size_t k) { return a.word(k) & ~b.word(k); });
  }

 private:
  template <class Word>
  std::int64_t sum(const RowMask& a, std::int64_t most, Word word) const {
    std::int64_t total = 0;
    for (std::size_t k = 0; k < a.n_words() && total <= most; ++k) {
      std::uint64_t bits = word(k);
      if (unit_) {
        total += std::popcount(bits);
        continue;
      }
      for (; bits != 0; bits &= bits - 1)
        total += weights_[64 * k + static_cast<std::size_t>(std::countr_zero(bits))];
    }
    return total;
  }

  std::span<const std::int32_t> weights_;
  bool unit_ = true;
};

}  // namespace treeproof
