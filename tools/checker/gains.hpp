// Costs of actions as gains, which are integers: section 7 of docs/proof-format.md. The gain of a
// row by an action is the cost of its most expensive action less the cost of this action.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "problem.hpp"

namespace checker {

class GainsReader {
 public:
  GainsReader(const Json& header, std::size_t n_rows) : header_(header), n_rows_(n_rows) {
    const auto& actions = header.at("actions").array("\"actions\"");
    std::set<std::string> known;
    for (const Json& action : actions) {
      const bool plain = action.is_null() || action.get<bool>() || action.get<Number>() ||
                         action.get<std::string>();
      require(plain && known.insert(std::string(action.text)).second,
              "the actions are not distinct names");
    }
    n_actions_ = actions.size();
    require(n_actions_ > 0, "there are no actions");
    measure_ = header.at("measure").string("\"measure\"");
    require(measure_ == "cost" || measure_ == "reward", "the measure is unknown");
    exponent_ = header.at("scale").integer("\"scale\"");
    require(exponent_ >= -1100 && exponent_ <= 1000, "\"scale\" is out of range");
    const Json* abstain = header.find("abstain_cost");
    if (abstain != nullptr && !abstain->is_null()) {
      abstain_cost_ = abstain->real("\"abstain_cost\"");
      asked_ = true;
      require(n_actions_ > 1, "there is no action besides abstaining");
    }
    const Json* matrix = header.find("cost_matrix");
    if (matrix != nullptr && !matrix->is_null()) {
      require(!asked_ && measure_ == "cost" && header.find("classes") != nullptr,
              "a cost matrix needs classes, and costs");
      matrix_ = matrix;
    }
  }

  // The number of columns of costs in the data.
  std::size_t n_columns() const { return matrix_ != nullptr ? 0 : n_actions_ - (asked_ ? 1 : 0); }

  // Reads costs that depend on the class.
  void take_matrix(const std::vector<std::int32_t>& labels, std::size_t n_classes) {
    const auto& rows = matrix_->array("\"cost_matrix\"");
    require(rows.size() == n_classes, "\"cost_matrix\" has not one row for each class");
    std::vector<std::vector<double>> by_class;
    for (const Json& row : rows) {
      auto& own = by_class.emplace_back();
      for (const Json& cost : row.array("a row of \"cost_matrix\"")) {
        own.push_back(cost.real("a cost") + 0.0);
      }
      require(own.size() == n_actions_, "a row of \"cost_matrix\" is not one for each action");
    }
    for (const std::int32_t label : labels) {
      costs_.push_back(by_class[static_cast<std::size_t>(label)]);
    }
  }
  // Reads the costs, or rewards, of each row: one column for each action except abstaining.
  void take_columns(const std::vector<std::vector<double>>& columns) {
    costs_.assign(n_rows_, {});
    for (std::size_t i = 0; i < n_rows_; ++i) {
      for (const auto& column : columns) {
        require(std::abs(column[i]) <= 1e300, "a cost is too large");
        costs_[i].push_back((measure_ == "reward" ? -column[i] : column[i]) + 0.0);
      }
      if (asked_) costs_[i].push_back(abstain_cost_ + 0.0);
    }
  }

  // The gains of the rows that have a weight.
  Gains read(const std::vector<std::size_t>& rows, const std::vector<double>& weights) const {
    Gains gains;
    gains.n_actions = n_actions_;
    gains.exponent = static_cast<int>(exponent_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& costs = costs_[rows[i]];
      gains.costs.push_back(costs);
      const double worst = *std::max_element(costs.begin(), costs.end());
      double off = 0;
      auto& whole = gains.whole.emplace_back();
      for (const double cost : costs) {
        const double gain = (worst - cost) * weights[i];
        const double scaled = std::ldexp(gain, gains.exponent);
        require(scaled < 0x1p30, "the gains add up to too much");
        const double rounded = std::floor(scaled + 0.5);
        whole.push_back(static_cast<std::int32_t>(rounded));
        gains.total += whole.back();
        require(gains.total < std::int64_t{1} << 30, "the gains add up to too much");
        off = std::max(off, std::ldexp(std::abs(scaled - rounded), -gains.exponent));
      }
      gains.rounded = gains.rounded || off > 0;
      gains.base += weights[i] * worst;
      gains.off += off;
      gains.weight += weights[i];
    }
    if (gains.total > 0) raise_indifferent(gains);
    return gains;
  }

  // States in words what is minimised.
  std::string words(const Gains& gains) const {
    std::string text =
        "mean " + measure_ + " of the actions " + std::string(header_.at("actions").text) + ", ";
    if (matrix_ != nullptr) {
      const auto& classes = header_.at("classes").array("\"classes\"");
      const auto& rows = matrix_->array("\"cost_matrix\"");
      std::string each;
      for (std::size_t c = 0; c < classes.size(); ++c) {
        each += (c == 0 ? "" : ", ") + std::string(classes[c].text) + ": [";
        const auto& row = rows[c].array("a row of \"cost_matrix\"");
        for (std::size_t a = 0; a < row.size(); ++a) {
          each += (a == 0 ? "" : ", ") + written(row[a].real("a cost"));
        }
        each += "]";
      }
      text += "cost matrix {" + each + "}";
    } else {
      text += measure_ + "s of each row";
      if (asked_) text += ", " + written(abstain_cost_) + " for the last";
    }
    return text + (gains.rounded ? ", gains rounded to 2^" + std::to_string(-exponent_)
                                 : ", gains not rounded");
  }

 private:
  // A row for which all actions cost the same still counts as a row: its gain is 1 for every
  // action.
  static void raise_indifferent(Gains& gains) {
    for (auto& row : gains.whole) {
      if (std::any_of(row.begin(), row.end(), [](auto gain) { return gain > 0; })) continue;
      std::fill(row.begin(), row.end(), 1);
      ++gains.n_raised;
      gains.total += std::ssize(row);
    }
    require(gains.total < std::int64_t{1} << 30, "the gains add up to too much");
  }

  const Json& header_;
  std::size_t n_rows_, n_actions_ = 0;
  std::string measure_;
  std::int64_t exponent_ = 0;
  bool asked_ = false;
  double abstain_cost_ = 0;
  const Json* matrix_ = nullptr;
  std::vector<std::vector<double>> costs_;  // the costs of each row, by action
};

}  // namespace checker
