// The exact best single split of a set of rows, for any loss, by one pass over the list of every
// feature.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/prefetch.hpp"
#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "search/threshold/multiway_cost.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::threshold {

template <class Score>
struct Split {
  std::int32_t feature = -1;  // -1: no split is allowed
  TestKind kind = TestKind::threshold;
  std::uint32_t first = 0;  // the "yes" child: positions first .. last - 1 of the list
  std::uint32_t last = 0;
  Score score{};
};

// For callers that poll the limits themselves.
struct Never {
  bool operator()(std::uint32_t) const { return false; }
};

template <Loss L>
class StumpSolver {
 public:
  using Value = typename L::Value;

  StumpSolver(const Columns& columns, const L& loss)
      : columns_(&columns), loss_(&loss), in_(loss.tally()), out_(loss.tally()) {}

  Value leaf(const RowSubset& rows) {
    fill(in_, rows);
    return loss_->value(in_);
  }

  // The cost of a leaf that predicts the class `says`, or the best constant if that is -1.
  Value leaf_saying(const RowSubset& rows, std::int32_t says) {
    fill(in_, rows);
    if constexpr (kSays)
      if (says >= 0) return loss_->value_saying(in_, says);
    return loss_->value(in_);
  }

  // Finds the split with the lowest sum of `score` over its children; if there is a child for each
  // category, `children` adds up the sum. This takes long on large tables, so `stop` is called with
  // the number of rows that are read next. Once it returns true, the best split so far is returned.
  template <class Score, class Measure, class Stop>
  Split<Score> best(const RowSubset& rows, std::uint32_t min_leaf, Score worst,
                    const MultiwayCost<Score>& children, Measure measure, Stop stop) {
    Split<Score> found{-1, TestKind::threshold, 0, 0, worst};
    for (std::int32_t f = 0; f < columns_->n_features() && !stop(first_rows(rows)); ++f)
      improve_on(rows, f, min_leaf, children, measure, found, stop);
    return found;
  }

  // Leaves on both sides of a cut of a directed feature predict what it requires; if both predicted
  // the same class, a leaf without the split would be as good.
  template <class Stop = Never>
  Split<Value> best_by_loss(const RowSubset& rows, std::uint32_t min_leaf,
                            const MultiwayCost<Value>& children, Stop stop = {}) {
    Split<Value> found{-1, TestKind::threshold, 0, 0, loss_->infinite()};
    for (std::int32_t f = 0; f < columns_->n_features() && !stop(first_rows(rows)); ++f) {
      if constexpr (kSays) {
        if (const std::int32_t d = loss_->direction(f); d != 0) {
          if (FeatureView(*columns_, rows, f).constant()) continue;
          walk_thresholds(
              rows, f, min_leaf, [&](const auto& t) { return loss_->value_saying(t, d < 0); },
              [&](const auto& t) { return loss_->value_saying(t, d > 0); }, found, stop);
          continue;
        }
      }
      improve_on(
          rows, f, min_leaf, children, [this](const auto& t) { return loss_->value(t); }, found,
          stop);
    }
    return found;
  }
  template <class Stop>
  Split<double> best_by_impurity(const RowSubset& rows, std::uint32_t min_leaf, double further,
                                 Stop stop) {
    return best<double>(
        rows, min_leaf, std::numeric_limits<double>::infinity(), each_for(further),
        [this](const auto& t) { return loss_->impurity(t); }, stop);
  }

  // Does the same by entropy, if the loss has one.
  template <class Stop>
  Split<double> best_by_entropy(const RowSubset& rows, std::uint32_t min_leaf, double further,
                                Stop stop) {
    if constexpr (kHasEntropy)
      return best<double>(
          rows, min_leaf, std::numeric_limits<double>::infinity(), each_for(further),
          [this](const auto& t) { return loss_->entropy(t); }, stop);
    else return best_by_impurity(rows, min_leaf, further, stop);
  }
  static constexpr bool kHasEntropy =
      requires(const L& loss, const typename L::Tally& t) { loss.entropy(t); };
  // Finds the split of least impurity on one feature.
  Split<double> best_by_impurity_on(const RowSubset& rows, std::int32_t f, std::uint32_t min_leaf,
                                    double further) {
    Split<double> found{-1, TestKind::threshold, 0, 0, std::numeric_limits<double>::infinity()};
    const auto measure = [this](const auto& t) { return loss_->impurity(t); };
    improve_on(rows, f, min_leaf, each_for(further), measure, found, Never{});
    return found;
  }

  // Makes the node of a tree for a split, with leaves as children.
  SplitTree node(const RowSubset& rows, std::int32_t feature, TestKind kind, std::uint32_t first,
                 std::uint32_t last) const {
    const FeatureView view(*columns_, rows, feature);
    SplitTree tree;
    tree.feature = feature;
    tree.kind = kind;
    if (kind == TestKind::multiway) {
      for (const std::uint32_t start : view.runs()) {
        tree.outcomes.push_back(static_cast<std::int32_t>(view.rank_at(start)));
        tree.children.emplace_back();
      }
      return tree;
    }
    const std::uint32_t yes = kind == TestKind::equals ? first : last - 1;
    tree.code = static_cast<std::int32_t>(view.rank_at(yes));
    tree.next_code =
        kind == TestKind::threshold ? static_cast<std::int32_t>(view.rank_at(last)) : tree.code;
    tree.outcomes = {0, 1};
    tree.children.resize(2);
    return tree;
  }

 private:
  using Tally = typename L::Tally;
  static constexpr std::uint32_t kRowsPerPoll = 1 << 15;
  static std::uint32_t first_rows(const RowSubset& rows) {
    return std::min(rows.size(), kRowsPerPoll);
  }
  static constexpr bool kSays = requires(const L& loss) { loss.direction(0); };
  // Whether a value takes longer than to see whether there is a cut.
  static constexpr bool kDear = [] {
    if constexpr (requires { L::kSquares; }) return !L::kSquares;
    else return false;
  }();

  static MultiwayCost<double> each_for(double further) { return {{0.0, further}, false}; }

  template <class Measure, class Score, class Stop>
  void improve_on(const RowSubset& rows, std::int32_t f, std::uint32_t min_leaf,
                  const MultiwayCost<Score>& children, Measure measure, Split<Score>& found,
                  Stop stop) {
    if (FeatureView(*columns_, rows, f).constant()) return;
    switch (columns_->kind(f)) {
      case FeatureKind::ordered:
        walk_thresholds(rows, f, min_leaf, measure, measure, found, stop);
        break;
      case FeatureKind::one_vs_rest: walk_categories(rows, f, min_leaf, measure, found); break;
      case FeatureKind::multiway: try_multiway(rows, f, min_leaf, children, measure, found); break;
    }
  }

  void fill(Tally& tally, const RowSubset& rows) {
    loss_->clear(tally);
    for (std::uint32_t r = 0; r < rows.size(); ++r) loss_->add(tally, rows.row(r));
  }

  template <class Left, class Right, class Score, class Stop>
  void walk_thresholds(const RowSubset& rows, std::int32_t f, std::uint32_t min_leaf, Left left,
                       Right right, Split<Score>& found, Stop stop) {
    const FeatureView view(*columns_, rows, f);
    const std::uint32_t* list = rows.list(f);
    const std::uint32_t m = rows.size();
    loss_->clear(in_);
    fill(out_, rows);
    const std::uint32_t ask_until = prefetch_until(m, 2 * kRowsAhead);
    const bool looks_first = kDear && ask_until == 0;
    for (std::uint32_t k = 1; k < m; ++k) {
      if (k % kRowsPerPoll == 0 && stop(kRowsPerPoll)) return;
      if (k < ask_until) {
        prefetch(rows.rows() + list[k + 2 * kRowsAhead]);
        if constexpr (requires { loss_->prefetch(0u); })
          loss_->prefetch(rows.row(list[k + kRowsAhead]));
      }
      loss_->add(in_, rows.row(list[k - 1]));
      loss_->remove(out_, rows.row(list[k - 1]));
      if (k < min_leaf || m - k < min_leaf) continue;
      if (looks_first && !view.boundary(k)) continue;
      // No loss is negative, so that the larger side alone may show that the cut is no better.
      const bool left_first = 2 * k > m;
      const Score first = left_first ? left(in_) : right(out_);
      if (kDear && !(first < found.score)) continue;
      const Score score = first + (left_first ? right(out_) : left(in_));
      // Whether k is a boundary is checked last on large tables, because this misses the cache.
      if (score < found.score && view.boundary(k)) found = {f, TestKind::threshold, 0, k, score};
    }
  }

  template <class Measure, class Score>
  void walk_categories(const RowSubset& rows, std::int32_t f, std::uint32_t min_leaf,
                       Measure measure, Split<Score>& found) {
    const FeatureView view(*columns_, rows, f);
    const std::uint32_t* list = rows.list(f);
    const std::uint32_t m = rows.size();
    fill(out_, rows);
    for (std::uint32_t a = 0; a < m;) {
      const std::uint32_t b = view.run_end(a);
      if (b - a >= min_leaf && m - (b - a) >= min_leaf) {
        loss_->clear(in_);
        for (std::uint32_t k = a; k < b; ++k) {
          loss_->add(in_, rows.row(list[k]));
          loss_->remove(out_, rows.row(list[k]));
        }
        const Score score = measure(in_) + measure(out_);
        if (score < found.score) found = {f, TestKind::equals, a, b, score};
        for (std::uint32_t k = a; k < b; ++k) loss_->add(out_, rows.row(list[k]));
      }
      a = b;
    }
  }

  template <class Measure, class Score>
  void try_multiway(const RowSubset& rows, std::int32_t f, std::uint32_t min_leaf,
                    MultiwayCost<Score> children, Measure measure, Split<Score>& found) {
    const FeatureView view(*columns_, rows, f);
    const std::uint32_t* list = rows.list(f);
    const std::uint32_t m = rows.size();
    for (std::uint32_t a = 0; a < m;) {
      const std::uint32_t b = view.run_end(a);
      if (b - a < min_leaf) return;
      loss_->clear(in_);
      for (std::uint32_t k = a; k < b; ++k) loss_->add(in_, rows.row(list[k]));
      Score weight{};
      if (children.may_leave_out())
        for (std::uint32_t k = a; k < b; ++k)
          weight += static_cast<Score>(loss_->weight(rows.row(list[k])));
      children.add(measure(in_), weight);
      a = b;
    }
    const Score score = children.total();
    if (score < found.score) found = {f, TestKind::multiway, 0, m, score};
  }

  const Columns* columns_;
  const L* loss_;
  Tally in_;
  Tally out_;
};

}  // namespace treeproof::threshold
