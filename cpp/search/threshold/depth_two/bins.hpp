// Divides sorted columns into a few bins, so that one pass over the bins bounds every stump.
//
// For labels, the bins follow *impurity*: a bin grows by the next group of equal values while at
// most tau of its weight is not of its majority class and (unless it is pure) while it stays small.
// The smallest tau that gives few enough bins is used. Pure runs of any length become one bin
// without any loss, because no best stump cuts inside a pure run. On noisy data this needs ten
// times fewer exact scans than quantiles. Targets of a regression are divided into quantiles.
//
// The whole table is divided once into at most 255 *codes* for each column. A large subset merges
// neighbouring codes, which takes one pass over its rows; a small subset is divided from scratch.
// The sides of many cuts of one set may take over the bins of that set.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/columns.hpp"
#include "data/row_subset.hpp"
#include "search/threshold/keyed_rows.hpp"

namespace treeproof::threshold {

// The labels and weights that the bins follow; `n_classes` 0 requests quantiles.
struct BinTargets {
  std::span<const std::int32_t> labels;
  std::span<const std::int32_t> weights;
  std::int32_t n_classes = 0;
  double mean_weight = 1.0;  // unit of tau: the weight of an average row
};

// Codes of all rows: [row * n_lanes + lane], lanes being the ordered features.
struct ColumnCodes {
  static constexpr int kMaxCodes = 255;
  std::vector<std::int32_t> features;  // of each lane
  std::vector<std::uint8_t> codes;
  std::vector<int> n_codes;  // of each lane
  int n_lanes() const { return static_cast<int>(features.size()); }
};

// Labels and weights in the order of a column, and which rows start a new value. They are gathered
// once and read in several passes. (Looking each up by its row took half of the time on 10^6 rows.)
struct SortedTargets {
  std::vector<std::int32_t> label;
  std::vector<std::int32_t> weight;
  std::vector<std::uint8_t> boundary;

  void gather(const BinTargets& targets, std::span<const std::uint32_t> rank,
              std::span<const std::uint32_t> rows);
};

// Throws `Stopped` when a limit (null: none) is hit.
ColumnCodes make_codes(const Columns& columns, const BinTargets& targets, Limits* limits = nullptr);

// The bins of one subset.
class SubsetBins {
 public:
  static constexpr int kMaxBins = 128;

  SubsetBins(const Columns& columns, const ColumnCodes& codes, BinTargets targets,
             int most_bins = kMaxBins)
      : columns_(&columns), codes_(&codes), targets_(targets),
        most_bins_(std::clamp(most_bins, 1, kMaxBins)) {}

  void cut(const RowSubset& rows);
  // The same for some of the rows of `around`, which many sets are cut out of: its bins are taken
  // over from the second set on, unless few of its rows are left. Returns whether they were.
  bool cut(const RowSubset& rows, const KeyedRows* around);

  int n_bins() const { return n_bins_; }  // maximum over all lanes
  // Bin of a row in every lane.
  const std::uint8_t* row_bins(std::uint32_t local) const {
    return bins_.data() + static_cast<std::size_t>(local) * codes_->features.size();
  }
  // Positions in the feature's list where its bins start; n_bins() + 1 entries.
  const std::uint32_t* starts(int lane) const {
    return starts_.data() + static_cast<std::size_t>(lane) * (kMaxBins + 1);
  }
  // True if the bin contains several values.
  bool several(int lane, int bin) const {
    return several_[static_cast<std::size_t>(lane) * kMaxBins + static_cast<std::size_t>(bin)];
  }

 private:
  void cut_small(const RowSubset& rows, int lane, int wanted);
  void merge_codes(const RowSubset& rows, int wanted);
  int merge_lane(int lane, int wanted, std::size_t attempt, std::uint32_t m);
  void finish_lane(const RowSubset& rows, int lane, int used);
  void keep_for_parts(const KeyedRows& around);
  void take_over(const RowSubset& rows);

  const Columns* columns_;
  const ColumnCodes* codes_;
  BinTargets targets_;
  int most_bins_;
  int n_bins_ = 0;
  std::vector<std::uint8_t> bins_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint8_t> several_;
  std::vector<std::uint32_t> sorted_rows_;  // scratch of cut_small
  SortedTargets sorted_;
  // Scratch of merge_codes: per lane and code, rows and class weights.
  std::vector<std::uint32_t> code_rows_;
  std::vector<std::int64_t> code_weights_;
  std::vector<std::uint8_t> code_bin_;
  std::vector<std::int64_t> bin_weights_;
  // The set that parts are cut out of, its bins by rows of the table, and their number.
  Key around_;
  bool around_kept_ = false;
  std::vector<std::uint8_t> around_bins_;
  int n_around_bins_ = 0;
  std::array<std::vector<std::uint8_t>, 33> warm_tau_;  // by log2 of the subset's size
};

}  // namespace treeproof::threshold
