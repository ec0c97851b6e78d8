// The rows of a regression problem: section 5 of docs/proof-format.md. Losses are doubles, rounded
// down.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <queue>
#include <vector>

#include "centred.hpp"
#include "errors.hpp"
#include "json.hpp"
#include "problem.hpp"
#include "side_sums.hpp"
#include "table.hpp"

namespace checker {

class Numbers {
 public:
  using Cost = double;
  using Number = double;
  using RowSums = SideSums;
  static constexpr bool kExact = false;
  static constexpr Cost kMostCost = 1e300;

  explicit Numbers(Problem& problem)
      : problem_(problem), squared_(problem.squared), centred_(problem) {
    Here here(problem_);
    Rows all(size());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    here.focus(all);
    RowSums sums;
    Table<double> table;
    add_up(here, all, true, sums);
    tabulate(here, all, sums, true, table);
    root_loss_ = table.whole_leaf;
    const double scaled = centred_.scaled(root_loss_);
    const bool believed = scaled > 1e-250 && root_loss_ > 1e-300 && root_loss_ < 1e300;
    require(believed || centred_.constant(),
            "the loss of a single leaf is beyond double precision");
  }

  std::size_t size() const { return problem_.n_rows(); }
  static Cost cost(double loss) { return loss; }
  Cost tolerance() const { return 1e-9 * root_loss_; }
  double objective(double of) const { return root_loss_ > 0 ? of / root_loss_ : of; }
  double split_cost(double penalty) const { return penalty * root_loss_; }

  double leaf_cost(const Rows& rows, const Json& prediction) const {
    const double loss = centred_.unscaled(centred_.leaf_loss(rows, prediction));
    require(loss < 1e300, "the loss of a leaf is beyond double precision");
    return loss;
  }
  std::int64_t samples(const Rows& rows) const { return std::ssize(rows); }

  // Add up some rows of a step: their number and, for squared errors, weight, weighted squares,
  // and the weighted targets of every output.
  void add_up(const Here& here, const Rows& members, bool, RowSums& out) const {
    const std::size_t n_outputs = centred_.n_outputs();
    out.start(here, squared_ ? 3 + n_outputs : 1);
    for (const std::uint32_t i : members) {
      const std::uint32_t row = here.rows()[i];
      const double weight = problem_.weights[row];
      out.add(i, 0, 1.0);
      if (!squared_) continue;
      double squares = 0;
      for (std::size_t o = 0; o < n_outputs; ++o) {
        const double target = problem_.targets[o][row];
        squares += weight * target * target;
        out.add(i, 3 + o, weight * target);
      }
      out.add(i, 1, weight);
      out.add(i, 2, squares);
    }
    out.finish();
  }
  void tabulate(const Here& here, const Rows& members, const RowSums& sums, bool,
                Table<double>& out) {
    const std::size_t n = here.n_places();
    out.leaf.resize(2 * n);
    out.samples.resize(2 * n);
    for (std::size_t p = 0; p < n; ++p) {
      out.samples[p] = static_cast<std::int32_t>(sums.yes(0, p));
      out.samples[n + p] = static_cast<std::int32_t>(sums.no(0, p));
    }
    if (!squared_) return tabulate_absolute(here, members, out);
    for (std::size_t p = 0; p < n; ++p) {
      out.leaf[p] = squared_loss([&](std::size_t c) { return sums.yes(c, p); });
      out.leaf[n + p] = squared_loss([&](std::size_t c) { return sums.no(c, p); });
    }
    out.whole_leaf = squared_loss([&](std::size_t c) { return sums.total(c); });
  }

 private:
  template <class Sum>
  double squared_loss(Sum&& sum) const {
    if (!(sum(1) > 0)) return 0;
    double explained = 0;
    const std::size_t n_outputs = centred_.n_outputs();
    for (std::size_t o = 0; o < n_outputs; ++o) explained += sum(3 + o) * sum(3 + o) / sum(1);
    const double doubt = in_doubt(sum(0), n_outputs, sum(2));
    return centred_.unscaled(std::max(0.0, sum(2) - explained - doubt));
  }

  // Half of a set of weighted numbers, the largest on top.
  struct Half {
    std::priority_queue<std::pair<double, double>> items;
    double weight = 0, sum = 0;

    void add(double value, double own) {
      items.emplace(value, own);
      weight += own;
      sum += own * value;
    }
    void move_top_to(Half& other) {
      const auto [value, own] = items.top();
      items.pop();
      weight -= own;
      sum -= own * value;
      other.add(-value, own);
    }
  };

  // The least absolute error of a growing set: its lower half ends with the weighted median,
  // its upper half is kept with signs changed.
  class Median {
   public:
    void add(double value, double weight) {
      distances_ += weight * std::abs(value);
      if (low_.items.empty() || value <= low_.items.top().first) low_.add(value, weight);
      else high_.add(-value, weight);
      while (low_.items.size() > 1 &&
             2 * (low_.weight - low_.items.top().second) >= low_.weight + high_.weight) {
        low_.move_top_to(high_);
      }
      while (!high_.items.empty() && low_.weight < high_.weight) high_.move_top_to(low_);
    }
    double loss() const {
      if (low_.items.empty()) return 0;
      const double median = low_.items.top().first;
      const double loss = median * (low_.weight - high_.weight) - low_.sum - high_.sum;
      const auto n = static_cast<double>(low_.items.size() + high_.items.size());
      return std::max(0.0, loss - 4 * in_doubt(n, 1, distances_));
    }

   private:
    Half low_, high_;
    double distances_ = 0;  // to the centre
  };

  // Absolute error is no function of sums: rows are added one by one, in the order of a view.
  void tabulate_absolute(const Here& here, const Rows& members, Table<double>& out) {
    const std::size_t n = here.n_places();
    std::fill(out.leaf.begin(), out.leaf.end(), 0.0);
    out.whole_leaf = 0;
    for (std::size_t o = 0; o < centred_.n_outputs(); ++o) {
      const auto add = [&](Median& set, const Rows& rows) {
        for (const std::uint32_t i : rows) {
          const std::uint32_t row = here.rows()[i];
          set.add(problem_.targets[o][row], problem_.weights[row]);
        }
      };
      Median whole;
      add(whole, members);
      out.whole_leaf += whole.loss();
      at_place_.resize(n);
      for (const auto& view : here.views()) {
        problem_.poll();
        for (std::size_t p = view.begin; p < view.end; ++p) at_place_[p].clear();
        for (const std::uint32_t i : members) at_place_[here.place(view, i)].push_back(i);
        if (view.ordered) {
          Median up, down;
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
          Median yes, no;
          add(yes, at_place_[p]);
          out.leaf[p] += yes.loss();
          for (std::size_t q = view.begin; q < view.end && !view.multiway(); ++q) {
            if (q != p) add(no, at_place_[q]);
          }
          out.leaf[n + p] += no.loss();
        }
      }
    }
    for (double& loss : out.leaf) loss = centred_.unscaled(loss);
    out.whole_leaf = centred_.unscaled(out.whole_leaf);
  }

  Problem& problem_;
  const bool squared_;
  Centred centred_;
  double root_loss_ = 0;
  std::vector<Rows> at_place_;
};

}  // namespace checker
