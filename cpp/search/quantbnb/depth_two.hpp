// Quant-BnB for trees of depth two (Mazumder, Meng, Wang, "Quant-BnB: A scalable
// branch-and-bound method for optimal decision trees with continuous features", ICML 2022,
// Algorithm 1), as published: in every iteration each interval that is alive is cut at
// almost equi-spaced quantiles, the trees at those quantiles update the best cost U, and
// pieces and features whose bound exceeds U are dropped (Proposition 4.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "search/quantbnb/examine.hpp"
#include "search/quantbnb/iterate.hpp"

namespace treeproof::quantbnb {

template <Loss L>
class DepthTwo {
 public:
  using Value = typename L::Value;

  struct Outcome {
    Value upper;    // cost of the best tree found, or the given cost if none is better
    Value lower;    // no tree of the given tuples costs less
    Choice choice;  // feature -1: nothing below the given cost
    bool stopped = false;
    std::vector<std::int64_t> surviving;  // tuples alive after each iteration
  };

  DepthTwo(const L& loss, Examiner<L>& examiner, Limits& limits, Counters& counters)
      : loss_(&loss), examiner_(&examiner), limits_(&limits), counters_(&counters) {}

  // The best tree among `tuples` on these rows, if it costs less than `upper`.
  Outcome solve(const RowSubset& rows, const std::vector<Tuple>& tuples, Value upper) {
    Outcome out{upper, Value{}, {}, false, {}};
    std::vector<Alive> alive;
    for (const Tuple& t : tuples) alive.push_back({t, Value{}});
    dropped_ = loss_->infinite();
    iterate(alive, out, bytes_, [&](const Alive& item, std::vector<Alive>& next) {
      Examined<Value> seen = examiner_->examine(rows, item.tuple);
      if (seen.upper < out.upper) {
        out.upper = seen.upper;
        out.choice = seen.choice;
      }
      out.stopped = seen.stopped || too_large();
      if (out.stopped) return;
      if (seen.exact) dropped_ = std::min(dropped_, seen.upper);
      else
        for (const Piece<Value>& piece : seen.pieces) keep(item.tuple, piece, out.upper, next);
    });
    out.lower = least_bound(alive, std::min(out.upper, dropped_));
    return out;
  }

 private:
  struct Alive {
    Tuple tuple;
    Value bound;
  };

  bool too_large() {
    if (limits_->memory_allowance() == 0 || bytes_ < limits_->memory_allowance()) return false;
    limits_->memory_exhausted();
    return true;
  }

  // Proposition 4.1: an optimal tree of the piece, if there is one, uses features whose least
  // bound is at most U.
  void keep(const Tuple& tuple, const Piece<Value>& piece, Value upper, std::vector<Alive>& next) {
    const Value no_rival = loss_->infinite();
    Tuple rest{tuple.feature, piece.a, piece.b,
               surviving(tuple.left, piece.left, upper, no_rival, dropped_),
               surviving(tuple.right, piece.right, upper, no_rival, dropped_)};
    counters_->pruned_features += static_cast<std::int64_t>(tuple.left.size() - rest.left.size() +
                                                            tuple.right.size() - rest.right.size());
    if (rest.left.empty() || rest.right.empty()) {
      ++counters_->pruned_pieces;
      return;
    }
    bytes_ += rest.bytes();
    next.push_back({std::move(rest), piece.bound});
  }

  const L* loss_;
  Examiner<L>* examiner_;
  Limits* limits_;
  Counters* counters_;
  std::size_t bytes_ = 0;  // of the tuples that survived in this iteration
  Value dropped_{};        // least bound on the trees that were ruled out or looked at
};

}  // namespace treeproof::quantbnb
