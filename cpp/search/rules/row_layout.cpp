#include "search/rules/row_layout.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace treeproof::rules {
namespace {

// Marks the rows that are not of the heaviest class at their point.
std::vector<bool> minority_rows(const Problem& problem) {
  const auto n = static_cast<std::size_t>(problem.n_rows());
  std::vector<std::int32_t> winner(static_cast<std::size_t>(problem.n_groups), -1);
  for (std::size_t r = 0; r < n; ++r) {
    std::int32_t& best = winner[static_cast<std::size_t>(problem.group[r])];
    if (best < 0 || problem.weight[r] > problem.weight[static_cast<std::size_t>(best)])
      best = static_cast<std::int32_t>(r);
  }
  std::vector<bool> minority(n);
  for (std::size_t r = 0; r < n; ++r)
    minority[r] =
        winner[static_cast<std::size_t>(problem.group[r])] != static_cast<std::int32_t>(r);
  return minority;
}

// The weight of one sample of class c if it is the same for all of them, else 0.
Weight common_unit(const Problem& problem, std::int32_t c) {
  Weight unit = -1;
  for (std::size_t r = 0; r < problem.label.size(); ++r) {
    if (problem.label[r] != c) continue;
    if (problem.weight[r] % problem.samples[r] != 0) return 0;
    const auto each = static_cast<Weight>(problem.weight[r] / problem.samples[r]);
    if (unit < 0) unit = each;
    if (unit != each) return 0;
  }
  return std::max(unit, Weight{1});
}

}  // namespace

RowLayout::RowLayout(const Problem& problem) {
  const std::vector<bool> minority = minority_rows(problem);
  for (std::int32_t c = 0; c < problem.n_classes; ++c) {
    unit_.push_back(common_unit(problem, c));
    uniform_ = uniform_ && unit_.back() > 0;
  }
  std::size_t row = 0;
  for (std::int32_t c = 0; c < problem.n_classes; ++c) {
    first_word_.push_back(bits_.size() / 64);
    for (; row < problem.label.size() && problem.label[row] == c; ++row) {
      const std::int32_t location = problem.code(0, static_cast<std::int32_t>(row));
      const auto samples = static_cast<std::int32_t>(problem.samples[row]);
      if (uniform_) {
        const Bit bit{location, unit_[static_cast<std::size_t>(c)], 1, minority[row]};
        bits_.insert(bits_.end(), static_cast<std::size_t>(samples), bit);
      } else {
        bits_.push_back({location, problem.weight[row], samples, minority[row]});
      }
    }
    bits_.resize((bits_.size() + 63) / 64 * 64);
  }
  finish();
}

RowLayout::RowLayout(const RowLayout& parent, const Word* mask)
    : uniform_(parent.uniform_), unit_(parent.unit_) {
  for (std::size_t c = 0; c < parent.n_classes(); ++c) {
    first_word_.push_back(bits_.size() / 64);
    for (std::size_t w = parent.first_word_[c]; w < parent.first_word_[c + 1]; ++w)
      for (Word rest = mask[w]; rest != 0; rest &= rest - 1)
        bits_.push_back(parent.bits_[64 * w + static_cast<std::size_t>(std::countr_zero(rest))]);
    bits_.resize((bits_.size() + 63) / 64 * 64);
  }
  finish();
}

void RowLayout::finish() {
  n_words_ = bits_.size() / 64;
  first_word_.push_back(n_words_);
  all_.assign(n_words_, 0);
  minority_.assign(n_words_, 0);
  for (std::size_t b = 0; b < bits_.size(); ++b) {
    if (bits_[b].location < 0) continue;
    all_[b / 64] |= Word{1} << (b % 64);
    if (bits_[b].minority) minority_[b / 64] |= Word{1} << (b % 64);
  }
  if (uniform_) return;
  weight_tables_.resize(8 * n_words_);
  sample_tables_.resize(8 * n_words_);
  for (std::size_t t = 0; t < 8 * n_words_; ++t) {
    for (std::size_t value = 0; value < 256; ++value) {
      weight_tables_[t][value] = sample_tables_[t][value] = 0;
      for (std::size_t b = 0; b < 8; ++b) {
        if ((value >> b & 1) == 0) continue;
        weight_tables_[t][value] += bits_[8 * t + b].weight;
        sample_tables_[t][value] += bits_[8 * t + b].samples;
      }
    }
  }
}

void RowLayout::class_weights(const Word* mask, std::int64_t* weights) const {
  for (std::size_t c = 0; c < n_classes(); ++c) {
    weights[c] = 0;
    for (std::size_t w = first_word_[c]; w < first_word_[c + 1]; ++w)
      weights[c] +=
          uniform_ ? std::int64_t{unit_[c]} * std::popcount(mask[w]) : weight_in_word(w, mask[w]);
  }
}

LeafSize RowLayout::size(const Word* mask) const {
  LeafSize size{0, 0};
  for (std::size_t c = 0; c < n_classes(); ++c)
    for (std::size_t w = first_word_[c]; w < first_word_[c + 1]; ++w) {
      const std::int64_t n = std::popcount(mask[w]);
      size.samples += uniform_ ? n : samples_in_word(w, mask[w]);
      size.weight += uniform_ ? unit_[c] * n : weight_in_word(w, mask[w]);
    }
  return size;
}

std::int64_t RowLayout::leaf_loss(const Word* mask) const {
  std::int64_t total = 0, largest = 0;
  for (std::size_t c = 0; c < n_classes(); ++c) {
    std::int64_t weight = 0;
    for (std::size_t w = first_word_[c]; w < first_word_[c + 1]; ++w)
      weight +=
          uniform_ ? std::int64_t{unit_[c]} * std::popcount(mask[w]) : weight_in_word(w, mask[w]);
    total += weight;
    largest = std::max(largest, weight);
  }
  return total - largest;
}

std::int64_t RowLayout::floor_loss(const Word* mask, std::size_t n_leaves) const {
  std::int64_t without_leaf = 0;
  if (n_leaves < n_classes()) {
    std::vector<std::int64_t> weights(n_classes());
    class_weights(mask, weights.data());
    std::ranges::sort(weights, std::greater<>());
    for (std::size_t c = n_leaves; c < weights.size(); ++c) without_leaf += weights[c];
  }
  std::int64_t loss = 0;
  for (std::size_t c = 0; c < n_classes(); ++c)
    for (std::size_t w = first_word_[c]; w < first_word_[c + 1]; ++w) {
      const Word both = mask[w] & minority_[w];
      if (both != 0)
        loss += uniform_ ? std::int64_t{unit_[c]} * std::popcount(both) : weight_in_word(w, both);
    }
  return std::max(loss, without_leaf);
}

}  // namespace treeproof::rules
