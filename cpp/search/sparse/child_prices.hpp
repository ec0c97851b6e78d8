// Sums of row prices for the children of every test at a node.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bounds/prices/price_board.hpp"
#include "search/sparse/frame.hpp"

namespace treeproof::sparse {

template <class Word>
class ChildPrices {
 public:
  // Uses these prices of the rows from now on.
  void use(const Layout& layout, std::shared_ptr<const prices::RowPrices> prices) {
    prices_ = std::move(prices);
    of_slot_.resize(layout.slot_row.size());
    for (std::size_t slot = 0; slot < of_slot_.size(); ++slot) {
      const std::int32_t row = layout.slot_row[slot];
      of_slot_[slot] = row < 0 ? 0 : prices_->of_row[index(row)];
    }
  }
  explicit operator bool() const { return prices_ != nullptr; }

  // Adds up the prices of the frame's rows and of the rows of each column. Four bits of a
  // column are looked up at a time.
  void sum(const Frame<Word>& frame) {
    total_ = 0;
    of_column_.assign(index(frame.stride), 0);
    for (std::int32_t w = 0; w < frame.n_words; ++w) {
      const Word* words = frame.words.data() + index(w) * index(frame.stride);
      for (int first = 0; first < Frame<Word>::kBits; first += 4) {
        Cost sums[16] = {};
        for (int bit = 0; bit < 4; ++bit) {
          const auto slot = frame.slots[index(w) * Frame<Word>::kBits + index(first + bit)];
          const Cost price = slot == Frame<Word>::kNoSlot ? 0 : of_slot_[slot];
          for (int set = 0; set < 1 << bit; ++set) sums[set + (1 << bit)] = sums[set] + price;
        }
        if (sums[15] == 0) continue;
        total_ += sums[15];
        for (std::int32_t j = 0; j < frame.n_columns; ++j)
          of_column_[index(j)] += sums[words[j] >> first & 15];
      }
    }
  }

  // A lower bound on the cost of all trees on the rows of the child; may be negative.
  Cost bound(std::int32_t child) const {
    const Cost in = of_column_[index(child >> 1)];
    return ((child & 1) != 0 ? in : total_ - in) - prices_->split_cost;
  }
  Cost whole_bound() const { return prices_->total - prices_->split_cost; }

 private:
  std::shared_ptr<const prices::RowPrices> prices_;
  std::vector<Cost> of_slot_;    // price of the row at its first slot, zero at its other slots
  std::vector<Cost> of_column_;  // sum over the rows whose bit is set
  Cost total_ = 0;
};

}  // namespace treeproof::sparse
