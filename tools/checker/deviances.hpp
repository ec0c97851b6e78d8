// The rows of a regression with logarithms: Poisson deviance, log loss, lifetimes. Section 5 of
// docs/proof-format.md. Losses are doubles, rounded down.
//
// The loss of a row of weight w and target v is w spread(c, v - c), where c is the centre
// (log_spread.hpp). The loss of a leaf of weight W is the sum of these terms of its rows less
// spread(W c, the sum of w (v - c)), the amount that predicting the mean instead of the centre
// saves.
//
// Rounding errors. With u = 2^-53 and n rows, the error of a sum is below (n + 8) u times the sum
// of the magnitudes of its terms. Let T be the sum of w |v - c|, a = W c and x = a + s. The
// derivatives of spread(W c, s) by s, which is log(x / a), and by W, which is c (log(x / a) - s /
// a), say how such an error affects spread: if |s| <= a / 4, an error of W changes it by less than
// 4 (n + 8) u spread, and an error of s by less than 2 (n + 8) u T (|log(x / a)| + 4 (n + 8) u).
// Otherwise both changes are below 2 (n + 8) u max(64, 2 |log(x / a)|) (T + a): near 0, x log x
// changes by no more than that. The amount that the mean saves is at most the sum of the rows' own
// terms, so that the parts of the error that are multiples of these are below 5 (n + 600) u of that
// sum.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "centred.hpp"
#include "errors.hpp"
#include "json.hpp"
#include "log_spread.hpp"
#include "problem.hpp"
#include "real_costs.hpp"
#include "side_sums.hpp"
#include "table.hpp"

namespace checker {

class Deviances : public RealCosts {
 public:
  using RowSums = SideSums;

  explicit Deviances(Problem& problem)
      : problem_(problem), centred_(problem), n_outputs_(problem.targets.size()) {
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const double centre = centred_.centre(o);
      // Targets of zero have no loss, whatever the centre is.
      centre_.push_back(centre > 0 ? centre : 1.0);
    }
    prior_.assign(n_channels(), 0.0);
    for (std::size_t row = 0; row < problem_.weights.size(); ++row) {
      terms_.resize((row + 1) * n_outputs_);
      for (std::size_t o = 0; o < n_outputs_; ++o) {
        terms_[row * n_outputs_ + o] =
            problem_.weights[row] * log_spread(centre_[o], problem_.targets[o][row]).value;
      }
      if (row < size()) continue;  // imaginary rows belong to every leaf
      each_channel(static_cast<std::uint32_t>(row),
                   [&](std::size_t channel, double value) { prior_[channel] += value; });
    }
    set_root(whole_loss(problem_, *this), centred_, problem_);
  }

  std::size_t size() const { return centred_.n_rows(); }
  double leaf_cost(const Rows& rows, const Json& prediction) const {
    const std::vector<double> values = predictions(prediction, n_outputs_);
    const Rows all = centred_.with_imaginary(rows);
    double sum = 0;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      require(values[o] >= 0, "a leaf predicts a negative number");
      const double z = centred_.near_mean(all, o, centred_.in_unit(values[o], o));
      const double a = centre_[o] + z;
      if (!(a > 0)) {
        require(centred_.all_zero(all, o),
                "a leaf predicts zero, or less, for rows that are not zero");
        continue;
      }
      for (const std::uint32_t row : all) {
        sum += problem_.weights[row] * log_spread(a, problem_.targets[o][row] - z).value;
      }
    }
    return believed(centred_.unscaled(sum));
  }
  std::int64_t samples(const Rows& rows) const { return std::ssize(rows); }

  // Adds up some rows of a step: their number, weight and own terms; and for each output, the sum
  // of the weighted targets and of their magnitudes.
  void add_up(const Here& here, const Rows& members, bool, RowSums& out) const {
    out.start(here, n_channels());
    for (const std::uint32_t i : members) {
      each_channel(here.rows()[i],
                   [&](std::size_t channel, double value) { out.add(i, channel, value); });
    }
    out.finish();
  }
  void tabulate(const Here&, const Rows&, const RowSums& sums, bool, Table<double>& out) const {
    sums.count_rows(out);
    sums.tabulate([&](auto&& sum) { return leaf(sum); }, out);
  }

 private:
  std::size_t n_channels() const { return 3 + 2 * n_outputs_; }
  template <class Visit>
  void each_channel(std::uint32_t row, Visit&& visit) const {
    const double weight = problem_.weights[row];
    visit(0, 1.0);
    visit(1, weight);
    double own = 0;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const double product = weight * problem_.targets[o][row];
      own += terms_[row * n_outputs_ + o];
      visit(3 + o, product);
      visit(3 + n_outputs_ + o, std::abs(product));
    }
    visit(2, own);
  }

  template <class Sum>
  double leaf(Sum&& of_rows) const {
    if (!(of_rows(1) > 0)) return 0;
    constexpr double kRounding = 0x1p-53;
    const auto sum = [&](std::size_t c) { return of_rows(c) + prior_[c]; };
    const double own = sum(2), small = (sum(0) + 8) * kRounding;
    double saved = 0, doubt = 5 * (sum(0) + 600) * kRounding * own;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      const double a = sum(1) * centre_[o], s = sum(3 + o), far = sum(3 + n_outputs_ + o);
      const LogSpread here = log_spread(a, s);
      saved += here.value;
      const double log = std::abs(here.log);
      doubt += std::abs(s) <= a / 4 ? 2 * small * far * (log + 4 * small)
                                    : 2 * small * std::max(64.0, 2 * log) * (far + a);
    }
    return centred_.unscaled(std::max(0.0, own - saved - doubt));
  }

  Problem& problem_;
  Centred centred_;
  const std::size_t n_outputs_;
  std::vector<double> centre_, prior_;
  std::vector<double> terms_;  // the own terms of each row, by output
};

}  // namespace checker
