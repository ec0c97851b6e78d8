// Quant-BnB for trees of depth three (appendix C of the paper).
//
// What is alive is a root feature with an interval and, for either child, a set of depth-two
// tuples. Cutting the root's interval at t_0 .. t_s, the left child of a tree in piece j has at
// least the rows left of t_{j-1} and at most those left of t_j. So (Proposition C.1) a left
// subtree survives in piece j only if its bound on the former is at most
//
//   - the best cost found on the latter (no better left subtree may exist), and
//   - U minus the least bound of the right subtrees on the rows right of t_j,
//
// and mirrored. Subtrees are kept in groups that share root feature and interval, each with a
// set of features for its two children, as the paper suggests; a feature survives with its
// best partner. Where the root's interval holds at most s thresholds, both sides of every
// threshold are solved with the algorithm of depth two, started from the groups alive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "search/quantbnb/depth_two.hpp"
#include "search/quantbnb/iterate.hpp"

namespace treeproof::quantbnb {

// A tree of depth three: root and the choices below it.
struct DeepChoice {
  std::int32_t feature = -1;
  std::int32_t threshold = 0;
  Choice left;
  Choice right;
};

template <Loss L>
class DepthThree {
 public:
  using Value = typename L::Value;

  struct Outcome {
    Value upper;
    Value lower;
    DeepChoice choice;
    bool stopped = false;
    std::vector<std::int64_t> surviving;
  };

  DepthThree(const Columns& columns, const L& loss, const Settings& settings, Examiner<L>& examiner,
             Limits& limits, Counters& counters)
      : columns_(&columns), loss_(&loss), settings_(settings), examiner_(&examiner),
        limits_(&limits), counters_(&counters), two_(loss, examiner, limits, counters) {}

  Outcome solve(const RowSubset& rows, const std::vector<Tuple>& groups, Value upper) {
    rows_ = &rows;
    Outcome out{upper, Value{}, {}, false, {}};
    std::vector<Alive> alive;
    for (std::int32_t f = 0; f < columns_->n_features(); ++f)
      alive.push_back({f, 0, columns_->n_values(f), groups, groups, Value{}});
    dropped_ = loss_->infinite();
    iterate(alive, out, bytes_, [&](const Alive& tuple, std::vector<Alive>& next) {
      tuple.b - tuple.a <= settings_.s ? exhaust(tuple, out) : cut_up(tuple, out, next);
      if (limits_->memory_allowance() > 0 && bytes_ > limits_->memory_allowance())
        limits_->memory_exhausted();
      if (limits_->stop(0)) out.stopped = true;
    });
    out.lower = least_bound(alive, std::min(out.upper, dropped_));
    return out;
  }

 private:
  struct Alive {
    std::int32_t feature;
    std::int32_t a;
    std::int32_t b;
    std::vector<Tuple> left;
    std::vector<Tuple> right;
    Value bound;
  };
  // The result of examining all groups of one side.
  struct SideView {
    Value upper;
    Choice choice;
    Value lower;
    std::vector<Examined<Value>> groups;
  };

  void cut(const Alive& tuple, std::int32_t t) {
    const std::uint32_t p = examiner_->position(*rows_, tuple.feature, t);
    partitioner_.cut(*rows_, tuple.feature, p, left_rows_, right_rows_);
  }

  void exhaust(const Alive& tuple, Outcome& out) {
    std::uint32_t last = ~0u;
    for (std::int32_t t = tuple.a; t <= tuple.b; ++t) {
      const std::uint32_t p = examiner_->position(*rows_, tuple.feature, t);
      if (p == last) continue;
      last = p;
      cut(tuple, t);
      const auto left = two_.solve(left_rows_, tuple.left, out.upper);
      if (left.stopped) return;
      if (left.choice.feature < 0) {  // the left side alone already costs U
        dropped_ = std::min(dropped_, left.lower);
        continue;
      }
      const auto right = two_.solve(right_rows_, tuple.right, out.upper - left.upper);
      if (!right.stopped) dropped_ = std::min(dropped_, left.lower + right.lower);
      if (right.choice.feature >= 0 && left.upper + right.upper < out.upper) {
        out.upper = left.upper + right.upper;
        out.choice = {tuple.feature, t, left.choice, right.choice};
      }
      if (right.stopped) return;
    }
  }

  SideView look(const RowSubset& rows, const std::vector<Tuple>& groups) {
    SideView view{loss_->infinite(), {}, loss_->infinite(), {}};
    for (const Tuple& group : groups) {
      Examined<Value> seen = examiner_->examine(rows, group);
      if (seen.stopped) break;
      if (seen.upper < view.upper) {
        view.upper = seen.upper;
        view.choice = seen.choice;
      }
      for (const Piece<Value>& piece : seen.pieces) view.lower = std::min(view.lower, piece.bound);
      view.groups.push_back(std::move(seen));
    }
    return view;
  }

  void cut_up(const Alive& tuple, Outcome& out, std::vector<Alive>& next) {
    const std::vector<std::int32_t> t = spaced(tuple.a, tuple.b, settings_.s);
    std::vector<SideView> left, right;
    for (const std::int32_t threshold : t) {
      cut(tuple, threshold);
      left.push_back(look(left_rows_, tuple.left));
      right.push_back(look(right_rows_, tuple.right));
      if (limits_->reason() != StopReason::none) return;
      const Value found = left.back().upper + right.back().upper;
      if (left.back().choice.feature >= 0 && right.back().choice.feature >= 0 &&
          found < out.upper) {
        out.upper = found;
        out.choice = {tuple.feature, threshold, left.back().choice, right.back().choice};
      }
    }
    for (std::size_t j = 1; j < t.size(); ++j) {
      const SideView& l = left[j - 1];  // the rows every left child of the piece has
      const SideView& r = right[j];
      Alive rest{tuple.feature, t[j - 1], t[j], {}, {}, std::max(tuple.bound, l.lower + r.lower)};
      keep(tuple.left, l, left[j].upper, out.upper - r.lower, r.lower, rest.left);
      keep(tuple.right, r, right[j - 1].upper, out.upper - l.lower, l.lower, rest.right);
      if (rest.left.empty() || rest.right.empty()) {
        ++counters_->pruned_pieces;
      } else {
        next.push_back(std::move(rest));
      }
    }
  }

  // The pieces of the groups, and in them the features, whose bound is at most `rival` and at
  // most `budget`. The other side costs at least `other`.
  void keep(const std::vector<Tuple>& groups, const SideView& view, Value rival, Value budget,
            Value other, std::vector<Tuple>& out) {
    Value dropped = loss_->infinite();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const Piece<Value>& piece : view.groups[g].pieces) {
        Tuple rest{groups[g].feature, piece.a, piece.b,
                   surviving(groups[g].left, piece.left, budget, rival, dropped),
                   surviving(groups[g].right, piece.right, budget, rival, dropped)};
        counters_->pruned_features += static_cast<std::int64_t>(
            groups[g].left.size() - rest.left.size() + groups[g].right.size() - rest.right.size());
        if (rest.left.empty() || rest.right.empty()) continue;
        bytes_ += rest.bytes();
        out.push_back(std::move(rest));
      }
    }
    dropped_ = std::min(dropped_, dropped + other);
  }

  const Columns* columns_;
  const L* loss_;
  Settings settings_;
  Examiner<L>* examiner_;
  Limits* limits_;
  Counters* counters_;
  DepthTwo<L> two_;
  const RowSubset* rows_ = nullptr;
  Partitioner partitioner_;
  RowSubset left_rows_, right_rows_;
  std::size_t bytes_ = 0;
  Value dropped_{};  // least bound on the trees that were ruled out or looked at
};

}  // namespace treeproof::quantbnb
