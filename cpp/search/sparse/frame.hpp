// One node of the search, with its rows packed for counting: the bits of the columns that are still
// useful there, packed anew from the parent, so that the cost of counting is proportional to the
// number of rows left.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/index.hpp"
#include "core/limits.hpp"
#include "data/kernels/kernels.hpp"
#include "search/sparse/layout.hpp"

namespace treeproof::sparse {

using kernels::Block;
using kernels::Count;

// A test that may be split on at a node. Its children are numbered by columns: child
// 2 * column + 1 holds the rows whose bit is set, child 2 * column the others.
struct Candidate {
  std::int32_t test;
  std::int32_t column;  // first column
  std::int32_t n_children;
  bool two_way;

  std::int32_t child(std::int32_t k) const {
    return two_way ? 2 * column + 1 - k : 2 * (column + k) + 1;
  }
};

template <class Word>
class Frame {
 public:
  using C = Count<Word>;
  static constexpr int kBits = static_cast<int>(sizeof(Word)) * 8;
  using Slot = std::conditional_t<sizeof(Word) == 2, std::uint16_t, std::uint32_t>;
  static constexpr Slot kNoSlot = std::numeric_limits<Slot>::max();

  // Throws `Stopped` when a limit (null: none) is hit.
  void build_root(const Layout& layout, Limits* limits);
  void build_child(const Frame& parent, std::int32_t child, const kernels::Kernels<Word>& kernel);
  // A frame for any subset of the parent's rows, given as one mask for each word.
  void build_subset(const Frame& parent, const kernels::Kernels<Word>& kernel);
  std::vector<Word>& mask() { return mask_; }

  // Single counts of every column and channel.
  void count(const kernels::Kernels<Word>& kernel);

  void count_sides(const kernels::Kernels<Word>& kernel);
  std::int64_t child_total(std::int32_t child) const { return side_total[side(child)]; }
  std::int64_t child_most(std::int32_t child) const { return side_most[side(child)]; }

  // Keeps the columns marked in `keep` (whole tests) and drops the others; two-way columns stay
  // padded to whole vectors. The counts are moved along.
  void keep_columns(std::span<const std::uint8_t> keep);

  // The mask of a child's rows, a word at a time.
  Word child_word(std::int32_t child, std::int32_t word) const {
    const Word bits = words[static_cast<std::size_t>(word) * static_cast<std::size_t>(stride) +
                            static_cast<std::size_t>(child >> 1)];
    return (child & 1) ? bits
                       : static_cast<Word>(valid[static_cast<std::size_t>(word)] &
                                           static_cast<Word>(~bits));
  }
  Key child_key(std::int32_t child) const;
  // The key of the rows of a word that a mask selects; only the first slot of a row has one.
  Key key_of(std::int32_t word, Word mask) const;

  std::int64_t column_of(std::int32_t channel, std::int32_t j) const {
    return column_count[static_cast<std::size_t>(channel) * static_cast<std::size_t>(stride) +
                        static_cast<std::size_t>(j)];
  }
  std::int64_t child_count(std::int32_t channel, std::int32_t child) const {
    const std::int64_t in = column_of(channel, child >> 1);
    return (child & 1) ? in : channel_total[static_cast<std::size_t>(channel)] - in;
  }

  // The test that column j (no padding) belongs to, and how many columns that has from j on.
  std::int32_t test_at(std::int32_t j) const {
    return layout->columns[index(column[index(j)])].test;
  }
  std::int32_t test_width(std::int32_t j) const {
    if (j < n_binary) return 1;
    std::int32_t width = 1;
    while (j + width < n_columns && test_at(j + width) == test_at(j)) ++width;
    return width;
  }

  std::uint64_t bytes() const;

  // The index of a child in arrays over [bit][column].
  std::size_t side(std::int32_t child) const {
    return static_cast<std::size_t>((child & 1) * stride + (child >> 1));
  }

  const Layout* layout = nullptr;
  std::int32_t stride = 0;
  std::int32_t n_columns = 0;
  std::int32_t n_binary = 0;  // two-way columns, padded to whole vectors
  std::int32_t n_words = 0;
  std::int64_t n_rows = 0;           // occupied bits
  std::vector<std::int32_t> column;  // index into Layout::columns, -1 for padding
  std::vector<Block> blocks;
  std::vector<Word> words;
  std::vector<Word> valid;      // occupied bits of each word
  std::vector<Word> keyed;      // those with a key; empty if every row has one slot
  std::vector<Slot> slots;      // slot of each bit, or kNoSlot
  std::vector<C> column_count;  // [channel][stride]
  std::vector<C> channel_total;
  std::vector<C> side_total;          // [2][stride]: weight of either side of a column
  std::vector<C> side_most;           // [2][stride]: its heaviest class
  std::vector<std::uint8_t> blocked;  // per column: cannot be split on here, but possibly below
  bool prepared = false;              // counted, and useless columns dropped
  bool wide = false;                  // prepared, and each further child of a split costs
                                      // something, and some test has three or more here
  Key key;                            // of the rows, independent of the path to them

 private:
  static Word root_word(const Problem& problem, const Column& column,
                        std::span<const std::int32_t> rows);

  std::vector<Word> mask_;
  std::vector<std::int32_t> block_rows_;
};

extern template class Frame<std::uint16_t>;
extern template class Frame<std::uint32_t>;

}  // namespace treeproof::sparse
