// The two sides of a moving cut for the log loss of two classes with whole weights
// (loss/class_counts.hpp): counts of both classes for all second features at once.
//
// The same idea as moment_lanes.hpp with less to do. A bin holds both counts in one word, and
// losses are looked up. Three bounds leave out work:
//
//   parted bins   A stump that cuts inside a bin moves some rows of each class from its right part
//                 to its left part. The loss of a leaf is a concave function of its counts, so the
//                 sum over both parts is concave in how many rows are moved. Over all numbers of
//                 rows of each class, it is therefore least at a corner: none moved, all moved
//                 (both are ends of the bin), or all of one class and none of the other. A bin of a
//                 single class has no other corners, so its ends bound it exactly. Several bins
//                 together are bounded in the same way, and bins one by one only if that fails.
//   monotone      Fewer rows lose no more: without the bin's rows, both parts lose at most as
//                 much. This needs no further look-ups and is tried first.
//   inheritance   What the best stump on a column loses left of a cut is a bound for later cuts,
//                 where more rows are left, and what it loses on the right is one for earlier cuts.
//                 Where it already reaches what matters, the column is not looked at.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "data/row_subset.hpp"
#include "loss/class_counts.hpp"
#include "loss/moment_loss.hpp"
#include "search/threshold/counters.hpp"
#include "search/threshold/depth_two/bins.hpp"
#include "search/threshold/depth_two/lane_memory.hpp"

namespace treeproof::threshold {

class CountLanes {
 public:
  static constexpr bool kCounts = true;
  using Value = double;
  using Loss = MomentLoss<Logs>;

  // All columns must be ordered, and the loss must have counts.
  CountLanes(const Columns& columns, const Loss& loss, const ColumnCodes& codes, SubsetBins& bins)
      : columns_(&columns), loss_(&loss), counts_(loss.counts()), codes_(&codes), bins_(&bins),
        lanes_(codes.features.size()) {}

  // See SubsetBins::cut.
  bool load(const RowSubset& rows, const KeyedRows* around);
  // Starts a sweep over feature f with an empty window.
  void begin(std::int32_t f);
  // Makes positions first .. last - 1 of the list of f the left side.
  void window(std::uint32_t first, std::uint32_t last);

  double leaf(Side side) const { return loss_of(at(side)); }
  double leaf_of_all() const { return loss_of({all_, all_forced_, rows_->size()}); }

  // The next bounds are for a cut between two others of this sweep. Stumps that lose at least
  // `left_cap` on the left, or `right_cap` on the right, do not matter.
  void between(std::uint32_t before, std::uint32_t after, double left_cap, double right_cap) {
    before_ = before;
    after_ = after;
    cap_ = {left_cap, right_cap};
  }
  // There is no minimum leaf size here.
  StumpBounds<double> bounds(std::uint32_t, std::uint32_t, Counters& counters);
  // min(loss of the best stump of a side, cap). Uses the results of the last call of `bounds`.
  double exact(Side side, double cap, Counters& counters);
  double weight_between(std::uint32_t, std::uint32_t) const { return 0.0; }

  bool looks_twice() const { return true; }

  std::uint64_t visited() const { return visited_; }
  std::uint64_t nanoseconds_to_move(std::uint32_t rows) const {
    constexpr std::uint64_t kBounds = 1000;
    return kBounds + std::uint64_t{rows} * lanes_ / 2;
  }

 private:
  using Pair = ClassCounts::Pair;
  static constexpr std::size_t kBins = SubsetBins::kMaxBins;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  struct SideOfCut {
    Pair counts;
    double forced;
    std::uint32_t rows;
  };
  SideOfCut at(Side side) const {
    const std::uint32_t left = last_ - first_;
    if (side == Side::left) return {left_, left_forced_, left};
    return {all_ - left_, all_forced_ - left_forced_, rows_->size() - left};
  }
  double loss_of(const SideOfCut& side) const {
    return side.rows <= 1 ? 0.0 : std::max(0.0, counts_->loss(side.counts) - side.forced);
  }
  // Bounds on the stumps of a column on one side: between the ends of bins, and anywhere.
  struct Stumps {
    double lower, upper;
  };
  // The losses of what is before and after the end of a bin.
  struct Split {
    double first, second;
  };
  Split split_at(std::size_t end, Pair whole) const {
    return {counts_->loss(before_end_[end]), counts_->loss(whole - before_end_[end])};
  }
  void add_up(std::size_t lane, Side side);
  double parted(std::size_t from, std::size_t to, Pair whole) const;
  template <class Inside>
  Stumps walk(std::size_t lane, Pair whole, double& matters, Counters& counters,
              Inside inside) const;
  void bound_lane(Side side, std::size_t lane, Counters& counters);
  template <bool kAdd>
  void move(std::uint32_t from, std::uint32_t to);
  bool on(Side side, std::uint32_t local) const {
    return (position_[local] - first_ < last_ - first_) == (side == Side::left);
  }
  double scan(Side side, std::size_t lane, double best, Counters& counters);
  double scan_rows(Side side, std::size_t lane, std::size_t bin);
  // What was found at a cut of this sweep: for each side and column, a lower bound.
  double* found_at(std::uint32_t position, Side side);
  double inherited(Side side, std::size_t lane) const;

  const Columns* columns_;
  const Loss* loss_;
  const ClassCounts* counts_;
  const ColumnCodes* codes_;
  SubsetBins* bins_;
  std::size_t lanes_;

  const RowSubset* rows_ = nullptr;
  std::vector<Pair> of_row_;  // by local row
  std::vector<double> forced_of_row_;
  bool forced_ = false;             // whether any row has a forced loss
  std::vector<Pair> cells_;         // [lane, bin]: inside the window
  std::vector<Pair> total_before_;  // [lane, end of a bin]: of all rows, before it
  Pair all_ = 0, left_ = 0;
  double all_forced_ = 0.0, left_forced_ = 0.0;
  std::uint64_t visited_ = 0;

  const std::uint32_t* list_ = nullptr;
  std::vector<std::uint32_t> position_;  // of each local row in list_
  std::uint32_t first_ = 0, last_ = 0;

  std::uint32_t before_ = kNowhere, after_ = kNowhere;
  std::array<double, 2> cap_{kNever, kNever};
  std::vector<std::uint32_t> slot_;           // [position]: where its bounds are; kNowhere: none
  std::vector<double> found_;                 // [slot, side, lane]
  std::array<std::vector<double>, 2> lower_;  // at the current cut
  std::array<double, 2> upper_{0.0, 0.0};
  std::array<std::size_t, 2> best_lane_{0, 0};
  std::array<Pair, kBins + 1> before_end_;  // of the last column and side that was added up
};

}  // namespace treeproof::threshold
