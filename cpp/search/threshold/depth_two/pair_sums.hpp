// Moments of the rows that have the rarer values of two columns, for all pairs of columns.
//
// They are summed up in one pass over the rows, with one step for each pair of rarer values of a
// row. Where many sets are cut out of the same one, only the smaller side of each cut is summed
// up: the sums of the larger side are those of the whole less those of the smaller side. So that
// differences keep their digits, the larger side must have at least a quarter of the weight.
#pragma once

#include <cstdint>
#include <vector>

#include "core/key.hpp"
#include "core/limits.hpp"
#include "data/columns.hpp"
#include "data/row_subset.hpp"
#include "loss/moment_loss.hpp"
#include "search/threshold/counters.hpp"
#include "search/threshold/keyed_rows.hpp"

namespace treeproof::threshold {

template <class Phi>
class PairSums {
 public:
  using Loss = MomentLoss<Phi>;

  // All columns must have at most two values.
  PairSums(const Columns& columns, const Loss& loss);

  // Sums up the moments of all pairs of columns, or of single columns only. False if a limit was
  // reached. `around`, if not null, is a set of which the rows are a part.
  bool add_up(const RowSubset& rows, const Key& key, bool all_pairs, const KeyedRows* around,
              Limits& limits, Counters& counters);

  // Moments: weight, sums, own terms, number of rows.
  std::size_t width() const { return width_; }
  const double* all() const { return sums_.data() + n_ * n_ * width_; }
  // Of the rows with both rarer values; f must not be greater than g.
  const double* both(std::int32_t f, std::int32_t g) const {
    return sums_.data() + cell(static_cast<std::size_t>(f), static_cast<std::size_t>(g));
  }
  // Of the rows with the rarer value of f and of those after it: [column, moment].
  const double* of_columns(std::int32_t f) const {
    return singles_.data() + static_cast<std::size_t>(f) * width_;
  }
  // Whether these sums are differences.
  bool subtracted() const { return subtracted_; }

  std::uint32_t rare_rank(std::int32_t f) const { return rare_rank_[static_cast<std::size_t>(f)]; }
  bool is_rare(std::int32_t f, std::uint32_t row) const {
    return columns_->rank_of(f)[row] == rare_rank(f);
  }

 private:
  void list_rare_values();
  std::size_t cell(std::size_t f, std::size_t g) const { return (f * n_ + g) * width_; }
  void add(std::uint32_t row, bool all_pairs, double* sums);
  bool add_rows(const RowSubset& rows, const KeyedRows* without, bool all_pairs, Limits& limits,
                std::vector<double>& sums);
  bool subtract(const RowSubset& rows, const Key& key, const KeyedRows& around, Limits& limits);

  const Columns* columns_;
  const Loss* loss_;
  std::size_t n_;  // columns
  std::size_t n_outputs_;
  std::size_t width_;
  std::vector<std::uint32_t> rare_rank_;   // of each column
  std::vector<std::uint32_t> first_rare_;  // of each row: where its columns begin
  std::vector<std::uint16_t> rare_;        // columns in which a row has the rarer value
  std::vector<double> part_;               // moments of one row
  // [f, g >= f, moment], and the moments of all rows after that.
  std::vector<double> sums_;
  std::vector<double> singles_;  // [column, moment]
  bool subtracted_ = false;
  // The set that others are cut out of, and the smaller side of its last cut.
  Key around_key_, side_key_;
  bool has_around_ = false, has_side_ = false;
  std::vector<double> around_, side_;
  std::vector<std::uint32_t> seen_;  // [row]: the last number it was marked with
  std::uint32_t mark_ = 0;
};

extern template class PairSums<Squares>;
extern template class PairSums<Logs>;

}  // namespace treeproof::threshold
