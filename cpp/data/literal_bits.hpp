// Rows as bits, with one bit vector for each literal, arranged so that weighted class counts are
// plain population counts.
//
// A row of weight 5 = 4 + 1 has two bits: one among the rows of its class that carry a 1, and one
// among those that carry a 4. Each such run of bits is a *slice*. Slices start at word boundaries,
// so that the weight of class k in a set of rows is the sum over the slices of k of popcount <<
// shift. Unweighted data have one slice for each class and no overhead; real weights that are
// rounded to 30 bits need about 15 bits for each row. If leaves need a minimum number of table rows
// and the weights differ from the numbers of rows, slices for these numbers are added.
//
// Example: labels 0 0 1, weights 1 5 1. Slice (class 0, ones) holds rows 0 and 1, slice (class 0,
// fours) holds row 1, and slice (class 1, ones) holds row 2: three words, one for each slice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/problem.hpp"

namespace treeproof {

// The words of a row set that are not zero, slice by slice. Deep in a tree few of them are left,
// and counting visits only these.
struct RowSet {
  std::vector<std::uint32_t> index;
  std::vector<std::uint64_t> word;
  std::vector<std::size_t> slice_end;  // position after the last word of each slice
};

// Class weights and table rows of one row set, or of every outcome of a test.
struct Counts {
  std::vector<Weight> weight;         // [outcome * n_classes + class]
  std::vector<std::int64_t> samples;  // [outcome]; zeros unless they were requested
};

class LiteralBits {
 public:
  // Only plans the layout, so that `bytes` can be compared with a limit before `fill`.
  // `count_samples`: numbers of table rows will be needed.
  LiteralBits(const Problem& problem, bool count_samples);
  void fill(const Problem& problem);

  std::uint64_t bytes() const;
  // Literals are numbered test by test, outcome by outcome.
  std::uint32_t literal(std::int32_t test, std::int32_t outcome) const {
    return first_literal_[static_cast<std::size_t>(test)] + static_cast<std::uint32_t>(outcome);
  }
  std::uint32_t n_literals() const { return first_literal_.back(); }

  // The rows that satisfy every literal.
  void intersect(std::span<const std::uint32_t> literals, RowSet& rows);
  // The rows of `rows` that also satisfy this literal.
  void narrow(const RowSet& rows, std::uint32_t literal, RowSet& narrowed) const;
  // Counts of a row set as a whole.
  void count(const RowSet& rows, Counts& counts) const;
  // Counts of every outcome of a test; `whole` holds the counts of `rows`.
  void count_outcomes(const RowSet& rows, const Counts& whole, std::int32_t test,
                      Counts& outcomes) const;

 private:
  struct Slice {
    std::int32_t label;  // -1 if the slice counts table rows instead of weights
    std::int32_t shift;
    std::size_t first_word;
    std::size_t end_word;
  };

  // The bits of a literal: the stored bits, or their complement.
  struct Mask {
    const std::uint64_t* words;
    bool inverted;

    std::uint64_t operator[](std::size_t w) const { return inverted ? ~words[w] : words[w]; }
  };
  Mask mask(std::uint32_t literal) const;
  void lay_out(const Problem& problem, bool count_samples);
  void set_bits(const Problem& problem);
  const std::uint64_t* bits(std::size_t vector_number) const {
    return words_.data() + vector_number * static_cast<std::size_t>(n_words_);
  }
  void add(const RowSet& rows, const std::uint64_t* mask, Weight* weight,
           std::int64_t& samples) const;

  std::int32_t n_words_ = 0;
  std::size_t n_classes_ = 0;
  std::vector<Slice> slices_;
  std::vector<std::uint32_t> first_literal_;  // per test, and one past the last
  std::vector<std::int32_t> test_of_;         // per literal
  // A two-way test stores the rows of its outcome 0 only; a multiway test every outcome.
  std::vector<std::size_t> first_vector_;  // per test, and one past the last
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> everything_;  // all rows, in all slices
  std::vector<std::uint64_t> scratch_;     // one row set in full while it is intersected
  bool samples_are_weights_ = false;
};

}  // namespace treeproof
