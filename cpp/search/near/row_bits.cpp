#include "search/near/row_bits.hpp"

#include "core/index.hpp"

namespace treeproof::near {

RowBits::RowBits(const Problem& problem)
    : problem_(problem), n_words_((index(problem.n_rows()) + 63) / 64) {
  for (const Test& test : problem.tests) {
    first_outcome_.push_back(masks_.size());
    masks_.resize(masks_.size() + index(test.n_outcomes), Bits(n_words_, 0));
    for (std::int32_t r = 0; r < problem.n_rows(); ++r) {
      Bits& mask = masks_[first_outcome_.back() + index(problem.outcome(test, r))];
      mask[index(r) / 64] |= std::uint64_t{1} << (index(r) % 64);
    }
  }
}

Bits RowBits::all() const {
  Bits out(n_words_, 0);
  for (std::size_t r = 0; r < index(problem_.n_rows()); ++r)
    out[r / 64] |= std::uint64_t{1} << (r % 64);
  return out;
}

void RowBits::part(BitsView set, std::int32_t test, std::int32_t outcome, Bits& out) const {
  const Bits& mask = masks_[first_outcome_[index(test)] + index(outcome)];
  out.resize(n_words_);
  for (std::size_t w = 0; w < n_words_; ++w) out[w] = set[w] & mask[w];
}

// Sets are identified by 128 bits: the sum of one random key for each half word, which depends on
// the position and on the bits of the half word.
Key RowBits::key(BitsView set) const {
  Key key;
  for (std::size_t w = 0; w < set.size(); ++w) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::uint64_t bits = (set[w] >> (32 * half)) & 0xffffffffULL;
      if (bits != 0) key += random_key((static_cast<std::uint64_t>(2 * w + half) << 32) | bits);
    }
  }
  return key;
}

std::vector<std::int32_t> RowBits::rows(BitsView set) const {
  std::vector<std::int32_t> out;
  for_each_row(set, [&](std::int32_t r) { out.push_back(r); });
  return out;
}

}  // namespace treeproof::near
