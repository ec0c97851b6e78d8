// The sliding window of Online-BRANCHES: the last n rows of the stream, kept twice, as
// bytes row by row and as one bitset per (column, code) and per class.
//
// A row enters the slot of the oldest one; its arrival costs a few bit flips per column. A
// branch's support is the AND of its literals' bitsets (157 words for n = 10,000), and its
// class counts are popcounts, which is what lets one expansion per sample keep up with the
// stream. Small supports are counted row by row instead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "stream/schema.hpp"

namespace treeproof::stream {

using Bits = std::vector<std::uint64_t>;

class Window {
 public:
  explicit Window(std::int32_t capacity = 1);

  // New columns, codes and classes; rows inside get the missing code of a new column.
  void grow(const Schema& schema);

  // Adds the row; if the window is full, the oldest row is removed. `numbers` are the raw values of
  // the ordered columns, which are kept so that they can be binned again; `weight` is in cost units
  // (kUnitCost for a plain row).
  void push(Row row, std::span<const double> numbers, std::int32_t label, Cost weight);

  // Gives every row a new code in one column (slot by slot). The schema must know them.
  void recode(std::int32_t column, std::span<const Code> codes);

  // Keeps the newest `rows` rows only.
  void keep_newest(std::int32_t rows);

  // Multiplies the weights of all rows but the newest `rows`.
  void discount(std::int32_t rows, double factor);

  std::int32_t size() const { return size_; }
  bool full() const { return size_ == capacity_; }
  std::size_t bytes() const;

  // The rows in slots 0 .. rows - 1. While the window fills these are the oldest rows.
  Bits first(std::int32_t rows) const;

  // support AND literal.
  void restrict(const Bits& support, const Literal& literal, Bits& out) const;

  static std::int32_t count(const Bits& support);

  // Weight of each class in a support.
  void class_weights(const Bits& support, std::vector<Cost>& out) const;

  // Weight of each class in each outcome of a column: out[code * n_classes + class].
  void column_weights(const Bits& support, std::int32_t column, std::vector<Cost>& out) const;

  // The same for every column: out[(offset(column) + code) * n_classes + class].
  void all_weights(const Bits& support, std::vector<Cost>& out) const;
  std::size_t offset(std::int32_t column) const {
    return offset_[static_cast<std::size_t>(column)];
  }

  std::int32_t label(std::int32_t slot) const { return label_[static_cast<std::size_t>(slot)]; }
  Cost weight(std::int32_t slot) const { return weight_[static_cast<std::size_t>(slot)]; }
  Row row(std::int32_t slot) const {
    return {codes_.data() + static_cast<std::size_t>(slot) * stride_, schema_.columns.size()};
  }
  // The raw value of the j-th ordered column.
  double number(std::int32_t slot, std::size_t j) const {
    return numbers_[static_cast<std::size_t>(slot) * n_numbers_ + j];
  }
  const Schema& schema() const { return schema_; }

  template <class Archive>
  void archive(Archive& a) {
    a(capacity_, size_, next_, words_, stride_, odd_weights_, schema_, codes_, label_, weight_,
      n_numbers_, numbers_, bits_, cell_, offset_, class_bits_);
  }

 private:
  std::span<const std::uint64_t> cell_bits(std::int32_t column, int code) const {
    const std::size_t cell =
        cell_[static_cast<std::size_t>(column)][static_cast<std::size_t>(code)];
    return {bits_.data() + cell * words_, words_};
  }
  // A column may have more bitsets than codes, after its numbers got fewer bins.
  std::size_t codes_of(std::size_t column) const {
    return static_cast<std::size_t>(schema_.columns[column].n_codes);
  }
  void flip(std::int32_t slot);
  void grow_numbers();
  void reorder(std::int32_t keep);
  void count_by_bits(const Bits& support, std::vector<Cost>& out) const;
  void count_by_rows(const Bits& support, std::vector<Cost>& out) const;

  std::int32_t capacity_;
  std::int32_t size_ = 0;
  std::int32_t next_ = 0;         // the slot the next row takes
  std::size_t words_;             // per bitset
  std::size_t stride_ = 0;        // bytes per row
  std::int32_t odd_weights_ = 0;  // rows whose weight is not one
  Schema schema_;
  std::vector<Code> codes_;  // [slot * stride_ + column]
  std::vector<std::int32_t> label_;
  std::vector<Cost> weight_;
  std::size_t n_numbers_ = 0;                     // ordered columns
  std::vector<double> numbers_;                   // [slot * n_numbers_ + j]
  std::vector<std::uint64_t> bits_;               // [cell * words_ + word]
  std::vector<std::vector<std::uint64_t>> cell_;  // [column][code]
  std::vector<std::size_t> offset_;               // first code of a column among all codes
  std::vector<Bits> class_bits_;
};

}  // namespace treeproof::stream
