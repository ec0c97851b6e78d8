// The rows of a regression problem with squared errors, or with distances to quantiles. Section 5
// of docs/proof-format.md. Losses are doubles, rounded down.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "centred.hpp"
#include "json.hpp"
#include "problem.hpp"
#include "quantile_loss.hpp"
#include "real_costs.hpp"
#include "side_sums.hpp"
#include "table.hpp"

namespace checker {

class Numbers : public RealCosts {
 public:
  using RowSums = SideSums;

  explicit Numbers(Problem& problem)
      : problem_(problem), squared_(problem.family == Family::kSquares), centred_(problem) {
    prior_.assign(3 + centred_.n_outputs(), 0.0);
    for (const std::uint32_t row : centred_.with_imaginary({})) {
      each_channel(row, [&](std::size_t channel, double value) { prior_[channel] += value; });
    }
    set_root(whole_loss(problem_, *this), centred_, problem_);
  }

  std::size_t size() const { return centred_.n_rows(); }
  double leaf_cost(const Rows& rows, const Json& prediction) const {
    const auto& levels = problem_.levels;
    const std::size_t each = squared_ ? 1 : levels.size();
    const std::vector<double> values = predictions(prediction, centred_.n_outputs() * each);
    const Rows all = centred_.with_imaginary(rows);
    double loss = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t o = k / each;
      double p = centred_.in_unit(values[k], o);
      if (squared_) p = centred_.near_mean(all, o, p);
      for (const std::uint32_t row : all) {
        const double off = problem_.targets[o][row] - p, level = levels[k % each];
        const double part = squared_ ? off : problem_.factor * (off > 0 ? level : level - 1);
        loss += problem_.weights[row] * (part * off);
      }
    }
    return believed(centred_.unscaled(loss));
  }
  std::int64_t samples(const Rows& rows) const { return std::ssize(rows); }

  // Adds up some rows of a step: their number and, for squared errors, their weight, weighted
  // squares, and the weighted targets of every output.
  void add_up(const Here& here, const Rows& members, bool, RowSums& out) const {
    out.start(here, squared_ ? 3 + centred_.n_outputs() : 1);
    for (const std::uint32_t i : members) {
      if (!squared_) {
        out.add(i, 0, 1.0);
        continue;
      }
      each_channel(here.rows()[i],
                   [&](std::size_t channel, double value) { out.add(i, channel, value); });
    }
    out.finish();
  }
  void tabulate(const Here& here, const Rows& members, const RowSums& sums, bool,
                Table<double>& out) {
    sums.count_rows(out);
    if (!squared_) return tabulate_distances(here, members, out);
    sums.tabulate([&](auto&& sum) { return squared_loss(sum); }, out);
  }

 private:
  template <class Visit>
  void each_channel(std::uint32_t row, Visit&& visit) const {
    const double weight = problem_.weights[row];
    double squares = 0;
    visit(0, 1.0);
    visit(1, weight);
    for (std::size_t o = 0; o < centred_.n_outputs(); ++o) {
      const double target = problem_.targets[o][row];
      squares += weight * target * target;
      visit(3 + o, weight * target);
    }
    visit(2, squares);
  }

  template <class Sum>
  double squared_loss(Sum&& of_rows) const {
    if (!(of_rows(1) > 0)) return 0;
    const auto sum = [&](std::size_t c) { return of_rows(c) + prior_[c]; };
    double explained = 0;
    const std::size_t n_outputs = centred_.n_outputs();
    for (std::size_t o = 0; o < n_outputs; ++o) explained += sum(3 + o) * sum(3 + o) / sum(1);
    const double doubt = in_doubt(sum(0), n_outputs, sum(2));
    return centred_.unscaled(std::max(0.0, sum(2) - explained - doubt));
  }

  // Distances are not a function of sums, so rows are added one by one, in the order of a view.
  void tabulate_distances(const Here& here, const Rows& members, Table<double>& out) {
    out.leaf.assign(2 * here.n_places(), 0.0);
    out.whole_leaf = 0;
    for (std::size_t o = 0; o < centred_.n_outputs(); ++o) {
      for (const double level : problem_.levels) add_distances(here, members, o, level, out);
    }
    for (double& loss : out.leaf) loss = centred_.unscaled(problem_.factor * loss);
    out.whole_leaf = centred_.unscaled(problem_.factor * out.whole_leaf);
  }
  void add_distances(const Here& here, const Rows& members, std::size_t o, double level,
                     Table<double>& out) {
    const std::size_t n = here.n_places();
    const auto add = [&](QuantileLoss& set, const Rows& rows) {
      for (const std::uint32_t i : rows) {
        const std::uint32_t row = here.rows()[i];
        set.add(problem_.targets[o][row], problem_.weights[row]);
      }
    };
    QuantileLoss whole(level);
    add(whole, members);
    out.whole_leaf += whole.loss();
    at_place_.resize(n);
    for (const auto& view : here.views()) {
      problem_.poll();
      for (std::size_t p = view.begin; p < view.end; ++p) at_place_[p].clear();
      for (const std::uint32_t i : members) at_place_[here.place(view, i)].push_back(i);
      if (view.ordered) {
        QuantileLoss up(level), down(level);
        for (std::size_t p = view.begin; p + 1 < view.end; ++p) {
          add(up, at_place_[p]);
          out.leaf[p] += up.loss();
        }
        for (std::size_t p = view.end - 1; p-- > view.begin;) {
          add(down, at_place_[p + 1]);
          out.leaf[n + p] += down.loss();
        }
        continue;
      }
      for (std::size_t p = view.begin; p < view.end; ++p) {
        problem_.poll();
        QuantileLoss yes(level), no(level);
        add(yes, at_place_[p]);
        out.leaf[p] += yes.loss();
        for (std::size_t q = view.begin; q < view.end && !view.multiway(); ++q) {
          if (q != p) add(no, at_place_[q]);
        }
        out.leaf[n + p] += no.loss();
      }
    }
  }

  Problem& problem_;
  const bool squared_;
  Centred centred_;
  std::vector<double> prior_;  // the sums of the imaginary rows
  std::vector<Rows> at_place_;
};

}  // namespace checker
