// Sums of doubles over both sides of every test. Each side is added up from its own rows: the
// difference of two sums could have a large relative error for a light side of a heavy set.

#pragma once

#include <cstdint>
#include <vector>

#include "here.hpp"
#include "table.hpp"

namespace checker {

class SideSums {
 public:
  void start(const Here& here, std::size_t n_channels) {
    here_ = &here;
    yes_.assign(n_channels * here.n_places(), 0.0);
    no_.assign(n_channels * here.n_places(), 0.0);
    totals_.assign(n_channels, 0.0);
  }
  void add(std::size_t i, std::size_t channel, double value) {
    totals_[channel] += value;
    double* own = yes_.data() + channel * here_->n_places();
    for (const auto& view : here_->views()) own[here_->place(view, i)] += value;
  }
  // To be called after the last row: adds up the sums at each place to those of the sides.
  void finish() {
    for (std::size_t channel = 0; channel < totals_.size(); ++channel) {
      double* yes = yes_.data() + channel * here_->n_places();
      double* no = no_.data() + channel * here_->n_places();
      for (const auto& view : here_->views()) {
        if (view.multiway()) continue;
        double after = 0, before = 0;
        for (std::size_t p = view.end; p-- > view.begin;) {
          no[p] = after;
          after += yes[p];
        }
        for (std::size_t p = view.begin; p < view.end; ++p) {
          if (view.ordered) {
            yes[p] = before += yes[p];
          } else {
            no[p] += before;
            before += yes[p];
          }
        }
      }
    }
  }
  double yes(std::size_t channel, std::size_t p) const {
    return yes_[channel * here_->n_places() + p];
  }
  double no(std::size_t channel, std::size_t p) const {
    return no_[channel * here_->n_places() + p];
  }
  double total(std::size_t channel) const { return totals_[channel]; }

  // Writes the number of rows of each child, which is the first channel.
  void count_rows(Table<double>& out) const {
    const std::size_t n = here_->n_places();
    out.samples.resize(2 * n);
    for (std::size_t p = 0; p < n; ++p) {
      out.samples[p] = static_cast<std::int32_t>(yes(0, p));
      out.samples[n + p] = static_cast<std::int32_t>(no(0, p));
    }
  }
  // Writes the loss of a leaf with the rows of each child, and of one with all rows. `leaf`
  // computes a loss from a function that returns the sum of each channel.
  template <class Leaf>
  void tabulate(const Leaf& leaf, Table<double>& out) const {
    const std::size_t n = here_->n_places();
    out.leaf.resize(2 * n);
    for (std::size_t p = 0; p < n; ++p) {
      out.leaf[p] = leaf([&](std::size_t c) { return yes(c, p); });
      out.leaf[n + p] = leaf([&](std::size_t c) { return no(c, p); });
    }
    out.whole_leaf = leaf([&](std::size_t c) { return total(c); });
  }

 private:
  const Here* here_ = nullptr;
  std::vector<double> yes_, no_, totals_;
};

}  // namespace checker
