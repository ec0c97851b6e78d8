// A fuzzy box stands for many boxes at once: it has a range of choices for every column.
//
//   interval     the lower end lies in [low_first, low_last], the upper in [high_first, high_last]
//   subset       each value is out, open (undecided) or in
//   one_or_all   the values of which one may be kept, and whether keeping all is a choice
//
// It is stored as 16-bit words, one group for each column, because a search keeps a million of
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bounds/prices/points.hpp"
#include "core/index.hpp"

namespace treeproof::prices {

using Word = std::uint16_t;

// What is known of a value of a category column. Subsets use all three states; with one_or_all a
// value is `open` while it can be the one that is kept, and `out` otherwise.
enum ValueState : std::uint8_t { out = 0, open = 1, in = 2 };

class FuzzyLayout {
 public:
  explicit FuzzyLayout(const Points& points) {
    for (const PointColumn& column : points.columns) {
      first_.push_back(size_);
      size_ += column.choice == Choice::interval ? 4 : 1 + (index(column.n_values) + 7) / 8;
    }
  }
  std::size_t first(std::size_t column) const { return first_[column]; }
  std::size_t size() const { return size_; }

  // Returns the fuzzy box that stands for all boxes.
  std::vector<Word> everything(const Points& points) const {
    std::vector<Word> words(size_, 0);
    for (std::size_t c = 0; c < points.columns.size(); ++c) {
      const PointColumn& column = points.columns[c];
      Word* at = words.data() + first_[c];
      if (column.choice == Choice::interval) {
        at[1] = at[3] = static_cast<Word>(column.n_values - 1);
        continue;
      }
      at[0] = 1;
      for (std::int32_t v = 0; v < column.n_values; ++v) set_value(at, index(v), open);
    }
    return words;
  }

  // The words of a category column: word 0 says whether keeping all values is a choice, and then
  // every value has two bits.
  static ValueState value(const Word* at, std::size_t v) {
    return static_cast<ValueState>(at[1 + v / 8] >> (2 * (v % 8)) & 3);
  }
  static void set_value(Word* at, std::size_t v, ValueState state) {
    Word& word = at[1 + v / 8];
    const unsigned shift = 2 * static_cast<unsigned>(v % 8);
    word = static_cast<Word>((word & ~(3u << shift)) | (unsigned{state} << shift));
  }

 private:
  std::vector<std::size_t> first_;
  std::size_t size_ = 0;
};

}  // namespace treeproof::prices
