// Survival data as a regression: the number of events, relative to the hazard to which rows were
// exposed. Section 5 of docs/proof-format.md, which defines exposures in doubles, operation by
// operation.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "errors.hpp"

namespace checker {

class Exposures {
 public:
  Exposures(const std::vector<double>& event, const std::vector<double>& time,
            const std::vector<double>& entry, const std::vector<double>& weight)
      : weight_(weight) {
    for (std::size_t i = 0; i < time.size(); ++i) {
      if (weight[i] > 0) kept_.push_back(i);
    }
    for (const std::size_t i : kept_) {
      if (event[i] == 1) moments_.push_back(time[i]);
    }
    std::sort(moments_.begin(), moments_.end());
    moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
    std::vector<double> events(moments_.size(), 0.0);
    for (const std::size_t i : kept_) {
      if (event[i] != 1) continue;
      const auto at = std::lower_bound(moments_.begin(), moments_.end(), time[i]);
      events[static_cast<std::size_t>(at - moments_.begin())] += weight[i];
    }
    const std::vector<double> stayed = still(time), to_come = still(entry);
    hazard_.push_back(0.0);
    for (std::size_t k = 0; k < moments_.size(); ++k) {
      hazard_.push_back(hazard_.back() + events[k] / (stayed[k] - to_come[k]));
    }
  }

  // The cumulative hazard at a time.
  double operator()(double time) const {
    const auto beyond = std::upper_bound(moments_.begin(), moments_.end(), time);
    return hazard_[static_cast<std::size_t>(beyond - moments_.begin())];
  }

 private:
  // For each moment, the weight of the rows for which `at` is not before it.
  std::vector<double> still(const std::vector<double>& at) const {
    std::vector<std::size_t> order = kept_;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
    std::vector<double> total{0.0}, out;
    for (const std::size_t i : order) total.push_back(total.back() + weight_[i]);
    for (const double moment : moments_) {
      const auto first = std::lower_bound(order.begin(), order.end(), moment,
                                          [&](std::size_t i, double m) { return at[i] < m; });
      out.push_back(total.back() - total[static_cast<std::size_t>(first - order.begin())]);
    }
    return out;
  }

  const std::vector<double>& weight_;
  std::vector<std::size_t> kept_;
  std::vector<double> moments_;  // the times of events
  // The cumulative hazard before the first moment, and from each moment on.
  std::vector<double> hazard_;
};

// Reads lifetimes: columns of events, times and perhaps entries, or times alone if every event was
// observed. Targets become events divided by exposures, and weights are multiplied by exposures.
inline void take_exposures(std::vector<std::vector<double>>& columns, std::vector<double>& weight) {
  const std::size_t n = weight.size();
  if (columns.size() == 1) columns.insert(columns.begin(), std::vector<double>(n, 1.0));
  if (columns.size() == 2) {
    columns.emplace_back(n, -std::numeric_limits<double>::infinity());
  }
  require(columns.size() == 3, "lifetimes are not events, times and perhaps entries");
  const auto &event = columns[0], &time = columns[1], &entry = columns[2];
  for (std::size_t i = 0; i < n; ++i) {
    require(event[i] == 0 || event[i] == 1, "an event is neither 0 nor 1");
    require(time[i] >= 0 && entry[i] < time[i], "a time is negative, or not after its entry");
  }
  const Exposures hazard(event, time, entry, weight);
  std::vector<double> target(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double exposed = hazard(time[i]) - hazard(entry[i]);
    if (exposed > 0 && weight[i] > 0) target[i] = event[i] / exposed;
    weight[i] *= exposed;
  }
  columns.assign(1, target);
}

}  // namespace checker
