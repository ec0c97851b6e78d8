#include "search/sparse/frame.hpp"

#include <algorithm>
#include <bit>

#include "core/memory.hpp"

namespace treeproof::sparse {
namespace {

template <class Word>
std::int32_t padded(std::int32_t n) {
  constexpr std::int32_t lanes = kernels::kLanes<Word>;
  return (n + lanes - 1) / lanes * lanes;
}

std::size_t at(std::int32_t word, std::int32_t stride, std::int32_t column) {
  return static_cast<std::size_t>(word) * static_cast<std::size_t>(stride) +
         static_cast<std::size_t>(column);
}

}  // namespace

template <class Word>
void Frame<Word>::build_root(const Layout& root, Limits* limits) {
  layout = &root;
  const Problem& problem = *root.problem;
  n_binary = padded<Word>(root.n_two_way);
  const auto n_total = static_cast<std::int32_t>(root.columns.size());
  n_columns = root.n_two_way == n_total ? root.n_two_way : n_binary + (n_total - root.n_two_way);
  stride = std::max(padded<Word>(n_columns), static_cast<std::int32_t>(kernels::kLanes<Word>));
  column.assign(static_cast<std::size_t>(n_columns), -1);
  for (std::int32_t k = 0; k < n_total; ++k)
    column[static_cast<std::size_t>(k < root.n_two_way ? k : n_binary + k - root.n_two_way)] = k;

  n_words = 0;
  n_rows = 0;
  prepared = false;
  blocks.clear();
  slots.clear();
  valid.clear();
  keyed.clear();
  key = {};
  for (const SlotBlock& source : root.blocks) {
    const std::int32_t n = source.end_slot - source.first_slot;
    const std::int32_t n_block_words = (n + kBits - 1) / kBits;
    blocks.push_back({source.channel, source.multiplier, n_words, n_words + n_block_words});
    for (std::int32_t k = 0; k < n_block_words * kBits; ++k) {
      if (k % kBits == 0) {
        valid.push_back(0);
        if (root.several_slots) keyed.push_back(0);
      }
      slots.push_back(k < n ? static_cast<Slot>(source.first_slot + k) : kNoSlot);
      if (k >= n) continue;
      const Word bit = static_cast<Word>(Word{1} << (k % kBits));
      valid.back() = static_cast<Word>(valid.back() | bit);
      key += root.slot_key(slots.back());
      if (root.several_slots && root.slot_row[slots.back()] >= 0)
        keyed.back() = static_cast<Word>(keyed.back() | bit);
    }
    n_words += n_block_words;
    n_rows += n;
  }
  slots.shrink_to_fit();
  words.assign(at(n_words, stride, 0), 0);
  // Word by word, since the columns of a word lie side by side.
  std::int32_t rows[kBits];
  for (std::int32_t w = 0; w < n_words; ++w) {
    const Slot* own = slots.data() + static_cast<std::ptrdiff_t>(w) * kBits;
    const int n_bits = std::popcount(valid[static_cast<std::size_t>(w)]);  // the first ones
    for (int bit = 0; bit < n_bits; ++bit) rows[bit] = root.row(own[bit]);
    for (std::int32_t j = 0; j < n_columns; ++j) {
      if (column[static_cast<std::size_t>(j)] < 0) continue;
      const Column& c = root.columns[static_cast<std::size_t>(column[static_cast<std::size_t>(j)])];
      words[at(w, stride, j)] = root_word(problem, c, {rows, static_cast<std::size_t>(n_bits)});
    }
    if (limits != nullptr) limits->prepare(static_cast<std::size_t>(kBits) * column.size());
  }
}

// One bit for each of the rows: whether it has the outcome of the column. Without branches on
// codes, which no processor can predict.
template <class Word>
Word Frame<Word>::root_word(const Problem& problem, const Column& column,
                            std::span<const std::int32_t> rows) {
  const Test& test = problem.tests[static_cast<std::size_t>(column.test)];
  const auto collect = [&](auto fits) {
    Word word = 0;
    for (std::size_t bit = 0; bit < rows.size(); ++bit)
      word = static_cast<Word>(word | static_cast<Word>(fits(problem.code(test.feature, rows[bit])))
                                          << bit);
    return word;
  };
  const bool yes = column.outcome == 0;
  switch (test.kind) {
    case TestKind::threshold: return collect([&](auto c) { return (c <= test.code) == yes; });
    case TestKind::equals: return collect([&](auto c) { return (c == test.code) == yes; });
    case TestKind::multiway: return collect([&](auto c) { return c == column.outcome; });
  }
  return 0;
}

template <class Word>
void Frame<Word>::build_child(const Frame& parent, std::int32_t child,
                              const kernels::Kernels<Word>& kernel) {
  mask_.resize(static_cast<std::size_t>(parent.n_words));
  for (std::int32_t w = 0; w < parent.n_words; ++w)
    mask_[static_cast<std::size_t>(w)] = parent.child_word(child, w);
  build_subset(parent, kernel);
}

template <class Word>
void Frame<Word>::build_subset(const Frame& parent, const kernels::Kernels<Word>& kernel) {
  // Long: bits, slots and key of the rows are copied in one pass over the parent.
  layout = parent.layout;
  stride = parent.stride;
  n_columns = parent.n_columns;
  n_binary = parent.n_binary;
  column = parent.column;
  blocks.clear();
  slots.clear();
  valid.clear();
  keyed.clear();
  words.clear();
  key = {};
  n_words = 0;
  n_rows = 0;
  prepared = false;
  block_rows_.clear();
  std::int32_t all_words = 0;
  for (const Block& source : parent.blocks) {
    std::int32_t n = 0;
    for (std::int32_t w = source.begin; w < source.end; ++w)
      n += std::popcount(mask_[static_cast<std::size_t>(w)]);
    block_rows_.push_back(n);
    all_words += (n + kBits - 1) / kBits;
  }
  words.resize(at(all_words, stride, 0), 0);
  valid.reserve(static_cast<std::size_t>(all_words));
  slots.reserve(static_cast<std::size_t>(all_words) * kBits);
  if (layout->several_slots) keyed.resize(static_cast<std::size_t>(all_words), 0);
  for (std::size_t b = 0; b < parent.blocks.size(); ++b) {
    const Block& source = parent.blocks[b];
    const std::int32_t n = block_rows_[b];
    if (n == 0) continue;
    const std::int32_t n_block_words = (n + kBits - 1) / kBits;
    blocks.push_back({source.channel, source.multiplier, n_words, n_words + n_block_words});
    std::int32_t filled = 0;
    for (std::int32_t w = source.begin; w < source.end; ++w) {
      const Word mask = mask_[static_cast<std::size_t>(w)];
      if (mask == 0) continue;
      Word moves[5];
      kernels::compress_moves<Word>(mask, moves);
      const std::int32_t taken = std::popcount(mask);
      const std::int32_t offset = filled % kBits;
      const std::int32_t target = n_words + filled / kBits;
      Word* current = words.data() + at(target, stride, 0);
      Word* next = offset + taken > kBits ? current + stride : nullptr;
      kernel.compress(parent.words.data() + at(w, stride, 0), stride, moves, mask, offset, current,
                      next);
      const Slot* own = parent.slots.data() + static_cast<std::ptrdiff_t>(w) * kBits;
      for (Word left = mask; left != 0; left = static_cast<Word>(left & (left - 1)))
        slots.push_back(own[std::countr_zero(left)]);
      key += parent.key_of(w, mask);
      if (layout->several_slots) {
        Word first = static_cast<Word>(parent.keyed[static_cast<std::size_t>(w)] & mask);
        for (; first != 0; first = static_cast<Word>(first & (first - 1))) {
          const Word before = static_cast<Word>(mask & ((first & (~first + 1)) - 1));
          const auto place = static_cast<std::size_t>(filled + std::popcount(before));
          Word& to = keyed[static_cast<std::size_t>(n_words) + place / kBits];
          to = static_cast<Word>(to | Word{1} << place % kBits);
        }
      }
      filled += taken;
    }
    for (std::int32_t k = 0; k < n_block_words; ++k) {
      const std::int32_t left = n - k * kBits;
      valid.push_back(left >= kBits ? static_cast<Word>(~Word{0})
                                    : static_cast<Word>((Word{1} << left) - 1));
    }
    slots.resize(static_cast<std::size_t>((n_words + n_block_words) * kBits), kNoSlot);
    n_words += n_block_words;
    n_rows += n;
  }
}

template <class Word>
void Frame<Word>::count(const kernels::Kernels<Word>& kernel) {
  const auto n_channels = static_cast<std::size_t>(layout->n_channels);
  column_count.assign(n_channels * static_cast<std::size_t>(stride), 0);
  channel_total.assign(n_channels, 0);
  for (const Block& block : blocks) {
    const auto channel = static_cast<std::size_t>(block.channel);
    kernel.column_counts(words.data(), stride, block.begin, block.end, block.multiplier,
                         column_count.data() + channel * static_cast<std::size_t>(stride));
    std::int32_t bits = 0;
    for (std::int32_t w = block.begin; w < block.end; ++w)
      bits += std::popcount(valid[static_cast<std::size_t>(w)]);
    channel_total[channel] = static_cast<C>(channel_total[channel] + bits * block.multiplier);
  }
  count_sides(kernel);
}

template <class Word>
void Frame<Word>::count_sides(const kernels::Kernels<Word>& kernel) {
  side_total.resize(2 * static_cast<std::size_t>(stride));
  side_most.resize(2 * static_cast<std::size_t>(stride));
  kernel.side_totals(column_count.data(), channel_total.data(), layout->n_classes, stride,
                     side_total.data(), side_most.data());
}

template <class Word>
void Frame<Word>::keep_columns(std::span<const std::uint8_t> keep) {
  std::vector<std::int32_t> source;
  std::int32_t new_binary = 0;
  for (std::int32_t j = 0; j < n_columns; ++j) {
    if (j == n_binary) {  // two-way columns end here: pad before the multiway ones
      new_binary = padded<Word>(static_cast<std::int32_t>(source.size()));
      source.resize(static_cast<std::size_t>(new_binary), -1);
    }
    if (keep[static_cast<std::size_t>(j)]) source.push_back(j);
  }
  while (!source.empty() && source.back() < 0) source.pop_back();
  const auto new_columns = static_cast<std::int32_t>(source.size());
  if (n_columns <= n_binary) new_binary = padded<Word>(new_columns);
  const std::int32_t new_stride =
      std::max(padded<Word>(new_columns), static_cast<std::int32_t>(kernels::kLanes<Word>));

  // Row by row through a buffer, because a padding gap can be wider than what was dropped before
  // it.
  const auto move_row = [&](auto* to, const auto* from) {
    for (std::int32_t j = 0; j < new_columns; ++j) {
      const std::int32_t s = source[static_cast<std::size_t>(j)];
      to[j] = s < 0 ? std::remove_cvref_t<decltype(*to)>{0} : from[s];
    }
    for (std::int32_t j = new_columns; j < new_stride; ++j) to[j] = 0;
  };
  std::vector<Word> word_row(static_cast<std::size_t>(new_stride));
  std::vector<C> count_row(static_cast<std::size_t>(new_stride));
  for (std::int32_t w = 0; w < n_words; ++w) {
    move_row(word_row.data(), words.data() + at(w, stride, 0));
    std::ranges::copy(word_row, words.data() + at(w, new_stride, 0));
  }
  words.resize(at(n_words, new_stride, 0));
  for (std::int32_t c = 0; c < layout->n_channels; ++c) {
    move_row(count_row.data(), column_count.data() + at(c, stride, 0));
    std::ranges::copy(count_row, column_count.data() + at(c, new_stride, 0));
  }
  column_count.resize(at(layout->n_channels, new_stride, 0));
  std::vector<std::int32_t> new_column(static_cast<std::size_t>(new_columns), -1);
  for (std::size_t j = 0; j < source.size(); ++j)
    if (source[j] >= 0) new_column[j] = column[static_cast<std::size_t>(source[j])];
  column = std::move(new_column);
  std::vector<std::uint8_t> new_blocked(static_cast<std::size_t>(new_columns), 0);
  for (std::size_t j = 0; j < source.size(); ++j)
    if (source[j] >= 0) new_blocked[j] = blocked[static_cast<std::size_t>(source[j])];
  blocked = std::move(new_blocked);
  stride = new_stride;
  n_columns = new_columns;
  n_binary = new_binary;
}

template <class Word>
Key Frame<Word>::child_key(std::int32_t child) const {
  Key sum;
  for (std::int32_t w = 0; w < n_words; ++w) sum += key_of(w, child_word(child, w));
  return sum;
}

template <class Word>
Key Frame<Word>::key_of(std::int32_t word, Word mask) const {
  Key sum;
  if (!keyed.empty()) mask = static_cast<Word>(mask & keyed[static_cast<std::size_t>(word)]);
  const Slot* own = slots.data() + static_cast<std::ptrdiff_t>(word) * kBits;
  for (; mask != 0; mask = static_cast<Word>(mask & (mask - 1)))
    sum += layout->slot_key(own[std::countr_zero(mask)]);
  return sum;
}

template <class Word>
std::uint64_t Frame<Word>::bytes() const {
  return capacity_bytes(column, blocks, words, valid, keyed, slots, column_count, channel_total,
                        side_total, side_most, blocked, mask_, block_rows_);
}

template class Frame<std::uint16_t>;
template class Frame<std::uint32_t>;

}  // namespace treeproof::sparse
