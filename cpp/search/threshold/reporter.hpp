// Reports to the observers of a search, with bounds that only rise and costs that only fall.
//
// Parts of a search know less than the whole search: a part starts again at bound 0, or does not
// know trees that were found elsewhere. Therefore the best values reported so far are kept.
#pragma once

#include <algorithm>
#include <concepts>

#include "core/events.hpp"
#include "core/limits.hpp"
#include "search/threshold/counters.hpp"

namespace treeproof::threshold {

template <class Value>
class Reporter {
 public:
  Reporter(const Observer& observer, const Limits& limits, const Counters& counters, Value infinite)
      : observer_(&observer), limits_(&limits), counters_(&counters), upper_(infinite) {}

  void operator()(Value lower, Value upper, bool better_tree) {
    lower_ = std::max(lower_, lower);
    upper_ = std::min(upper_, upper);
    if (!*observer_) return;
    (*observer_)({better_tree ? EventKind::incumbent : EventKind::bound, limits_->seconds(),
                  whole(std::min(lower_, upper_)), whole(upper_), counters_->depth_two_solves});
  }

 private:
  // Events carry integers; real costs are fractions of the loss of a single leaf.
  static Cost whole(Value cost) {
    constexpr double kEventUnit = 1e15;
    if constexpr (std::integral<Value>) return cost;
    else return static_cast<Cost>(std::min(cost, 1e3) * kEventUnit);
  }

  const Observer* observer_;
  const Limits* limits_;
  const Counters* counters_;
  Value lower_{};
  Value upper_;
};

}  // namespace treeproof::threshold
