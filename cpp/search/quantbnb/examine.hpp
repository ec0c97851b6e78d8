// One look at a set of depth-two trees: the best tree at a few thresholds (V of the paper),
// and lower bounds (W0, W1, W2 or L2) on the trees between them.
//
// For a piece [t, t'] of the root's interval every bound has the form
//
//   W(f1, f2) = base1(f1) + base2(f2) + min over i of (X_i(f1) + Y_i(f2)):
//
//   W0  base = best stumps left of t and right of t'; the rows in between are dropped.
//   W1  the rows in between are cut at s' points; dropping those between two neighbouring
//       points, X_i and Y_i are the best stumps before and after them (L2-hat, Lemma 3.1).
//   W2  X_i and Y_i before and after every threshold in between: an optimal tree for the
//       middle rows (Lemma 3.2).
//   L2  base = 0, X_i and Y_i on all rows: the optimum itself.
//
// All are sound since the best constant of a union is no better on a part than the part's own
// (Lemma B.1), hence a stump's and a tree's loss is superadditive too (Lemmas B.2, B.3). A
// feature survives if its least bound over all partners does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/quantbnb/stump_losses.hpp"
#include "search/quantbnb/tuples.hpp"

namespace treeproof::quantbnb {

// Bounds on the trees of one piece, for each feature of the children.
template <class Value>
struct Piece {
  std::int32_t a;
  std::int32_t b;
  std::vector<Value> left;  // per entry of the tuple's `left`: least bound over `right`
  std::vector<Value> right;
  Value bound;
};

template <class Value>
struct Examined {
  Value upper;  // V: cost of `choice`
  Choice choice;
  bool exact;  // every threshold was looked at: `upper` is the optimum of the tuple
  std::vector<Piece<Value>> pieces;
  bool stopped = false;
};

struct Counters {
  std::int64_t examined = 0;   // tuples looked at
  std::int64_t exhausted = 0;  // of them, small enough for every threshold
  std::int64_t pruned_pieces = 0;
  std::int64_t pruned_features = 0;
};

template <Loss L>
class Examiner {
 public:
  using Value = typename L::Value;

  Examiner(const Columns& columns, const L& loss, const Settings& settings, Limits& limits,
           Counters& counters)
      : columns_(&columns), loss_(&loss), settings_(settings), limits_(&limits),
        counters_(&counters), whole_(columns, loss, limits), middle_(columns, loss, limits) {}

  Examined<Value> examine(const RowSubset& rows, const Tuple& tuple) {
    ++counters_->examined;
    rows_ = &rows;
    tuple_ = &tuple;
    Examined<Value> out{loss_->infinite(), {}, tuple.b - tuple.a <= settings_.s, {}, false};
    whole_.select(rows, tuple.feature);
    if (out.exact) {
      ++counters_->exhausted;
      start_terms({}, {});
      scan(out, tuple.a, tuple.b);
      if (!out.stopped) finish_piece(out, tuple.a, tuple.b);
      return out;
    }
    const std::vector<std::int32_t> t = spaced(tuple.a, tuple.b, settings_.s);
    left_.resize(t.size());
    right_.resize(t.size());
    for (std::size_t j = 0; j < t.size(); ++j) {
      evaluate(out, t[j], left_[j], right_[j]);
      if (out.stopped) return out;
    }
    for (std::size_t j = 1; j < t.size(); ++j) {
      bound_piece(out, t[j - 1], t[j], left_[j - 1], right_[j]);
      if (out.stopped) return out;
    }
    return out;
  }

  std::int64_t rows_walked() const { return whole_.rows_walked() + middle_.rows_walked(); }
  std::int64_t rows_after_stop() const {
    return whole_.rows_after_stop() + middle_.rows_after_stop();
  }

  // Position of threshold t in the list of the feature: how many rows go left.
  std::uint32_t position(const RowSubset& rows, std::int32_t feature, std::int32_t t) const {
    const std::uint32_t* list = rows.list(feature);
    const auto rank = columns_->rank_of(feature);
    const std::uint32_t* found = std::lower_bound(
        list, list + rows.size(), static_cast<std::uint32_t>(t),
        [&](std::uint32_t local, std::uint32_t value) { return rank[rows.row(local)] < value; });
    return static_cast<std::uint32_t>(found - list);
  }

 private:
  static Value least(const std::vector<Value>& values) { return *std::ranges::min_element(values); }
  static std::size_t least_at(const std::vector<Value>& values) {
    return static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
  }
  bool stopped() const { return limits_->reason() != StopReason::none; }
  bool stop(Examined<Value>& out) {
    out.stopped = limits_->stop(2);
    return out.stopped;
  }

  // The best stumps on both sides of threshold t, and the best tree they make.
  void evaluate(Examined<Value>& out, std::int32_t t, std::vector<Value>& left,
                std::vector<Value>& right) {
    const std::uint32_t p = position(*rows_, tuple_->feature, t);
    whole_.best({0, p}, tuple_->left, left);
    whole_.best({p, rows_->size()}, tuple_->right, right);
    if (stop(out)) return;
    const std::size_t l = least_at(left), r = least_at(right);
    if (left[l] + right[r] < out.upper) {
      out.upper = left[l] + right[r];
      out.choice = {tuple_->feature, t, tuple_->left[l], tuple_->right[r]};
    }
  }

  // Every threshold from a to b, on all rows: terms of L2, and the best tree.
  void scan(Examined<Value>& out, std::int32_t a, std::int32_t b) {
    std::uint32_t last = ~0u;
    for (std::int32_t t = a; t <= b; ++t) {
      const std::uint32_t p = position(*rows_, tuple_->feature, t);
      if (p == last) continue;  // no row of the set has the value in between
      last = p;
      evaluate(out, t, x_, y_);
      if (out.stopped) return;
      add_term(x_, y_);
    }
  }

  void bound_piece(Examined<Value>& out, std::int32_t a, std::int32_t b,
                   const std::vector<Value>& left, const std::vector<Value>& right) {
    if (settings_.bound == Bound::l2) {
      start_terms({}, {});
      scan(out, a, b);
    } else {
      start_terms(left, right);
      const std::uint32_t first = position(*rows_, tuple_->feature, a);
      const std::uint32_t last = position(*rows_, tuple_->feature, b);
      if (settings_.bound == Bound::w0 || last - first < 2) {
        x_.assign(tuple_->left.size(), Value{});
        y_.assign(tuple_->right.size(), Value{});
        add_term(x_, y_);
      } else {
        partitioner_.cut_out(*rows_, tuple_->feature, first, last, inside_, outside_);
        middle_.select(inside_, tuple_->feature);
        settings_.bound == Bound::w1 ? drop_between(a, b) : cut_middle(a, b);
      }
    }
    if (!stop(out)) finish_piece(out, a, b);
  }

  // W1: the middle cut at s' points, rows between two neighbouring ones dropped.
  void drop_between(std::int32_t a, std::int32_t b) {
    const std::int64_t wide = std::max(1, tuple_->b - tuple_->a);
    const std::int64_t wanted = settings_.s_prime > 0
                                    ? settings_.s_prime
                                    : static_cast<std::int64_t>(0.6 * rows_->size() * settings_.s /
                                                                static_cast<double>(wide));
    const std::vector<std::int32_t> t = spaced(a, b, std::max<std::int64_t>(1, wanted));
    for (std::size_t i = 1; i < t.size() && !stopped(); ++i) {
      const std::uint32_t p = position(inside_, tuple_->feature, t[i - 1]);
      const std::uint32_t q = position(inside_, tuple_->feature, t[i]);
      middle_.best({0, p}, tuple_->left, x_);
      middle_.best({q, inside_.size()}, tuple_->right, y_);
      add_term(x_, y_);
    }
  }

  // W2: an optimal tree for the middle rows.
  void cut_middle(std::int32_t a, std::int32_t b) {
    std::uint32_t last = ~0u;
    for (std::int32_t t = a; t <= b && !stopped(); ++t) {
      const std::uint32_t p = position(inside_, tuple_->feature, t);
      if (p == last) continue;
      last = p;
      middle_.best({0, p}, tuple_->left, x_);
      middle_.best({p, inside_.size()}, tuple_->right, y_);
      add_term(x_, y_);
    }
  }

  // ---- min over i of (X_i(f1) + Y_i(f2)), for each f1 and each f2 --------------------------

  void start_terms(const std::vector<Value>& left, const std::vector<Value>& right) {
    base_left_ = left;
    base_right_ = right;
    base_left_.resize(tuple_->left.size(), Value{});
    base_right_.resize(tuple_->right.size(), Value{});
    best_left_.assign(tuple_->left.size(), loss_->infinite());
    best_right_.assign(tuple_->right.size(), loss_->infinite());
  }
  void add_term(const std::vector<Value>& x, const std::vector<Value>& y) {
    Value x_least = loss_->infinite(), y_least = loss_->infinite();
    for (std::size_t k = 0; k < x.size(); ++k) x_least = std::min(x_least, base_left_[k] + x[k]);
    for (std::size_t k = 0; k < y.size(); ++k) y_least = std::min(y_least, base_right_[k] + y[k]);
    for (std::size_t k = 0; k < x.size(); ++k)
      best_left_[k] = std::min(best_left_[k], base_left_[k] + x[k] + y_least);
    for (std::size_t k = 0; k < y.size(); ++k)
      best_right_[k] = std::min(best_right_[k], base_right_[k] + y[k] + x_least);
  }
  void finish_piece(Examined<Value>& out, std::int32_t a, std::int32_t b) {
    out.pieces.push_back({a, b, best_left_, best_right_, least(best_left_)});
  }

  const Columns* columns_;
  const L* loss_;
  Settings settings_;
  Limits* limits_;
  Counters* counters_;
  StumpLosses<L> whole_, middle_;
  Partitioner partitioner_;
  RowSubset inside_, outside_;
  const RowSubset* rows_ = nullptr;
  const Tuple* tuple_ = nullptr;
  std::vector<std::vector<Value>> left_, right_;
  std::vector<Value> x_, y_, base_left_, base_right_, best_left_, best_right_;
};

// True iff a bound exceeds a cost by more than rounding can: what is equal in exact arithmetic
// must survive. Real-valued costs are fractions of the loss of a single leaf.
inline bool exceeds(std::int64_t bound, std::int64_t cost) { return bound > cost; }
inline bool exceeds(double bound, double cost) {
  return bound > cost + 1e-11 * (cost < 0.0 ? -cost : cost) + 1e-13;
}

// The features whose bound is at most `most` and at most `rival`, the cost of a tree that would
// serve better. `dropped` falls to the least bound of those that `most` rules out: trees that a
// rival beats cannot be optimal and need no bound.
template <class Value>
std::vector<std::int32_t> surviving(const std::vector<std::int32_t>& features,
                                    const std::vector<Value>& bounds, Value most, Value rival,
                                    Value& dropped) {
  std::vector<std::int32_t> out;
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (exceeds(bounds[k], rival)) continue;
    if (exceeds(bounds[k], most)) dropped = std::min(dropped, bounds[k]);
    else out.push_back(features[k]);
  }
  return out;
}

}  // namespace treeproof::quantbnb
