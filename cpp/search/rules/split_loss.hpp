// The weight that two leaves get wrong when a rule splits a set of rows: the inner loop.
//
// `with_split_loss` picks the version for the problem at hand once per scan: two classes
// with fixed numbers of words (loops unrolled), any number of classes, or single weights.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "search/rules/row_layout.hpp"

namespace treeproof::rules {

// Two classes of equal weight per bit, W0 and W1 words each.
template <std::size_t W0, std::size_t W1>
class TwoClassLoss {
 public:
  TwoClassLoss(const RowLayout& rows, const Word* mask) {
    std::copy_n(mask, W0 + W1, mask_);
    for (std::size_t w = 0; w < W0; ++w) n0_ += std::popcount(mask[w]);
    for (std::size_t w = W0; w < W0 + W1; ++w) n1_ += std::popcount(mask[w]);
    unit0_ = rows.unit(0);
    unit1_ = rows.unit(1);
    n0_ *= unit0_;
    n1_ *= unit1_;
  }

  std::int64_t operator()(const Word* side) const {
    std::int64_t a = 0, b = 0;
    for (std::size_t w = 0; w < W0; ++w) a += std::popcount(side[w] & mask_[w]);
    for (std::size_t w = W0; w < W0 + W1; ++w) b += std::popcount(side[w] & mask_[w]);
    a *= unit0_;
    b *= unit1_;
    return std::min(a, b) + std::min(n0_ - a, n1_ - b);
  }

 private:
  Word mask_[W0 + W1];
  std::int64_t n0_ = 0, n1_ = 0, unit0_ = 1, unit1_ = 1;
};

// Any number of classes, any weights.
class GeneralLoss {
 public:
  GeneralLoss(const RowLayout& rows, const Word* mask)
      : rows_(rows), mask_(mask), totals_(rows.n_classes()) {
    rows.class_weights(mask, totals_.data());
    for (const std::int64_t t : totals_) total_ += t;
  }

  std::int64_t operator()(const Word* side) const {
    std::int64_t largest = 0, largest_other = 0;
    for (std::size_t c = 0; c < totals_.size(); ++c) {
      std::int64_t inside = 0;
      if (rows_.uniform()) {
        for (std::size_t w = rows_.first_word(c); w < rows_.first_word(c + 1); ++w)
          inside += std::popcount(side[w] & mask_[w]);
        inside *= rows_.unit(c);
      } else {
        for (std::size_t w = rows_.first_word(c); w < rows_.first_word(c + 1); ++w)
          inside += rows_.weight_in_word(w, side[w] & mask_[w]);
      }
      largest = std::max(largest, inside);
      largest_other = std::max(largest_other, totals_[c] - inside);
    }
    return total_ - largest - largest_other;
  }

 private:
  const RowLayout& rows_;
  const Word* mask_;
  std::vector<std::int64_t> totals_;
  std::int64_t total_ = 0;
};

template <class Use>
void with_split_loss(const RowLayout& rows, const Word* mask, const Use& use) {
  if (rows.uniform() && rows.n_classes() == 2) {
    const std::size_t w0 = rows.first_word(1), w1 = rows.n_words() - w0;
    if (w0 == 1 && w1 == 1) return use(TwoClassLoss<1, 1>(rows, mask));
    if (w0 == 1 && w1 == 2) return use(TwoClassLoss<1, 2>(rows, mask));
    if (w0 == 2 && w1 == 1) return use(TwoClassLoss<2, 1>(rows, mask));
    if (w0 == 2 && w1 == 2) return use(TwoClassLoss<2, 2>(rows, mask));
    if (w0 == 3 && w1 == 3) return use(TwoClassLoss<3, 3>(rows, mask));
    if (w0 == 4 && w1 == 4) return use(TwoClassLoss<4, 4>(rows, mask));
  }
  use(GeneralLoss(rows, mask));
}

}  // namespace treeproof::rules
