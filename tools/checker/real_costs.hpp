// The parts that all real-valued losses share: the loss of a single leaf, the tolerance, the unit.

#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "centred.hpp"
#include "errors.hpp"
#include "here.hpp"
#include "json.hpp"
#include "problem.hpp"
#include "table.hpp"

namespace checker {

class RealCosts {
 public:
  using Cost = double;
  using Number = double;
  static constexpr bool kExact = false;
  static constexpr Cost kMostCost = 1e300;

  static Cost cost(double loss) { return loss; }
  Cost tolerance() const { return 1e-9 * root_loss_; }
  // For shares of classes, costs are means; otherwise they are fractions of the loss of a single
  // leaf.
  double objective(double of) const {
    if (mean_of_ > 0) return of / mean_of_;
    return root_loss_ > 0 ? of / root_loss_ : of;
  }
  double split_cost(double penalty) const {
    return penalty * (mean_of_ > 0 ? mean_of_ : root_loss_);
  }

 protected:
  // Sets the loss of a single leaf.
  void set_root(double loss, const Centred& centred, const Problem& problem) {
    mean_of_ = problem.of_shares ? centred.given_weight() : 0;
    const bool sure = centred.scaled(loss) > 1e-250 && loss > 1e-300 && loss < 1e300;
    set_root(loss, sure, centred.constant());
  }
  void set_root(double loss, bool sure, bool constant) {
    root_loss_ = loss;
    require(sure || constant, "the loss of a single leaf is beyond double precision");
  }
  // The loss of one leaf with all rows.
  template <class Loss>
  static double whole_loss(const Problem& problem, Loss& loss) {
    Here here(problem);
    Rows all(loss.size());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    here.focus(all);
    typename Loss::RowSums sums;
    Table<double> table;
    loss.add_up(here, all, true, sums);
    loss.tabulate(here, all, sums, true, table);
    return table.whole_leaf;
  }
  static double believed(double loss) {
    require(loss < 1e300, "the loss of a leaf is beyond double precision");
    return loss;
  }
  static std::vector<double> predictions(const Json& prediction, std::size_t n) {
    std::vector<double> values;
    if (const auto* list = prediction.get<Json::Array>()) {
      for (const Json& value : *list) values.push_back(value.real("a prediction"));
    } else {
      values.push_back(prediction.real("a prediction"));
    }
    require(values.size() == n, "a leaf does not predict a number for each target");
    return values;
  }

 private:
  double root_loss_ = 0, mean_of_ = 0;
};

}  // namespace checker
