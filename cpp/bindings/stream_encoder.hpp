// From Python's rows to the engine's codes: feature names to columns, values to codes,
// labels to classes.
//
// One dictionary lookup per feature would cost more than the learning itself, so two
// shortcuts come first: the key at place i of a row is usually the same object as last time,
// and small numbers and interned strings are the same objects every time (measured: 500
// features in 3 microseconds instead of 25).
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "stream/schema.hpp"

namespace treeproof::bindings {

namespace nb = nanobind;
using stream::Code;

// A code no category has: unknown, or missing where nothing was missing before. No literal
// holds it, so a row that has it stops at the node that asks.
inline constexpr Code kUnknown = 255;

class Encoder {
 public:
  // `helper` decides what Python knows better: `helper.order(names)` sorts and admits new
  // feature names, `helper.is_numeric(name, value)` says how to read a new feature,
  // `helper.is_missing(value)` recognises missing values of other libraries, and
  // `helper.unreadable(name, value)` and `helper.not_a_number(name, value)` make the errors.
  Encoder(nb::object helper, std::int32_t max_categories);

  // Fills `codes` and `numbers` from a dictionary. Learning makes new columns and codes.
  void encode(nb::dict row, bool learning);
  const std::vector<Code>& codes() const { return codes_; }
  const std::vector<double>& numbers() const { return numbers_; }

  // The class of a label; learning adds it. -1: not known.
  std::int32_t label(nb::handle y, bool learning);

  // For tables: the column of a name, made if need be from the first value that is not
  // missing (-1: none yet), and the codes of its distinct values.
  std::int32_t column(nb::handle name, nb::handle first_value);
  std::int32_t find_column(nb::handle name) const;
  bool numeric(std::int32_t column) const { return columns_[at(column)].numeric; }
  std::int32_t number_index(std::int32_t column) const { return columns_[at(column)].number; }
  Code code(std::int32_t column, nb::handle value, bool learning);
  Code missing_code(std::int32_t column, bool learning);
  double number(std::int32_t column, nb::handle value);

  std::int32_t n_columns() const { return static_cast<std::int32_t>(columns_.size()); }
  std::int32_t n_numbers() const { return n_numbers_; }
  const stream::Schema& schema() const { return schema_; }
  // Rows from now on are not the first: a column that is new to them was missing before.
  void mark_started() { started_ = true; }
  // Whether the schema grew since the last call.
  bool take_grown() {
    const bool grown = grown_;
    grown_ = false;
    return grown;
  }

  nb::list names() const { return names_; }
  nb::list classes() const { return classes_; }
  // The categories of a column in the order of their codes.
  nb::list categories(std::int32_t column) const { return columns_[at(column)].values; }

  nb::tuple save() const;
  void load(nb::tuple state);

 private:
  struct ColumnMap {
    bool numeric = false;
    std::int32_t number = -1;   // place among the numeric columns
    std::int32_t missing = -1;  // code
    std::int32_t other = -1;    // code of everything beyond max_categories
    std::int32_t n_codes = 0;
    nb::dict code_of;
    nb::list values;
  };
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  std::int32_t add_column(nb::handle name, bool is_numeric);
  Code add_code(std::int32_t column, nb::handle value, bool is_missing);
  Code slow_code(std::int32_t column, nb::handle value, bool learning);
  void admit_new_columns(nb::dict row);
  void sync(std::int32_t column);

  nb::object helper_;
  std::int32_t max_categories_;
  std::vector<ColumnMap> columns_;
  nb::dict column_of_;
  nb::list names_;
  nb::dict class_of_;
  nb::list classes_;
  std::int32_t n_numbers_ = 0;
  stream::Schema schema_;
  bool grown_ = false;
  bool started_ = false;
  std::vector<Code> codes_;
  std::vector<double> numbers_;
  std::vector<nb::object> recent_key_;  // at each place of a row
  std::vector<std::int32_t> recent_column_;
};

}  // namespace treeproof::bindings
