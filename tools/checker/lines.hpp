// The rows of a regression with lines in its leaves: section 5 of docs/proof-format.md, *Lines*.
// Losses are rounded down.
//
// With W, Y, X, YY, XX and XY the sums of w, w y, w x, w y^2, w x^2 and w x y over a leaf, and V
// the variance of a column over the whole table, the best line of the leaf loses 1 / W times
//
//   C - max over columns of B^2 / D,  C = W YY - Y^2,  B = W XY - X Y,  D = W XX - X^2 + ridge V
//   W^2.
//
// The sums are integers (line_terms.hpp), and each sum over n rows has an error below e = 4 n
// units. The error of C is therefore below e (W + YY + 2 |Y| + 2 e), and likewise those of B and D:
// C and D are lowered by this amount, B is raised by it, and C D - B^2 is computed without
// rounding. The relative error of the quotients at the end is below 2^-48, which is subtracted.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "line_columns.hpp"
#include "line_terms.hpp"
#include "long_int.hpp"
#include "problem.hpp"
#include "real_costs.hpp"
#include "side_sums.hpp"
#include "table.hpp"

namespace checker {

class Lines : public RealCosts {
 public:
  using RowSums = SideSums;

  explicit Lines(Problem& problem) : problem_(problem) {
    require(problem.targets.size() == 1, "lines predict one number");
    require(size() < kMostLineRows, "there are too many rows for lines");
    const std::vector<double>& weights = problem.weights;
    one_ = LineVector::ones(weights);
    y_ = LineVector::centred(problem.targets[0], weights);
    add_terms(one_, one_);
    add_terms(one_, y_);
    add_terms(y_, y_);
    for (const std::vector<double>& values : problem.lines.values) {
      const LineVector& x = x_.emplace_back(LineVector::centred(values, weights));
      add_terms(one_, x);
      add_terms(x, x);
      add_terms(x, y_);
    }
    find_variances();
    const double loss = whole_loss(problem_, *this);
    set_root(loss, loss > 1e-300 && loss < 1e300, y_.constant);
  }

  std::size_t size() const { return problem_.weights.size(); }
  std::int64_t samples(const Rows& rows) const { return std::ssize(rows); }

  // A leaf predicts a constant p, or [p, column, slope]: the line through p at the mean of the
  // column in the leaf. Losses are added up row by row in doubles, centred about the means of the
  // leaf.
  double leaf_cost(const Rows& rows, const Json& prediction) const {
    std::size_t column = x_.size();
    double slope = 0, largest = 0;
    const Json* constant = &prediction;
    if (const auto* list = prediction.get<Json::Array>()) {
      require(list->size() == 1 || list->size() == 3,
              "a leaf does not predict a constant or a line");
      constant = list->data();
      if (list->size() == 3) {
        const std::int64_t number = (*list)[1].integer("the column of a line");
        require(number >= 0, "the column of a line is negative");
        column = problem_.lines.place_of(static_cast<std::size_t>(number));
        require(column < x_.size(), "lines do not depend on column " + std::to_string(number));
        slope = (*list)[2].real("a slope");
      }
    }
    const LineVector* x = column < x_.size() ? &x_[column] : nullptr;
    const double mean = mean_of(rows, y_), middle = x ? mean_of(rows, *x) : 0;
    for (const std::uint32_t row : rows) {
      largest = std::max(largest, std::abs(problem_.targets[0][row]));
    }
    double off = constant->real("a prediction") - y_.centre - mean;
    if (std::abs(off) <= std::ldexp(largest, -50)) off = 0;
    off = std::ldexp(off, one_.scale - y_.scale);
    if (x) slope = std::ldexp(slope, x->scale - y_.scale);
    double loss = 0, weight = 0;
    for (const std::uint32_t row : rows) {
      const double own = std::ldexp(problem_.weights[row], -2 * one_.scale);
      double left = scaled(y_, row, mean) - off;
      if (x) left -= slope * scaled(*x, row, middle);
      loss += own * left * left;
      weight += own;
    }
    if (x) loss += problem_.lines.ridge * variance_[column] * slope * slope * weight;
    return believed(std::ldexp(loss, 2 * y_.scale));
  }

  void add_up(const Here& here, const Rows& members, bool, RowSums& out) const {
    out.start(here, 1 + 3 * n_terms());
    for (const std::uint32_t i : members) {
      out.add(i, 0, 1.0);
      const LineTerm* own = terms_.data() + here.rows()[i];
      for (std::size_t t = 0; t < n_terms(); ++t) {
        for (std::size_t k = 0; k < 3; ++k) out.add(i, 1 + 3 * t + k, own[t * size()][k]);
      }
    }
    out.finish();
  }
  void tabulate(const Here&, const Rows&, const RowSums& sums, bool, Table<double>& out) const {
    sums.count_rows(out);
    const auto polled_leaf = [&](auto&& sum) {
      problem_.poll();
      return leaf(sum);
    };
    sums.tabulate(polled_leaf, out);
  }

 private:
  using Sum = LongInt<2>;
  using Product = LongInt<4>;

  std::size_t n_terms() const { return terms_.size() / size(); }
  void add_terms(const LineVector& u, const LineVector& v) {
    for (std::size_t i = 0; i < size(); ++i) {
      terms_.push_back(line_term(problem_.weights[i], u, v, i));
    }
  }

  // The variance of a column over the whole table, in the unit of its terms, rounded down.
  void find_variances() {
    Here here(problem_);
    Rows all(size());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    here.focus(all);
    SideSums sums;
    add_up(here, all, true, sums);
    const auto total = [&](std::size_t c) { return sums.total(c); };
    const Sum e(kTermUnits * static_cast<std::int64_t>(size())), W = sum(total, 0);
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const Product A = lowered(W, sum(total, 4 + 3 * k), sum(total, 3 + 3 * k), e);
      const bool varies = !x_[k].constant && A.positive();
      variance_.push_back(varies ? ratio(A, (W + e) * (W + e), 0) : 0.0);
    }
  }

  template <class OfRows>
  static Sum sum(OfRows&& of_rows, std::size_t term) {
    Sum out;
    for (std::size_t k = 0; k < 3; ++k) {
      out = out.shifted(kSliceBits) + Sum(static_cast<std::int64_t>(of_rows(1 + 3 * term + k)));
    }
    return out;
  }
  // W VV - V^2, less a bound on the rounding errors of its terms.
  static Product lowered(const Sum& W, const Sum& VV, const Sum& V, const Sum& e) {
    return W * VV - V * V - e * (W + VV + V.magnitude() + V.magnitude() + e + e);
  }
  // The quotient of two nonnegative numbers times a power of two, rounded down.
  template <std::size_t N, std::size_t M>
  static double ratio(const LongInt<N>& over, const LongInt<M>& under, int power) {
    const auto a = over.scaled();
    const auto b = under.scaled();
    return std::ldexp(a.part / b.part * (1 - 0x1p-48), a.power - b.power + power);
  }

  template <class OfRows>
  double leaf(OfRows&& of_rows) const {
    const auto rows = static_cast<std::int64_t>(of_rows(0));
    if (rows < 2) return 0;
    const Sum e(kTermUnits * rows), W = sum(of_rows, 0), Y = sum(of_rows, 1);
    const Product C = lowered(W, sum(of_rows, 2), Y, e);
    const Sum light = W - e, heavy = W + e;
    if (!light.positive() || !C.positive()) return 0;
    const int power = 2 * y_.scale - kTermBits;
    double least = ratio(C, heavy, power);
    for (std::size_t k = 0; k < x_.size() && least > 0; ++k) {
      if (x_[k].constant) continue;
      const Sum X = sum(of_rows, 3 + 3 * k), XY = sum(of_rows, 5 + 3 * k);
      const Product D = lowered(W, sum(of_rows, 4 + 3 * k), X, e) + dear(k, light * light);
      if (!D.positive()) return 0;
      const Product B = (W * XY - X * Y).magnitude() +
                        e * (W + XY.magnitude() + X.magnitude() + Y.magnitude() + e + e);
      const LongInt<8> left = C * D - B * B;
      if (!left.positive()) return 0;
      least = std::min(least, ratio(left, D * heavy, power));
    }
    return least;
  }
  // The ridge times the variance of a column times a number, rounded down.
  Product dear(std::size_t k, const Product& square) const {
    int power = 0;
    const double cost = problem_.lines.ridge * variance_[k] * (1 - 0x1p-52);
    const double part = std::frexp(cost, &power);
    const LongInt<1> whole(static_cast<std::int64_t>(std::ldexp(part, 53)));
    return Product((square * whole).shifted(std::max(power - 53, -320)));
  }

  double mean_of(const Rows& rows, const LineVector& v) const {
    double sum = 0, weight = 0;
    for (const std::uint32_t row : rows) {
      const double own = std::ldexp(problem_.weights[row], -2 * one_.scale);
      sum += own * std::ldexp(v.high[row], one_.scale - v.scale);
      weight += own;
    }
    return std::ldexp(sum / weight, v.scale - one_.scale);
  }
  // The difference of a number from the mean of its leaf, in the unit of `leaf_cost`.
  double scaled(const LineVector& v, std::uint32_t row, double mean) const {
    return std::ldexp(v.high[row] - mean + v.low[row], one_.scale - v.scale);
  }

  Problem& problem_;
  LineVector one_, y_;
  std::vector<LineVector> x_;
  std::vector<LineTerm> terms_;   // for all rows, one product after the other
  std::vector<double> variance_;  // for each column
};

}  // namespace checker
