// How several searches for the same problem exchange results while they run.
//
// A search that is given an exchange asks from time to time whether another search has found a
// cheaper tree, so that it need not prove anything above that cost, and reports its own trees. All
// functions may be called from any thread.
#pragma once

#include <optional>

#include "tree/split_tree.hpp"

namespace treeproof {

template <class Value>
struct CostedTree {
  SplitTree tree;
  Value cost{};
};

template <class Value>
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Trees that cost this much or more need not be searched for.
  virtual Value upper() const = 0;
  // The tree of that cost, if it costs less than `cost`.
  virtual std::optional<CostedTree<Value>> better_than(Value cost) const = 0;
  // A tree that the search has found.
  virtual void found(const SplitTree& tree, Value cost) = 0;
  // No tree that is allowed in the problem costs less.
  virtual void proved(Value lower) = 0;
};

// For a search whose costs do not include the constant cost that every tree has.
template <class Value>
class ShiftedExchange final : public Exchange<Value> {
 public:
  ShiftedExchange(Exchange<Value>& others, Value left_out) : others_(others), left_out_(left_out) {}

  Value upper() const override { return others_.upper() - left_out_; }
  std::optional<CostedTree<Value>> better_than(Value cost) const override {
    std::optional<CostedTree<Value>> better = others_.better_than(cost + left_out_);
    if (better) better->cost -= left_out_;
    return better;
  }
  void found(const SplitTree& tree, Value cost) override { others_.found(tree, cost + left_out_); }
  void proved(Value lower) override { others_.proved(lower + left_out_); }

 private:
  Exchange<Value>& others_;
  const Value left_out_;
};

}  // namespace treeproof
