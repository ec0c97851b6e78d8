// The inner loops of the categorical search, compiled once for each instruction set and
// chosen at run time.
//
// A node's rows are packed as bits: `words[w * stride + j]` holds, for column j, the bits
// of the w-th word of rows, so that one vector register holds the same rows of 16 (or 8)
// neighbouring columns. Rows of one *channel* (a class, or the sample counts) with one
// multiplier form a block of consecutive words; unused bits are zero in every column.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace treeproof::kernels {

// Words of 16 bits are used for tables with a total weight below 2^15; they give twice as many
// lanes as words of 32 bits.
template <class Word>
struct CountOf;
template <>
struct CountOf<std::uint16_t> {
  using type = std::int16_t;
};
template <>
struct CountOf<std::uint32_t> {
  using type = std::int32_t;
};
template <class Word>
using Count = typename CountOf<Word>::type;

inline constexpr int kVectorBytes = 32;
template <class Word>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Word));

// The covering bound keeps two vectors for each class on the stack; with more classes than this it
// is not used.
inline constexpr std::int32_t kMaxCoveringClasses = 16;

struct Block {
  std::int32_t channel;
  std::int32_t multiplier;
  std::int32_t begin;  // words [begin, end)
  std::int32_t end;
};

// Everything that the counting of pairs reads and writes. Children are numbered 2 * column + bit.
template <class Word>
struct PairTask {
  const Word* words;
  std::int32_t stride;  // columns, padded to whole vectors
  std::int32_t n_columns;
  std::int32_t n_binary;  // columns [0, n_binary) are two-way tests, padded to whole vectors
  const Block* blocks;    // sorted by channel
  std::int32_t n_blocks;
  std::int32_t n_classes;
  bool has_samples;  // channel n_classes counts samples

  const Count<Word>* column_count;   // [channel][stride]
  const Count<Word>* channel_total;  // [channel]
  Count<Word>* pair;                 // [channel][n_columns][stride], j >= i's vector only

  // For two-way columns: the largest weight that a tree with one split predicts correctly in each
  // child; and for the covering bound, the largest count of each class in a literal that is
  // admissible in the child.
  Count<Word>* best_right;  // [2][stride]: bit 0 row, then bit 1 row
  Count<Word>* covering;    // [class][2][stride], or null
  Count<Word> penalty;      // a side needs some class with more weight than this
  Count<Word> min_samples;  // sides with fewer samples are not allowed (1 allows any)
};

// Counts of single two-way tests, pairs and triples (a < b < k) of them, by class, and what follows
// from them. Arrays over columns have at least one vector of zeros behind their end; the triples
// (a, b, k) of one class begin at start[a * n_columns + b] with k = b + 1, and zeros fill the last
// vector.
struct TripleTask {
  std::int32_t n_columns;
  std::int32_t n_classes;
  std::int64_t stride;
  std::int64_t n_triples;      // counts of one class
  const std::int64_t* start;   // [n_columns][n_columns]
  const std::int32_t* total;   // [class]
  const std::int32_t* single;  // [class][stride]
  const std::int32_t* pair;    // [class][n_columns][stride]
  const std::int32_t* triple;  // [class][n_triples]
  // The largest weight that one split predicts correctly in each part that the tests a < b make:
  // [2 * (passes a) + (passes b)][n_columns][stride].
  std::int32_t* best;
};

// The four parts into which two two-way tests i and j divide the rows.
enum Quarter { kBoth, kOnlyI, kOnlyJ, kNone };

template <class Word>
struct Kernels {
  // counts[j] += multiplier * (set bits of column j in words [begin, end)).
  void (*column_counts)(const Word* words, std::int32_t stride, std::int32_t begin,
                        std::int32_t end, std::int32_t multiplier, Count<Word>* counts);
  // The same for the rows that mask[w] selects.
  void (*masked_counts)(const Word* words, std::int32_t stride, const Word* mask,
                        std::int32_t begin, std::int32_t end, std::int32_t multiplier,
                        Count<Word>* counts);
  // Weight and heaviest class of both sides of every column: [2][stride], bit 0 first.
  void (*side_totals)(const Count<Word>* column_count, const Count<Word>* channel_total,
                      std::int32_t n_classes, std::int32_t stride, Count<Word>* total,
                      Count<Word>* most);
  // Weight and heaviest class of the quarters column i makes with every two-way column:
  // [Quarter][stride].
  void (*quarters)(const PairTask<Word>& task, std::int32_t i, Count<Word>* total,
                   Count<Word>* most);
  // The rows i in [first, last) of the pair matrix, and what follows from them.
  void (*pair_counts)(const PairTask<Word>& task, std::int32_t first, std::int32_t last);
  // Moves the bits that a mask selects to the low end of each column's word (the moves
  // come from `compress_moves`) and appends them at `offset` to current / next.
  void (*compress)(const Word* in, std::int32_t stride, const Word* moves, Word mask,
                   std::int32_t offset, Word* current, Word* next);
  // Raises `best` by all triples whose first column is a.
  void (*triple_best)(const TripleTask& task, std::int32_t a);
};

// The move masks of the parallel-suffix bit compression (Hacker's Delight, section 7-4).
template <class Word>
inline void compress_moves(Word mask, Word* moves) {
  constexpr int bits = static_cast<int>(sizeof(Word)) * 8;
  Word m = mask;
  auto mk = static_cast<Word>(~m << 1);
  for (int k = 0, shift = 1; shift < bits; ++k, shift <<= 1) {
    Word mp = mk;
    for (int s = 1; s < bits; s <<= 1) mp = static_cast<Word>(mp ^ static_cast<Word>(mp << s));
    const auto mv = static_cast<Word>(mp & m);
    moves[k] = mv;
    m = static_cast<Word>((m ^ mv) | (mv >> shift));
    mk = static_cast<Word>(mk & static_cast<Word>(~mp));
  }
}

// The best kernels of this machine, or the named ones ("portable", "avx2", "avx512");
// throws std::invalid_argument where the machine lacks them.
template <class Word>
const Kernels<Word>& select(std::string_view name);

// Names this machine can run, the best first.
std::vector<std::string_view> available();

}  // namespace treeproof::kernels
