// What any partition of the targets into k leaves must lose, for losses that are sums and one
// convex function (loss/moment_loss.hpp).
//
// The leaves of a tree partition its rows; whichever way, they lose at least what the best
// partition of the targets alone into that many groups does. For one output that is clustering
// in one dimension under a Bregman divergence d(v, c), the loss of target v in a group of mean c:
// it grows as c moves away from v, and d(v, c) - d(v, c') is affine in v, so rows on one side of a
// value prefer c and those on the other c'. Hence optimal groups are runs of the sorted targets
// (Fisher, 1958, for squares), and a table over (number of groups, prefix) holds the optimum.
// The cost of a run satisfies the quadrangle inequality: for a <= b <= c <= d let m be the mean
// of [a, d) and m' that of [b, c). If m <= m', then [a, c) with m and [b, d) with m' cost no more
// than [a, d) with m and [b, c) with m', because the targets of [c, d) are at least m' and so no
// further from m' than from m; else the mirror image. So the best start of the last run never
// moves left as the prefix grows, and each row of the table is filled by divide and conquer in
// O(m log m). Several outputs are bounded one by one, and their bounds add up.
//
// A tree with k leaves has k - 1 splits at least where every split is two-way, so
//
//   cost >= min over k of (k - 1) * penalty + (loss of the best partition into k groups).
//
// With a penalty only a few k matter: with more groups, the penalties alone exceed
// the cost to beat.
// With smoothing, a leaf loses at least what its rows lose without it and what an empty leaf does,
// so the loss of an empty leaf is one more penalty for each leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/limits.hpp"
#include "data/row_subset.hpp"
#include "loss/moment_loss.hpp"

namespace treeproof::bounds {

template <class Phi>
class PartitionBound {
 public:
  explicit PartitionBound(const MomentLoss<Phi>& loss) : loss_(&loss) {}

  // Least cost of any tree on these rows with at most `leaves` leaves, bounded from below;
  // groups whose penalties alone reach `cutoff` are not tried (their bound is `cutoff`). For many
  // rows this takes long: once a limit is reached, the bound is 0. It may also be 0 if it is known
  // to be below `worth`, without that all numbers of groups are tried.
  double operator()(const RowSubset& rows, std::int64_t leaves, double penalty, double cutoff,
                    double worth, Limits& limits) {
    limits_ = rows.size() > kManyRows ? &limits : nullptr;
    const double empty = loss_->empty_leaf();
    const double bound =
        empty + least(rows, leaves, penalty + empty, cutoff - empty, worth - empty);
    return stop(0) || bound < worth ? 0.0 : bound;
  }

 private:
  static constexpr std::int64_t kMostGroups = 16;
  static constexpr std::uint32_t kManyRows = 20'000;

  bool stop(std::size_t microseconds) {
    return limits_ != nullptr && limits_->stop(static_cast<std::uint32_t>(microseconds));
  }

  struct Row {
    double y, w, own;
  };
  struct Sums {
    double weight = 0.0, sum = 0.0, own = 0.0;
  };
  // The table of one output, of which two rows are kept.
  struct Output {
    double centre = 0.0;
    std::vector<Sums> prefix;         // of the sorted targets
    std::vector<double> row, before;  // by prefix: the loss of k groups, and of one less
  };

  double least(const RowSubset& rows, std::int64_t leaves, double penalty, double cutoff,
               double worth) {
    const std::int64_t most =
        std::clamp<std::int64_t>(leaves, 1, std::min<std::int64_t>(kMostGroups, rows.size()));
    outputs_.resize(loss_->n_outputs());
    for (std::size_t output = 0; output < outputs_.size(); ++output) {
      load(rows, output);
      if (stop(rows.size() / 20)) return 0.0;
    }
    double bound = 0.0;
    std::int64_t k = 0;  // splits: one less than groups
    for (; k < most; ++k) {
      if (k > 0 && static_cast<double>(k) * penalty >= cutoff) break;
      double cost = static_cast<double>(k) * penalty;
      for (Output& output : outputs_) {
        k == 0 ? first_row(output) : next_row(output);
        cost += output.row.back();
      }
      if (cost < worth) return 0.0;
      bound = k == 0 ? cost : std::min(bound, cost);
    }
    // More leaves than the table has cost so many penalties at least.
    if (k < leaves) bound = std::min(bound, static_cast<double>(k) * penalty);
    return bound;
  }

  void load(const RowSubset& rows, std::size_t number) {
    sorted_.resize(rows.size());
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      sorted_[r] = {loss_->target(rows.row(r))[number], loss_->row_weight(rows.row(r)),
                    loss_->own(rows.row(r), number)};
    std::ranges::sort(sorted_, [](const Row& a, const Row& b) { return a.y < b.y; });
    Output& output = outputs_[number];
    output.centre = loss_->centres()[number];
    std::vector<Sums>& prefix = output.prefix;
    prefix.resize(rows.size() + 1);
    prefix[0] = {};
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      const auto [y, w, own] = sorted_[k];
      prefix[k + 1] = {prefix[k].weight + w, prefix[k].sum + w * y, prefix[k].own + own};
    }
  }

  // Loss of the sorted targets from .. to - 1 as one group.
  static double run(const Output& output, std::size_t from, std::size_t to) {
    if (to - from < 2) return 0.0;
    const Sums &low = output.prefix[from], &high = output.prefix[to];
    const double explained =
        Phi::spread(high.weight - low.weight, high.sum - low.sum, output.centre);
    return std::max(0.0, high.own - low.own - explained);
  }

  static void first_row(Output& output) {
    output.row.resize(output.prefix.size());
    for (std::size_t to = 0; to < output.row.size(); ++to) output.row[to] = run(output, 0, to);
  }
  void next_row(Output& output) {
    output.before.swap(output.row);
    output.row.assign(output.before.size(), 0.0);
    fill(output, 1, output.row.size() - 1, 0, output.row.size() - 1);
  }
  // Entries low .. high, whose last run starts between `first` and `last`.
  void fill(Output& output, std::size_t low, std::size_t high, std::size_t first,
            std::size_t last) {
    if (low > high || stop((last - first) / 400)) return;
    const std::size_t middle = low + (high - low) / 2;
    double best = output.before[middle];  // no further group
    std::size_t start = std::min(last, middle);
    for (std::size_t from = first; from <= std::min(last, middle - 1); ++from)
      if (const double loss = output.before[from] + run(output, from, middle); loss < best) {
        best = loss;
        start = from;
      }
    output.row[middle] = best;
    if (middle > low) fill(output, low, middle - 1, first, start);
    fill(output, middle + 1, high, start, last);
  }

  const MomentLoss<Phi>* loss_;
  Limits* limits_ = nullptr;  // null: not polled
  std::vector<Row> sorted_;
  std::vector<Output> outputs_;
};

// The bound of a loss, where it has one.
template <class L>
struct PartitionsOf {
  static constexpr bool kAny = false;
  struct type {
    explicit type(const L&) {}
  };
};
template <class Phi>
struct PartitionsOf<MomentLoss<Phi>> {
  static constexpr bool kAny = true;
  using type = PartitionBound<Phi>;
};

}  // namespace treeproof::bounds
