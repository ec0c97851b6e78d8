#include "data/literal_bits.hpp"

#include <algorithm>
#include <bit>

namespace treeproof {
namespace {

constexpr std::size_t kWordBits = 64;

void set_bit(std::uint64_t* words, std::size_t bit) {
  words[bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
}

bool in_slice(const Problem& problem, std::int32_t label, std::int32_t shift, std::size_t row) {
  if (label >= 0 && problem.label[row] != label) return false;
  const std::int64_t value = label >= 0 ? problem.weight[row] : problem.samples[row];
  return ((value >> shift) & 1) != 0;
}

}  // namespace

LiteralBits::LiteralBits(const Problem& problem, bool count_samples)
    : n_classes_(static_cast<std::size_t>(problem.n_classes)) {
  std::uint32_t next_literal = 0;
  std::size_t n_vectors = 0;
  for (std::size_t t = 0; t < problem.tests.size(); ++t) {
    const std::int32_t outcomes = problem.tests[t].n_outcomes;
    first_literal_.push_back(next_literal);
    first_vector_.push_back(n_vectors);
    next_literal += static_cast<std::uint32_t>(outcomes);
    n_vectors += outcomes == 2 ? 1 : static_cast<std::size_t>(outcomes);
    test_of_.insert(test_of_.end(), static_cast<std::size_t>(outcomes),
                    static_cast<std::int32_t>(t));
  }
  first_literal_.push_back(next_literal);
  first_vector_.push_back(n_vectors);
  samples_are_weights_ = problem.weights_are_samples;
  lay_out(problem, count_samples);
}

void LiteralBits::fill(const Problem& problem) {
  words_.resize(first_vector_.back() * static_cast<std::size_t>(n_words_));
  scratch_.resize(static_cast<std::size_t>(n_words_));
  set_bits(problem);
}

// One slice for each class (or for all rows, when numbers of table rows are counted) and
// each binary digit that some row has set; the row's bits follow in row order.
void LiteralBits::lay_out(const Problem& problem, bool count_samples) {
  const auto add_slice = [&](std::int32_t label, std::int32_t shift) {
    std::size_t bits = 0;
    for (std::size_t r = 0; r < problem.label.size(); ++r)
      bits += in_slice(problem, label, shift, r) ? 1 : 0;
    if (bits == 0) return;
    const auto first = static_cast<std::size_t>(n_words_);
    const std::size_t end = first + (bits + kWordBits - 1) / kWordBits;
    slices_.push_back({label, shift, first, end});
    n_words_ = static_cast<std::int32_t>(end);
  };
  const std::int64_t heaviest =
      problem.weight.empty() ? 0 : *std::ranges::max_element(problem.weight);
  for (std::int32_t k = 0; k < problem.n_classes; ++k)
    for (std::int32_t b = 0; (heaviest >> b) > 0; ++b) add_slice(k, b);
  if (!count_samples || samples_are_weights_) return;
  const std::int64_t most =
      problem.samples.empty() ? 0 : *std::ranges::max_element(problem.samples);
  for (std::int32_t b = 0; (most >> b) > 0; ++b) add_slice(-1, b);
}

// The vectors of a feature follow each other code by code, so a row sets one bit for each
// feature; the rows below a threshold are then those of all codes up to it.
void LiteralBits::set_bits(const Problem& problem) {
  const auto n_words = static_cast<std::size_t>(n_words_);
  everything_.assign(n_words, 0);
  std::vector<std::size_t> first(problem.features.size(), 0);
  std::vector<std::size_t> end(problem.features.size(), 0);
  for (std::size_t t = 0; t < problem.tests.size(); ++t) {
    const auto f = static_cast<std::size_t>(problem.tests[t].feature);
    if (end[f] == 0) first[f] = first_vector_[t];
    end[f] = first_vector_[t + 1];
  }
  for (const Slice& slice : slices_) {
    std::size_t bit = slice.first_word * kWordBits;
    for (std::int32_t r = 0; r < problem.n_rows(); ++r) {
      if (!in_slice(problem, slice.label, slice.shift, static_cast<std::size_t>(r))) continue;
      set_bit(everything_.data(), bit);
      for (std::size_t f = 0; f < problem.features.size(); ++f) {
        const auto code = static_cast<std::size_t>(problem.code(static_cast<std::int32_t>(f), r));
        if (first[f] + code < end[f]) set_bit(words_.data() + (first[f] + code) * n_words, bit);
      }
      ++bit;
    }
  }
  for (std::size_t t = 1; t < problem.tests.size(); ++t) {
    if (problem.tests[t].kind != TestKind::threshold || problem.tests[t].code == 0) continue;
    std::uint64_t* const words = words_.data() + first_vector_[t] * n_words;
    for (std::size_t w = 0; w < n_words; ++w) words[w] |= *(words - n_words + w);
  }
}

std::uint64_t LiteralBits::bytes() const {
  return sizeof(std::uint64_t) * (first_vector_.back() + 2) * static_cast<std::uint64_t>(n_words_) +
         sizeof(std::int32_t) * (3 * first_literal_.size() + test_of_.size());
}

LiteralBits::Mask LiteralBits::mask(std::uint32_t literal) const {
  const auto test = static_cast<std::size_t>(test_of_[literal]);
  const std::uint32_t outcome = literal - first_literal_[test];
  const bool two_way = first_literal_[test + 1] - first_literal_[test] == 2;
  return {bits(first_vector_[test] + (two_way ? 0 : outcome)), two_way && outcome == 1};
}

void LiteralBits::narrow(const RowSet& rows, std::uint32_t literal, RowSet& narrowed) const {
  const Mask kept = mask(literal);
  narrowed.index.clear();
  narrowed.word.clear();
  narrowed.slice_end.clear();
  std::size_t i = 0;
  for (const std::size_t end : rows.slice_end) {
    for (; i < end; ++i) {
      const std::uint64_t word = rows.word[i] & kept[rows.index[i]];
      if (word == 0) continue;
      narrowed.index.push_back(rows.index[i]);
      narrowed.word.push_back(word);
    }
    narrowed.slice_end.push_back(narrowed.index.size());
  }
}

void LiteralBits::intersect(std::span<const std::uint32_t> literals, RowSet& rows) {
  const auto n = static_cast<std::size_t>(n_words_);
  std::ranges::copy(everything_, scratch_.begin());
  for (const std::uint32_t l : literals) {
    const Mask kept = mask(l);
    if (kept.inverted) {
      for (std::size_t w = 0; w < n; ++w) scratch_[w] &= ~kept.words[w];
    } else {
      for (std::size_t w = 0; w < n; ++w) scratch_[w] &= kept.words[w];
    }
  }
  rows.index.clear();
  rows.word.clear();
  rows.slice_end.clear();
  for (const Slice& slice : slices_) {
    for (std::size_t w = slice.first_word; w < slice.end_word; ++w) {
      if (scratch_[w] == 0) continue;
      rows.index.push_back(static_cast<std::uint32_t>(w));
      rows.word.push_back(scratch_[w]);
    }
    rows.slice_end.push_back(rows.index.size());
  }
}

// Adds the rows of `rows` that are in `mask` (all of them where it is null).
void LiteralBits::add(const RowSet& rows, const std::uint64_t* mask, Weight* weight,
                      std::int64_t& samples) const {
  const std::uint32_t* const index = rows.index.data();
  const std::uint64_t* const word = rows.word.data();
  std::size_t i = 0;
  for (std::size_t s = 0; s < slices_.size(); ++s) {
    const std::size_t end = rows.slice_end[s];
    std::int64_t ones = 0;
    if (mask == nullptr) {
      for (; i < end; ++i) ones += std::popcount(word[i]);
    } else {
      for (; i < end; ++i) ones += std::popcount(word[i] & mask[index[i]]);
    }
    const std::int64_t value = ones << slices_[s].shift;
    if (slices_[s].label >= 0) {
      weight[slices_[s].label] += static_cast<Weight>(value);
    } else {
      samples += value;
    }
  }
}

void LiteralBits::count(const RowSet& rows, Counts& counts) const {
  counts.weight.assign(n_classes_, 0);
  counts.samples.assign(1, 0);
  add(rows, nullptr, counts.weight.data(), counts.samples[0]);
  if (samples_are_weights_)
    for (const Weight w : counts.weight) counts.samples[0] += w;
}

void LiteralBits::count_outcomes(const RowSet& rows, const Counts& whole, std::int32_t test,
                                 Counts& outcomes) const {
  const auto t = static_cast<std::size_t>(test);
  const std::size_t n = first_literal_[t + 1] - first_literal_[t];
  outcomes.weight.assign(n * n_classes_, 0);
  outcomes.samples.assign(n, 0);
  // The last outcome gets what the others leave.
  Weight* const last = outcomes.weight.data() + (n - 1) * n_classes_;
  std::ranges::copy(whole.weight, last);
  outcomes.samples[n - 1] = whole.samples[0];
  for (std::size_t o = 0; o + 1 < n; ++o) {
    Weight* const own = outcomes.weight.data() + o * n_classes_;
    add(rows, bits(first_vector_[t] + o), own, outcomes.samples[o]);
    for (std::size_t k = 0; k < n_classes_; ++k) {
      last[k] -= own[k];
      if (samples_are_weights_) outcomes.samples[o] += own[k];
    }
    outcomes.samples[n - 1] -= outcomes.samples[o];
  }
}

}  // namespace treeproof
