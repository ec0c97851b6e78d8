// The two sides of a moving cut, for losses that are sums and one convex function
// (loss/moment_loss.hpp): moments of all second features at once.
//
// The same idea as class_lanes.hpp with other channels: a bin holds weight, weighted sum of
// each output, sum of the rows' own terms and, where a minimum leaf size is in force, rows. A
// stump that cuts inside a bin loses at least what both parts lose without the bin's rows
// (fewer rows lose no more), which gives the lower bound; cuts between bins give the upper one.
// `exact` walks only the bins whose lower bound leaves something to gain.
//
// Rounding: every sweep starts from empty histograms, so a cell receives a few thousand additions
// at most and keeps about 13 digits of the sum of squares; the tolerance of loss/tolerance.hpp is
// larger than this error.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "data/row_subset.hpp"
#include "loss/moment_loss.hpp"
#include "search/threshold/counters.hpp"
#include "search/threshold/depth_two/bins.hpp"
#include "search/threshold/depth_two/category_tables.hpp"
#include "search/threshold/depth_two/fine_bins.hpp"
#include "search/threshold/depth_two/kernels.hpp"
#include "search/threshold/depth_two/lane_memory.hpp"
#include "search/threshold/depth_two/log_tangent.hpp"

namespace treeproof::threshold {

template <class Phi>
class MomentLanes {
 public:
  static constexpr bool kCounts = false;
  using Value = double;

  MomentLanes(const Columns& columns, const MomentLoss<Phi>& loss, const ColumnCodes& codes,
              SubsetBins& bins, const MomentKernels& kernels, bool count_rows, double further_child,
              std::uint32_t fine_bins_from);

  // See SubsetBins::cut.
  bool load(const RowSubset& rows, const KeyedRows* around);

  // Starts a sweep over feature f with an empty window.
  void begin(std::int32_t f);
  // Makes positions first .. last - 1 of the list of f the left side.
  void window(std::uint32_t first, std::uint32_t last);

  double leaf(Side side) const;
  double leaf_of_all() const;
  // Stumps that lose at least `left_cap` on the left, or `right_cap` on the right, do not matter
  // for the next bounds.
  void between(std::uint32_t, std::uint32_t, double left_cap, double right_cap)
    requires(!MomentLoss<Phi>::kSquares)
  {
    left_cap_ = left_cap;
    right_cap_ = right_cap;
  }
  // Bounds with at least the given numbers of rows in each part of a stump.
  StumpBounds<double> bounds(std::uint32_t min_left, std::uint32_t min_right, Counters& counters);
  // min(loss of the best stump of a side, cap). Uses the results of the last call of `bounds`.
  double exact(Side side, double cap, Counters& counters);
  // There is no unit step for these losses.
  double weight_between(std::uint32_t, std::uint32_t) const { return 0.0; }

  // A logarithm for every bin takes longer than moving the rows of a small set.
  bool looks_twice() const
    requires(!MomentLoss<Phi>::kSquares)
  {
    constexpr std::uint32_t kFewRows = 1000;
    return rows_->size() <= kFewRows;
  }

  // Rows that exact scans of this set have visited.
  std::uint64_t visited() const { return visited_; }
  // The approximate time to move rows to the other side in all lanes, and to bound the new cut.
  std::uint64_t nanoseconds_to_move(std::uint32_t rows) const {
    constexpr std::uint64_t kBounds = 2000;
    return kBounds + std::uint64_t{rows} * static_cast<std::uint64_t>(columns_->n_features());
  }

 private:
  static constexpr std::size_t kWidth = LaneMemory<double>::kWidth;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  template <int kSign>
  void move(std::uint32_t from, std::uint32_t to);
  double channel(Side side, std::size_t index) const {
    const double l = memory_.left[index];
    return side == Side::left ? l : memory_.total[index] - l;
  }
  bool on(Side side, std::uint32_t local) const {
    return (position_[local] - first_ < last_ - first_) == (side == Side::left);
  }
  std::uint32_t rows_on(Side side) const {
    const std::uint32_t left = last_ - first_;
    return side == Side::left ? left : rows_->size() - left;
  }
  const std::vector<double>& sums(Side side) const {
    return side == Side::left ? left_sums_ : right_sums_;
  }
  // Returns the part of the loss that the best constant explains, for rows with these moments
  // (weight, then sums).
  double explained(const double* moments, double tiny) const;
  void bound_categories(Side side, double min_rows, std::vector<double>& out);
  double category_loss(std::size_t g, Side side, double min_rows);
  // A scan of one feature and side.
  struct Scan {
    // Whether a cut may lie inside a stretch of `inside` rows, with `before` rows before it.
    bool allows(double before, double inside) const {
      return min_rows <= 1.0 || (before + inside >= min_rows && rows - before >= min_rows);
    }
    double part_channel(const FineBins<double>& fine, std::size_t bin, std::size_t part,
                        std::size_t channel) const {
      const double l = fine.window(lane, bin, part)[channel];
      return side == Side::left ? l : fine.total(lane, bin, part)[channel] - l;
    }

    Side side;
    std::size_t lane;
    const double* whole;  // the moments of the side
    double min_rows;
    double rows;
    double tiny;
    const std::uint32_t* list;
    const std::uint32_t* rank;
  };
  // Divides the bins into parts.
  void divide_bins(Counters& counters);
  void move_parts(std::uint32_t from, std::uint32_t to, double sign);
  // What the kernel has found of a lane: what is explained before the end of a bin, and after it.
  double kept(Side side, std::size_t lane, std::size_t end, bool after) const {
    const std::size_t ends = memory_.bins + 1;
    const std::size_t array = (after ? 2u : 0u) + (side == Side::left ? 0u : 1u);
    return kept_[((lane / kWidth * 4 + array) * ends + end) * kWidth + lane % kWidth];
  }
  double scan(Side side, std::size_t lane, double best, double min_rows);
  double scan_parts(const Scan& scan, std::size_t bin, double before, double rows, double best);
  double scan_rows(const Scan& scan, std::uint32_t from, std::uint32_t to, double count,
                   double best);

  const Columns* columns_;
  const MomentLoss<Phi>* loss_;
  const ColumnCodes* codes_;
  SubsetBins* bins_;
  Kernel<double> kernel_;
  Kernel<double> kernel_min_;
  std::size_t outputs_;
  std::size_t own_;       // channel of the sum of own terms
  std::size_t channels_;  // with the row channel, if any
  bool count_rows_;
  double further_child_;  // of a multiway split
  std::uint32_t fine_bins_from_;
  std::vector<std::int32_t> categorical_;  // features that are not in lanes

  const RowSubset* rows_ = nullptr;
  LaneMemory<double> memory_;
  AlignedArray<double> kept_;  // [block, array, end of a bin, lane]; for logarithms only
  double left_cap_ = kNever, right_cap_ = kNever;
  double reach_ = 0.0;        // magnitude of the sums, for their rounding
  std::int64_t skipped_ = 0;  // cuts that tangents have settled
  std::vector<std::size_t> lane_base_;
  FineBins<double> fine_;
  std::uint64_t visited_ = 0;    // rows that scans of this set have visited
  std::vector<double> moments_;  // [local row][weight, weighted sums, own term, 1]
  std::vector<double> all_, left_sums_, right_sums_;

  // Categorical features: [start of feature + category * channels + channel]; the row channel
  // is always there, to tell categories that occur.
  CategoryTables<double, double> categories_;

  const std::uint32_t* list_ = nullptr;
  std::vector<std::uint32_t> position_;  // of each local row in list_
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  double min_left_ = 1;
  double min_right_ = 1;
  std::vector<double> prefix_, suffix_, inner_, rest_, part_prefix_, part_suffix_;
};

extern template class MomentLanes<Squares>;
extern template class MomentLanes<Logs>;

}  // namespace treeproof::threshold
