// Quantile literals: the thresholds at which a numeric column is tested.
//
// The thresholds are quantiles of recent values, each half-way between two neighbouring distinct
// values, so that a literal `x <= t` never separates equal values. They are recomputed when a
// search starts, and stay fixed while it runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stream/schema.hpp"

namespace treeproof::stream {

struct NumericBins {
  std::vector<double> thresholds;  // increasing; bin b holds thresholds[b-1] < x <= thresholds[b]

  std::int32_t missing() const { return static_cast<std::int32_t>(thresholds.size()) + 1; }
  std::int32_t n_codes() const { return missing() + 1; }

  Code code(double x) const {
    if (std::isnan(x)) return static_cast<Code>(missing());
    return static_cast<Code>(std::lower_bound(thresholds.begin(), thresholds.end(), x) -
                             thresholds.begin());
  }

  template <class Archive>
  void archive(Archive& a) {
    a(thresholds);
  }
};

// At most `max_bins` bins of about equal weight; NaNs are left out.
inline NumericBins quantile_bins(std::vector<double> values, std::int32_t max_bins) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  std::sort(values.begin(), values.end());
  NumericBins bins;
  const std::size_t n = values.size();
  for (std::int32_t b = 1; b < max_bins && n > 1; ++b) {
    std::size_t at = n * static_cast<std::size_t>(b) / static_cast<std::size_t>(max_bins);
    // The first of the values equal to values[at]; the cut goes in front of it.
    at = static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), values[at]) -
                                  values.begin());
    if (at == 0) {  // the smallest value fills this bin: cut behind it
      at = static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), values[0]) -
                                    values.begin());
      if (at == n) continue;
    }
    const double below = values[at - 1];
    double cut = below + (values[at] - below) / 2;
    if (!(cut < values[at])) cut = below;  // neighbouring doubles, or infinities
    if (bins.thresholds.empty() || bins.thresholds.back() < cut) bins.thresholds.push_back(cut);
  }
  return bins;
}

}  // namespace treeproof::stream
