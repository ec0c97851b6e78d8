// Every set of kernels that this machine runs, against plain loops over single bits.
#include "data/kernels/kernels.hpp"

#include <algorithm>
#include <cstddef>

#include "core/split_mix.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

using kernels::Block;
using kernels::Count;
using kernels::Kernels;

// Rows as bits in random columns: two classes, the second in two blocks of other weights.
template <class Word>
struct Bits {
  static constexpr std::int32_t kWords = 7, kClasses = 2, kColumns = 21;
  std::int32_t stride =
      (kColumns + kernels::kLanes<Word> - 1) / kernels::kLanes<Word> * kernels::kLanes<Word>;
  std::vector<Word> words;
  std::vector<Block> blocks{{0, 1, 0, 3}, {1, 1, 3, 5}, {1, 4, 5, kWords}};

  explicit Bits(std::uint64_t seed) : words(static_cast<std::size_t>(kWords * stride)) {
    for (std::size_t k = 0; k < words.size(); ++k)
      if (static_cast<std::int32_t>(k) % stride < kColumns)
        words[k] = static_cast<Word>(split_mix(seed + k));
  }
  bool bit(std::int32_t word, std::int32_t column, int b) const {
    return (words[static_cast<std::size_t>(word * stride + column)] >> b & 1) != 0;
  }
  // Weight of a class in the rows that `in` selects.
  template <class In>
  std::int64_t weight(std::int32_t channel, const In& in) const {
    std::int64_t sum = 0;
    for (const Block& block : blocks)
      if (block.channel == channel)
        for (std::int32_t w = block.begin; w < block.end; ++w)
          for (int b = 0; b < static_cast<int>(sizeof(Word)) * 8; ++b)
            if (in(w, b)) sum += block.multiplier;
    return sum;
  }
};

template <class Word>
void counts(const Kernels<Word>& kernel, const Bits<Word>& bits, Report& report) {
  std::vector<Count<Word>> counts(static_cast<std::size_t>(bits.stride));
  std::vector<Count<Word>> masked(counts.size());
  std::vector<Word> mask(Bits<Word>::kWords);
  for (std::size_t w = 0; w < mask.size(); ++w) mask[w] = static_cast<Word>(split_mix(1000 + w));
  kernel.column_counts(bits.words.data(), bits.stride, 1, 6, 3, counts.data());
  kernel.masked_counts(bits.words.data(), bits.stride, mask.data(), 1, 6, 3, masked.data());
  for (std::int32_t j = 0; j < Bits<Word>::kColumns; ++j) {
    int all = 0, selected = 0;
    for (std::int32_t w = 1; w < 6; ++w)
      for (int b = 0; b < static_cast<int>(sizeof(Word)) * 8; ++b) {
        all += bits.bit(w, j, b) ? 3 : 0;
        selected += bits.bit(w, j, b) && (mask[static_cast<std::size_t>(w)] >> b & 1) != 0 ? 3 : 0;
      }
    report.expect(counts[static_cast<std::size_t>(j)] == all);
    report.expect(masked[static_cast<std::size_t>(j)] == selected);
  }
}

template <class Word>
void pairs(const Kernels<Word>& kernel, const Bits<Word>& bits, Report& report) {
  using C = Count<Word>;
  constexpr std::int32_t kColumns = Bits<Word>::kColumns, kClasses = Bits<Word>::kClasses;
  const auto stride = static_cast<std::size_t>(bits.stride);
  std::vector<C> column(kClasses * stride), total(kClasses), pair(kClasses * kColumns * stride);
  std::vector<C> right(2 * stride), quarter(4 * stride), most(4 * stride);
  for (std::int32_t c = 0; c < kClasses; ++c) {
    total[static_cast<std::size_t>(c)] =
        static_cast<C>(bits.weight(c, [](std::int32_t, int) { return true; }));
    for (std::int32_t j = 0; j < kColumns; ++j)
      column[static_cast<std::size_t>(c) * stride + static_cast<std::size_t>(j)] =
          static_cast<C>(bits.weight(c, [&](auto w, int b) { return bits.bit(w, j, b); }));
  }
  const kernels::PairTask<Word> task{bits.words.data(),
                                     bits.stride,
                                     kColumns,
                                     bits.stride,
                                     bits.blocks.data(),
                                     static_cast<std::int32_t>(bits.blocks.size()),
                                     kClasses,
                                     false,
                                     column.data(),
                                     total.data(),
                                     pair.data(),
                                     right.data(),
                                     nullptr,
                                     0,
                                     1};
  kernel.pair_counts(task, 0, kColumns);
  const std::int32_t i = 5;
  kernel.quarters(task, i, quarter.data(), most.data());
  for (std::int32_t j = 0; j < kColumns; ++j) {
    std::int64_t heaviest[4] = {}, weight[4] = {};
    for (std::int32_t c = 0; c < kClasses; ++c)
      for (int q = 0; q < 4; ++q) {  // both, only i, only j, none
        const std::int64_t in = bits.weight(c, [&](auto w, int b) {
          return bits.bit(w, i, b) == (q < 2) && bits.bit(w, j, b) == (q % 2 == 0);
        });
        weight[q] += in;
        heaviest[q] = std::max(heaviest[q], in);
        if (q == 0 && j >= i)
          report.expect(pair[static_cast<std::size_t>(c * kColumns + i) * stride +
                             static_cast<std::size_t>(j)] == in);
      }
    for (std::size_t q = 0; q < 4; ++q) {
      report.expect(quarter[q * stride + static_cast<std::size_t>(j)] == weight[q]);
      report.expect(most[q * stride + static_cast<std::size_t>(j)] == heaviest[q]);
    }
  }
}

template <class Word>
void compresses(const Kernels<Word>& kernel, const Bits<Word>& bits, Report& report) {
  constexpr int kBits = static_cast<int>(sizeof(Word)) * 8;
  for (std::uint64_t n = 0; n < 20; ++n) {
    const auto mask = static_cast<Word>(split_mix(77 + n));
    const int offset = static_cast<int>(n) % kBits;
    Word moves[8] = {};
    kernels::compress_moves(mask, moves);
    std::vector<Word> current(static_cast<std::size_t>(bits.stride)), next(current.size());
    kernel.compress(bits.words.data(), bits.stride, moves, mask, offset, current.data(),
                    offset == 0 ? nullptr : next.data());
    for (std::int32_t j = 0; j < Bits<Word>::kColumns; ++j) {
      std::uint64_t packed = 0;
      int at = 0;
      for (int b = 0; b < kBits; ++b)
        if ((mask >> b & 1) != 0) packed |= std::uint64_t{bits.bit(0, j, b)} << at++;
      packed <<= offset;
      report.expect(current[static_cast<std::size_t>(j)] == static_cast<Word>(packed));
      if (offset > 0)
        report.expect(next[static_cast<std::size_t>(j)] == static_cast<Word>(packed >> kBits));
    }
  }
}

template <class Word>
void all(std::string_view name, Report& report) {
  const Kernels<Word>& kernel = kernels::select<Word>(name);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Bits<Word> bits(seed << 32);
    counts(kernel, bits, report);
    pairs(kernel, bits, report);
    compresses(kernel, bits, report);
  }
}

}  // namespace

void test_kernels(Report& report) {
  for (const std::string_view name : kernels::available()) {
    all<std::uint16_t>(name, report);
    all<std::uint32_t>(name, report);
  }
}

}  // namespace treeproof::unit
