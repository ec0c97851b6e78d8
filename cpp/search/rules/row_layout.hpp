// Rows as bits, ordered so that class counts are popcounts of whole words.
//
// Each class starts at a new word; bits that stand for no row are never set in a mask. Rows
// that were merged are spread over several bits again where all bits of a class then weigh
// the same, because a popcount is faster than a weighted sum. Otherwise weights are summed
// a byte at a time from tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "data/problem.hpp"
#include "search/rules/rule_store.hpp"

namespace treeproof::rules {

using Mask = std::vector<Word>;

// The number of rows of a set and their weight; as a limit, the minimum for a leaf.
struct LeafSize {
  std::int64_t samples = 1;
  std::int64_t weight = 0;

  // True if every non-empty leaf is allowed.
  bool trivial() const { return samples <= 1 && weight <= 0; }
  bool allows(const LeafSize& leaf) const {
    return leaf.samples >= samples && leaf.weight >= weight;
  }
  LeafSize without(const LeafSize& part) const {
    return {samples - part.samples, weight - part.weight};
  }
};

struct Bit {
  std::int32_t location = -1;  // the point it lies at; -1 for a bit that is no row
  Weight weight = 0;
  std::int32_t samples = 0;  // rows of the table it stands for
  bool minority = false;     // another class weighs more at the same point
};

class RowLayout {
 public:
  // One feature of `problem`, the first, numbers the points.
  explicit RowLayout(const Problem& problem);
  // The rows in `mask` alone.
  RowLayout(const RowLayout& parent, const Word* mask);

  std::size_t n_words() const { return n_words_; }
  std::size_t n_classes() const { return first_word_.size() - 1; }
  std::size_t first_word(std::size_t c) const { return first_word_[c]; }
  const std::vector<Bit>& bits() const { return bits_; }
  const Mask& all() const { return all_; }

  // True if all bits of a class have the same weight: unit(c) each, one sample each.
  bool uniform() const { return uniform_; }
  Weight unit(std::size_t c) const { return unit_[c]; }

  std::int64_t weight_in_word(std::size_t w, Word bits) const {
    return sum_bytes(weight_tables_, w, bits);
  }
  std::int64_t samples_in_word(std::size_t w, Word bits) const {
    return sum_bytes(sample_tables_, w, bits);
  }

  // Weight of each class in a set of rows.
  void class_weights(const Word* mask, std::int64_t* weights) const;
  LeafSize size(const Word* mask) const;
  // The weight that a single leaf with these rows misclassifies.
  std::int64_t leaf_loss(const Word* mask) const;
  // The weight that every tree with this many leaves misclassifies: at a point with several classes
  // all but one are wrong, and so are all classes without a leaf.
  std::int64_t floor_loss(const Word* mask, std::size_t n_leaves) const;

 private:
  using ByteTable = std::array<std::int32_t, 256>;

  void finish();
  static std::int64_t sum_bytes(const std::vector<ByteTable>& tables, std::size_t w, Word bits) {
    std::int64_t sum = 0;
    for (std::size_t b = 0; bits != 0; ++b, bits >>= 8) sum += tables[8 * w + b][bits & 255];
    return sum;
  }

  std::size_t n_words_ = 0;
  std::vector<std::size_t> first_word_;  // of each class; one more at the end
  std::vector<Bit> bits_;
  Mask all_;
  Mask minority_;  // rows of a class that another one outweighs at their point
  bool uniform_ = true;
  std::vector<Weight> unit_;
  std::vector<ByteTable> weight_tables_;  // only if not uniform
  std::vector<ByteTable> sample_tables_;
};

}  // namespace treeproof::rules
