// A set of rows together with the sorted order of all its columns.
//
// The rows of the set have local numbers 0 .. size - 1, and each feature lists them in increasing
// order of value. To divide a set into parts, one stable pass over every list is sufficient, so
// that nothing is sorted again. A solver that only asks which rows there are is given sets
// without lists, which take a fraction of the time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/columns.hpp"
#include "data/row_mask.hpp"

namespace treeproof {

class RowSubset {
 public:
  // All rows of the table, whose lists are borrowed: the columns must outlive the set.
  static RowSubset whole(const Columns& columns);

  std::uint32_t size() const { return size_; }
  std::uint32_t row(std::uint32_t local) const { return rows_[local]; }
  const std::uint32_t* rows() const { return rows_.get(); }
  // The same rows, with lists.
  RowSubset with_lists(const Columns& columns) const;
  bool has_lists() const { return shown_ != nullptr; }
  // Local numbers in increasing order of feature f.
  const std::uint32_t* list(std::int32_t f) const {
    return shown_ + static_cast<std::size_t>(f) * size_;
  }
  std::size_t bytes() const {
    return capacity_ * sizeof(std::uint32_t) * (lists_ ? n_features_ + 1 : 1);
  }

 private:
  friend class Partitioner;
  void reserve(std::size_t size, std::size_t n_features, bool lists = true);

  std::uint32_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t n_features_ = 0;
  std::unique_ptr<std::uint32_t[]> rows_;   // global row of each local number
  std::unique_ptr<std::uint32_t[]> lists_;  // n_features lists of size_; null: borrowed
  const std::uint32_t* shown_ = nullptr;    // these lists, or those of the columns; null: none
};

// Divides sets into parts, and owns the scratch memory for this.
class Partitioner {
 public:
  // The first `position` rows of feature f's list go to `left`, the others to `right`.
  void cut(const RowSubset& from, std::int32_t f, std::uint32_t position, RowSubset& left,
           RowSubset& right);
  // Rows first .. last - 1 of feature f's list go to `inside`, the others to `outside`. Without
  // `lists`, the parts have none.
  void cut_out(const RowSubset& from, std::int32_t f, std::uint32_t first, std::uint32_t last,
               RowSubset& inside, RowSubset& outside, bool lists = true);
  // One part for each of the runs that start at `starts` (the last one ends the list).
  void cut_runs(const RowSubset& from, std::int32_t f, std::span<const std::uint32_t> starts,
                std::vector<RowSubset>& parts);
  // The rows of `from` that are in `mask`.
  void keep(const RowSubset& from, const RowMask& mask, RowSubset& inside);

 private:
  void distribute_two(const RowSubset& from, RowSubset& inside, RowSubset& outside, bool lists);
  std::vector<std::uint32_t> place_;  // part (top bit) and new local number of each row
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t*> cursor_;
};

// The sorted order of one feature on a set: which positions are boundaries between different
// values, and which boundary is nearest to a given position.
class FeatureView {
 public:
  FeatureView(const Columns& columns, const RowSubset& rows, std::int32_t f)
      : list_(rows.list(f)), rows_(rows.rows()), rank_(columns.rank_of(f).data()),
        size_(rows.size()) {}

  std::uint32_t size() const { return size_; }
  std::uint32_t rank_at(std::uint32_t position) const { return rank_[rows_[list_[position]]]; }
  bool boundary(std::uint32_t position) const { return rank_at(position - 1) != rank_at(position); }
  bool constant() const { return size_ < 2 || rank_at(0) == rank_at(size_ - 1); }
  // Are there exactly two values?
  bool two_runs() const { return !constant() && run_end(run_end(0)) == size_; }
  // The first position after `position` with a different value; size() if there is none.
  std::uint32_t run_end(std::uint32_t position) const;
  std::uint32_t run_start(std::uint32_t position) const;
  // The boundary nearest to `wish` within [low, high]; 0 if there is none (0 is never a boundary).
  std::uint32_t nearest_boundary(std::uint32_t wish, std::uint32_t low, std::uint32_t high) const;
  // The first position whose rank is at least `rank`; size() if there is none.
  std::uint32_t lower_bound(std::uint32_t rank) const;
  // Starts of the runs of equal values.
  std::vector<std::uint32_t> runs() const;

 private:
  const std::uint32_t* list_;
  const std::uint32_t* rows_;
  const std::uint32_t* rank_;
  std::uint32_t size_;
};

}  // namespace treeproof
