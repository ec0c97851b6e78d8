// L1 of the paper: the loss of the best stump on a feature, for the rows on one side of a cut.
//
// A window (positions first .. last - 1 of the root feature's sorted list) selects the rows;
// one walk over the sorted list of the stump's feature, skipping the other rows, gives the
// loss. The walk for one squared output keeps two running sums in registers.
//
// Limits are polled inside a walk, because a walk over a million rows takes a tenth of a second.
// The result of a walk that was stopped is not valid; callers check the limits before they use it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "loss/moment_loss.hpp"

namespace treeproof::quantbnb {

// A half-open range of positions in the list of the root feature.
struct Window {
  std::uint32_t first;
  std::uint32_t last;
};

template <Loss L>
class StumpLosses {
 public:
  using Value = typename L::Value;

  StumpLosses(const Columns& columns, const L& loss, Limits& limits)
      : columns_(&columns), loss_(&loss), limits_(&limits), in_(loss.tally()), out_(loss.tally()) {}

  // Rows passed by all walks, and those passed once a limit had been hit.
  std::int64_t rows_walked() const { return rows_walked_; }
  std::int64_t rows_after_stop() const { return rows_after_stop_; }

  // Chooses the rows and the root feature that windows refer to.
  void select(const RowSubset& rows, std::int32_t root) {
    rows_ = &rows;
    root_list_ = rows.list(root);
    position_.resize(rows.size());
    for (std::uint32_t k = 0; k < rows.size(); ++k) position_[root_list_[k]] = k;
    if constexpr (std::same_as<L, SquaredError>) {
      if (loss_->n_outputs() == 1) {
        weight_.resize(rows.size());
        target_.resize(rows.size());
        for (std::uint32_t r = 0; r < rows.size(); ++r) {
          weight_[r] = loss_->row_weight(rows.row(r));
          target_[r] = *loss_->target(rows.row(r));
        }
      }
    }
  }

  // For each feature the loss of the best stump on the rows of the window; "no cut" counts.
  void best(Window window, std::span<const std::int32_t> features, std::vector<Value>& out) {
    out.assign(features.size(), Value{});
    for (std::size_t k = 0; k < features.size() && !stopped(); ++k)
      out[k] = best(window, features[k]).loss;
  }

  struct Stump {
    Value loss;
    std::uint32_t rank;  // rows of at most this rank go left; ~0u: no cut
  };
  Stump best(Window window, std::int32_t feature) {
    if (window.first >= window.last) return {Value{}, ~0u};
    if constexpr (std::same_as<L, SquaredError>) {
      if (loss_->n_outputs() == 1) return walk_moments(window, feature);
    }
    return walk_tallies(window, feature);
  }

 private:
  bool stopped() const { return limits_->reason() != StopReason::none; }

  Stump walk_tallies(Window window, std::int32_t feature) {
    loss_->clear(in_);
    loss_->clear(out_);
    for (std::uint32_t k = window.first; k < window.last; ++k)
      loss_->add(out_, rows_->row(root_list_[k]));
    Stump best{loss_->value(out_), ~0u};
    walk(
        window, feature,
        [&](std::uint32_t value_before) {
          const Value loss = loss_->value(in_) + loss_->value(out_);
          if (loss < best.loss) best = {loss, value_before};
        },
        [&](std::uint32_t local) {
          loss_->add(in_, rows_->row(local));
          loss_->remove(out_, rows_->row(local));
        });
    return best;
  }

  Stump walk_moments(Window window, std::int32_t feature) {
    double all_weight = 0.0, all_sum = 0.0, squares = 0.0;
    for (std::uint32_t k = window.first; k < window.last; ++k) {
      const std::uint32_t r = root_list_[k];
      all_weight += weight_[r];
      all_sum += weight_[r] * target_[r];
      squares += weight_[r] * target_[r] * target_[r];
    }
    double weight = 0.0, sum = 0.0;
    double most = all_sum * all_sum / all_weight;  // explained
    std::uint32_t rank = ~0u;
    walk(
        window, feature,
        [&](std::uint32_t value_before) {
          const double rest = all_sum - sum;
          const double explained = sum * sum / weight + rest * rest / (all_weight - weight);
          if (explained > most) {
            most = explained;
            rank = value_before;
          }
        },
        [&](std::uint32_t local) {
          weight += weight_[local];
          sum += weight_[local] * target_[local];
        });
    // A single row has no loss; rounding errors are removed here.
    const double loss = window.last - window.first == 1 ? 0.0 : squares - most;
    return {std::max(0.0, loss), rank};
  }

  // Calls `cut` between different values and `enter` for every row of the window, in the order
  // of the feature, until a limit is hit.
  template <class Cut, class Enter>
  void walk(Window window, std::int32_t feature, Cut cut, Enter enter) {
    const std::uint32_t* list = rows_->list(feature);
    const std::uint32_t* rows = rows_->rows();
    const std::uint32_t* rank = columns_->rank_of(feature).data();
    const std::uint32_t width = window.last - window.first;
    std::uint32_t before = ~0u;
    for (std::uint32_t begin = 0; begin < rows_->size(); begin += kStretch) {
      const std::uint32_t end = std::min(rows_->size(), begin + kStretch);
      rows_walked_ += end - begin;
      if (stopped()) rows_after_stop_ += end - begin;
      for (std::uint32_t k = begin; k < end; ++k) {
        const std::uint32_t r = list[k];
        if (position_[r] - window.first >= width) continue;
        const std::uint32_t v = rank[rows[r]];
        if (v != before) {
          if (before != ~0u) cut(before);
          before = v;
        }
        enter(r);
      }
      if (limits_->stop(1 + (end - begin) / kRowsPerMicrosecond)) return;
    }
  }

  static constexpr std::uint32_t kStretch = 1 << 13;
  // A conservative estimate: much faster with few classes or one squared output, but about right
  // for the absolute error or a hundred classes.
  static constexpr std::uint32_t kRowsPerMicrosecond = 16;

  const Columns* columns_;
  const L* loss_;
  Limits* limits_;
  typename L::Tally in_;
  typename L::Tally out_;
  const RowSubset* rows_ = nullptr;
  const std::uint32_t* root_list_ = nullptr;
  std::vector<std::uint32_t> position_;
  std::vector<double> weight_, target_;
  std::int64_t rows_walked_ = 0;
  std::int64_t rows_after_stop_ = 0;
};

}  // namespace treeproof::quantbnb
