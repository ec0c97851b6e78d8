// The numbers that the rules need for a set of rows: for each child of a step, sums over the rows
// of both.

#pragma once

#include <cstdint>
#include <vector>

#include "here.hpp"

namespace checker {

// `Number` is int32 for weights of classes, which are integers with a sum below 2^31, and double
// for losses. The entries of a list belong to the children, see `Here`.
template <class Number>
struct Table {
  Number whole_leaf{};                // the loss of a leaf with all the rows
  std::vector<Number> leaf;           // the loss of a leaf with those in each child
  std::vector<std::int32_t> samples;  // numbers of table rows; empty if weights are enough
  // For classification:
  std::int32_t whole_weight = 0, whole_forced = 0;
  std::vector<std::int32_t> weight, most;  // of all classes, and of the heaviest class
  std::vector<std::int32_t> forced;        // weight that every tree misclassifies
  // Weight of the first class; only if columns have directions.
  std::vector<std::int32_t> first;

  // The weight that a leaf misclassifies if it predicts one of two classes.
  std::int32_t wrong(std::size_t child, std::size_t says) const {
    return says == 0 ? weight[child] - first[child] : first[child];
  }
  // Positive for children with rows: the number of rows, or the weight if the number does not
  // matter.
  const std::vector<std::int32_t>& count() const { return samples.empty() ? weight : samples; }
};

// Sums of several numbers of each row (the channels), over the yes side of every place and over all
// rows.
template <class Number>
class Sums {
 public:
  // Sums may be read in blocks, which may extend beyond the last sum.
  static constexpr std::size_t kBlock = 32;

  void start(const Here& here, std::size_t n_channels) {
    here_ = &here;
    sums_.assign(n_channels * here.n_places() + kBlock, 0);
    firsts_.assign(n_channels * here.n_short(), 0);
    totals_.assign(n_channels, 0);
  }
  void add(std::size_t i, std::size_t channel, Number value) {
    totals_[channel] += value;
    const std::uint8_t* in_first = here_->in_first(i);
    const std::size_t n_short = here_->n_short(), n_long = here_->n_long();
    Number* first = firsts_.data() + channel * n_short;
    for (std::size_t k = 0; k < n_short; ++k) first[k] += value * static_cast<Number>(in_first[k]);
    const std::uint32_t* place = here_->places(i);
    Number* own = yes(channel);
    for (std::size_t k = 0; k < n_long; ++k) own[place[k]] += value;
  }
  // To be called after the last row: "code <= c" holds for all rows with codes up to c.
  void finish() {
    for (std::size_t channel = 0; channel < totals_.size(); ++channel) {
      Number* own = yes(channel);
      const Number* first = firsts_.data() + channel * here_->n_short();
      for (const auto& view : here_->views()) {
        if (view.is_short()) {
          own[view.begin] = first[view.slot];
          own[view.begin + 1] = totals_[channel] - (view.ordered ? 0 : first[view.slot]);
        } else if (view.ordered) {
          for (std::size_t p = view.begin + 1; p < view.end; ++p) own[p] += own[p - 1];
        }
      }
    }
  }
  // Replaces sums over some of the rows by those over all other rows.
  void complement(const Sums& whole) {
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] = whole.sums_[k] - sums_[k];
    for (std::size_t c = 0; c < totals_.size(); ++c) totals_[c] = whole.totals_[c] - totals_[c];
  }
  Number* yes(std::size_t channel) { return sums_.data() + channel * here_->n_places(); }
  const Number* yes(std::size_t channel) const {
    return sums_.data() + channel * here_->n_places();
  }
  Number total(std::size_t channel) const { return totals_[channel]; }
  // Computes the sums of both sides of every test.
  void both_sides(std::size_t channel, std::vector<std::int32_t>& out) const {
    const std::size_t n = here_->n_places();
    out.resize(2 * n);
    for (std::size_t p = 0; p < n; ++p) {
      out[p] = static_cast<std::int32_t>(yes(channel)[p]);
      out[n + p] = static_cast<std::int32_t>(total(channel) - yes(channel)[p]);
    }
  }

 private:
  const Here* here_ = nullptr;
  std::vector<Number> sums_, firsts_, totals_;
};

}  // namespace checker
