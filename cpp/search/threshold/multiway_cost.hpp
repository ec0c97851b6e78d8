// What a split with one child for each category costs, from the costs of its children; and the
// relaxation in which it may leave out categories.
//
// Where each child is paid for, a row with a category that is new to a split needs a further child.
// A tree for fewer rows then serves more rows only at a higher price, and the unit step fails. In
// the *relaxed* problem a multiway split may leave out categories: their rows pay their whole
// weight, and no child is made or paid for them. With w_k the weight of a category, c_k the cost of
// its child, and p the price of a further child, the cheapest choice keeps the two categories with
// the largest gains w_k - c_k, and each further one whose gain exceeds p.
//
// The relaxed optimum is never above the true one, since a split may also keep everything. It
// satisfies both bounds of the search. Monotone: the same tree for fewer rows keeps no more
// categories, and no child or left-out category costs more. Unit step: the same tree for more rows
// leaves out the categories that are new to a split, so that each new row adds at most its weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/cost.hpp"

namespace treeproof::threshold {

template <class Value>
class MultiwayCost {
 public:
  MultiwayCost(SplitPrice<Value> price, bool may_leave_out)
      : price_(price), may_leave_out_(may_leave_out) {}

  bool may_leave_out() const { return may_leave_out_; }

  // A category whose child costs `cost`, and whose rows weigh `weight`.
  void add(Value cost, Value weight) {
    ++n_children_;
    if (!may_leave_out_) {
      sum_ += cost;
      return;
    }
    sum_ += weight;
    Value gain = weight - cost;
    if (first_ < gain) std::swap(first_, gain);
    if (second_ < gain) std::swap(second_, gain);
    further_ += std::max(gain - price_.further_child, Value{});
  }

  // The cost of the split and of its children.
  Value total() const {
    if (may_leave_out_) return price_.two_way + sum_ - first_ - second_ - further_;
    return price_(n_children_) + sum_;
  }

  // The same for many categories at once, if the rows of category k weigh 0 and its child costs
  // -g_k, where each g_k is a whole weight (core/cost.hpp). `least_weight`: a category is worth a
  // child of its own if its g_k is larger than this. `saving`: what the split saves, from the sum
  // and the number of the g_k that are larger, and the two largest ones. The two largest have a
  // child whether or not they are worth one, so that their part below the price of a child, which
  // the sum leaves out, is added.
  template <class T>
  T least_weight() const {
    constexpr auto kMost = std::numeric_limits<T>::max();
    if (!may_leave_out_) return T{0};
    return static_cast<T>(std::min<Value>(price_.further_child >> kCostBits, kMost));
  }
  Value saving(Value sum, std::int64_t number, Value first, Value second) const {
    if (!may_leave_out_) return sum - price_(number);
    const Value further = price_.further_child;
    return sum - number * further + std::min(first, further) + std::min(second, further) -
           price_.two_way;
  }

 private:
  SplitPrice<Value> price_;
  bool may_leave_out_;
  std::int64_t n_children_ = 0;
  Value sum_{};               // of costs, or of weights where categories may be left out
  Value first_{}, second_{};  // the largest gains
  Value further_{};           // what the others gain beyond the price of their children
};

}  // namespace treeproof::threshold
