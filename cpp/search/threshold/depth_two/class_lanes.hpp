// The two sides of a moving cut, for labels, with class histograms of all second features at once.
//
// One window (positions first .. last - 1 of the root feature's list) is the left side; moving
// the window by a row costs one counter for each feature. `bounds` then bounds the best stump
// of both sides in one pass over the bins, and `exact` settles a side by scanning, row by row,
// only the bins whose bound leaves something to gain.
//
// Kernels and scans count all errors of a side. The cost that a side has in every tree, if equal
// rows have different classes (loss/misclassification.hpp), is subtracted from their results.
//
// T is the type of counters: int16 for light subsets (twice the lanes), int32 for others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/cost.hpp"
#include "core/prefetch.hpp"
#include "data/row_subset.hpp"
#include "loss/misclassification.hpp"
#include "search/threshold/counters.hpp"
#include "search/threshold/depth_two/bins.hpp"
#include "search/threshold/depth_two/class_categories.hpp"
#include "search/threshold/depth_two/fine_bins.hpp"
#include "search/threshold/depth_two/kernels.hpp"
#include "search/threshold/depth_two/lane_memory.hpp"
#include "search/threshold/multiway_cost.hpp"

namespace treeproof::threshold {

struct TwoClassErrors;

template <class T>
class ClassLanes {
 public:
  static constexpr bool kCounts = true;
  using Value = Cost;

  ClassLanes(const Columns& columns, const Misclassification& loss, const ColumnCodes& codes,
             SubsetBins& bins, const ClassKernels<T>& kernels, bool count_rows,
             const MultiwayCost<Cost>& children, std::uint32_t fine_bins_from)
      : columns_(&columns), loss_(&loss), codes_(&codes), bins_(&bins), kernels_(kernels),
        classes_(static_cast<std::size_t>(loss.n_classes())),
        pairs_(loss.knows_pairs() ? static_cast<std::size_t>(n_class_pairs(loss.n_classes())) : 0),
        count_rows_(count_rows), fine_bins_from_(fine_bins_from),
        categories_(columns, classes_, count_rows, children) {}

  // See SubsetBins::cut.
  bool load(const RowSubset& rows, const KeyedRows* around);

  // Starts a sweep over feature f with an empty window.
  void begin(std::int32_t f);
  // Makes positions first .. last - 1 of the list of f the left side.
  void window(std::uint32_t first, std::uint32_t last);

  Value leaf(Side side) const;
  // The cost of a leaf that predicts the class `says`.
  Value leaf_saying(Side side, std::int32_t says) const;
  Value leaf_of_all() const { return cost_of(all_swing_ - Count{*std::ranges::max_element(all_)}); }
  // Bounds with at least the given numbers of rows in each part of a stump.
  StumpBounds<Value> bounds(std::uint32_t min_left, std::uint32_t min_right, Counters& counters);
  // min(loss of the best stump of a side, cap), including the further children of its split. Uses
  // the results of the last call of `bounds`.
  Value exact(Side side, Value cap, Counters& counters);
  // The maximum reduction of the cost if positions a .. b - 1 of the list of the root feature are
  // left out.
  Value weight_between(std::uint32_t a, std::uint32_t b) const {
    return unit_ ? cost_of(b - a) : cumulative_[b] - cumulative_[a];
  }
  // Rows that exact scans of this set have visited.
  std::uint64_t visited() const { return visited_; }
  // The approximate time to move rows to the other side in all lanes, and to bound the new cut.
  std::uint64_t nanoseconds_to_move(std::uint32_t rows) const {
    constexpr std::uint64_t kBounds = 180;
    const std::uint64_t cells =
        std::uint64_t{rows} * static_cast<std::uint64_t>(columns_->n_features());
    return kBounds + (classes_ == 2 ? cells / 2 : cells * n_channels() / 3);
  }

 private:
  using Count = std::int64_t;

  void reset(bool full);
  template <int kSign>
  void move(std::uint32_t from, std::uint32_t to);
  template <int kSign, int kClasses>
  void move_channels(std::uint32_t from, std::uint32_t to);
  template <int kSign>
  void move_further(std::uint32_t r);
  void place();
  Count channel(Side side, std::size_t index) const {
    const Count l = memory_.left[index];
    return side == Side::left ? l : Count{memory_.total[index]} - l;
  }
  bool on(Side side, std::uint32_t local) const {
    return (position_[local] - first_ < last_ - first_) == (side == Side::left);
  }
  // For a side: the maximum cost of its rows, and the cost that they have in every tree.
  Count swing(Side side) const {
    return side == Side::left ? left_swing_ : all_swing_ - left_swing_;
  }
  Count forced(Side side) const {
    return (side == Side::left ? left_weight_ : all_weight_ - left_weight_) - swing(side);
  }
  // Channels of one bin: classes, then rows or gains of pairs.
  std::size_t n_channels() const { return classes_ + pairs_ + (count_rows_ ? 1 : 0); }
  // ---- exact scans: class_scans.cpp ----

  // One feature and side.
  struct Scan {
    Scan(const ClassLanes& lanes, Side on_side, std::size_t of_lane, Count minimum);
    // Whether a cut may lie inside a stretch of `inside` rows, with `before` rows before it.
    bool allows(Count before, Count inside) const {
      return min_rows <= 1 || (before + inside >= min_rows && rows - before >= min_rows);
    }

    Side side;
    std::size_t lane;
    Count min_rows;
    Count rows;
    const std::uint32_t* list;
    const std::uint32_t* rank;
    const std::uint32_t* starts;
  };
  // Two classes: the rows before a stretch, and by how much the first class outweighs the second.
  struct Before {
    Count difference;
    Count rows;
  };
  // Several classes: the largest weights of one class before a stretch and from its start on, and
  // the rows before it.
  struct Majorities {
    Count before;
    Count from;
    Count rows;
  };

  // Divides the bins into parts.
  void divide_bins(Counters& counters);
  void move_parts(std::uint32_t from, std::uint32_t to, std::int32_t sign);
  Count part_channel(const Scan& scan, std::size_t bin, std::size_t part,
                     std::size_t channel) const {
    const Count l = fine_.window(scan.lane, bin, part)[channel];
    return scan.side == Side::left ? l : fine_.total(scan.lane, bin, part)[channel] - l;
  }
  Count scan_two(Side side, std::size_t lane, Count best, Count min_rows);
  Count scan_parts_two(const Scan& scan, std::size_t bin, Before before,
                       const TwoClassErrors& errors, Count best);
  template <class Cut, class Row>
  void visit_rows(const Scan& scan, std::uint32_t from, std::uint32_t to, Count before, Cut cut,
                  Row row);
  Count scan_rows_two(const Scan& scan, std::uint32_t from, std::uint32_t to, Before before,
                      const TwoClassErrors& errors, Count best);
  Count most_inside(Side side, std::size_t at) const;
  Count scan_many(Side side, std::size_t lane, Count best, Count min_rows);
  Count scan_parts_many(const Scan& scan, std::size_t bin, Majorities most, Count weight,
                        Count best);
  Count scan_rows_many(const Scan& scan, std::uint32_t from, std::uint32_t to, Majorities most,
                       Count weight, Count best);

  const Columns* columns_;
  const Misclassification* loss_;
  const ColumnCodes* codes_;
  SubsetBins* bins_;
  ClassKernels<T> kernels_;
  std::size_t classes_;
  std::size_t pairs_;  // of classes, if their gains are known; never with `count_rows_`
  bool count_rows_;
  std::uint32_t fine_bins_from_;
  ClassCategories<T> categories_;  // features that are not in lanes

  const RowSubset* rows_ = nullptr;
  LaneMemory<T> memory_;
  std::vector<std::size_t> lane_base_;
  FineBins<std::int32_t> fine_;
  std::uint64_t visited_ = 0;        // rows that scans of this set have visited
  bool unit_ = true;                 // every weight and every swing is 1
  std::vector<std::int32_t> label_;  // of local rows
  std::vector<T> weight_;
  std::vector<T> swing_;
  std::vector<T> all_, left_sums_, right_sums_;
  Count all_weight_ = 0, all_swing_ = 0;
  Count left_weight_ = 0, left_swing_ = 0;

  const std::uint32_t* list_ = nullptr;
  std::vector<std::uint32_t> position_;  // of each local row in list_, once it is needed
  bool placed_ = false;
  bool total_known_ = false;  // whether the contents of a window over all rows are known
  std::vector<Cost> cumulative_;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  Count min_left_ = 1;
  Count min_right_ = 1;
  std::vector<Count> prefix_, suffix_, inner_prefix_, inner_suffix_, part_prefix_, part_suffix_;
};

extern template class ClassLanes<std::int16_t>;
extern template class ClassLanes<std::int32_t>;

}  // namespace treeproof::threshold
