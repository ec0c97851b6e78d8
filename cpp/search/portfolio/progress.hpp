// How fast the searches raise the bound of the whole problem, in terms of their own time.
//
// A bound rises in steps: after some time of search, it takes about as long again until it rises
// once more. So what counts is not how many seconds ago it rose, since other engines may have had
// the time in between, but how much of the gap between the bound and the best cost the searches
// have closed in the later half of the time that they were given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace treeproof::portfolio {

class Progress {
 public:
  // `searched`: the time that the search of the whole problem has had. `lower`: the bound as a
  // fraction of the best cost. `by_search`: whether a search, not the prices, was the last to run.
  void note(std::int64_t searched, double lower, bool by_search) {
    if (by_search && lower > lower_)
      closed_ += std::log((1.0 - lower_) / std::max(kNothing, 1.0 - lower));
    lower_ = lower;
    if (marks_.empty() || searched > marks_.back().first + marks_.back().first / 10)
      marks_.emplace_back(searched, closed_);
    searched_ = searched;
  }

  // Whether a tenth of the gap was closed in the later half of the time.
  bool is_closing() const {
    double before = 0.0;
    for (const auto& [searched, closed] : marks_)
      if (searched <= searched_ / 2) before = closed;
    return closed_ - before > kTenth;
  }

 private:
  static constexpr double kNothing = 1e-9;
  static constexpr double kTenth = 0.1;

  // For some points of time, what had been closed: the logarithm of the factor by which the
  // searches have made the gap smaller.
  std::vector<std::pair<std::int64_t, double>> marks_;
  double closed_ = 0.0;
  double lower_ = 0.0;
  std::int64_t searched_ = 0;
};

}  // namespace treeproof::portfolio
