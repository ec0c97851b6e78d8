// Encodes the rows of Python: feature names become columns, values become codes, labels become
// classes.
//
// One dictionary lookup for each feature would take longer than the learning itself, so there are
// two shortcuts: the key at position i of a row is usually the same object as in the row before,
// and small numbers and interned strings are always the same objects (measured: 500 features in 3
// microseconds instead of 25).
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "stream/schema.hpp"

namespace treeproof::bindings {

namespace nb = nanobind;
using stream::Code;

// A code that no category has: the value is unknown, or it is missing and no value of this column
// was missing before. No test has it as an outcome, so a row with this code stops at the node that
// tests the column.
inline constexpr Code kUnknown = 255;

class Encoder {
 public:
  // `helper` is a Python object for decisions that are easier in Python: `helper.order(names)`
  // sorts and filters new feature names, `helper.is_numeric(name, value)` decides how a new feature
  // is read, `helper.is_missing(value)` recognises the missing values of other libraries, and
  // `helper.unreadable(name, value)` and `helper.not_a_number(name, value)` create the exceptions.
  Encoder(nb::object helper, std::int32_t max_categories);

  // Fills `codes` and `numbers` from a dictionary. New columns and codes are added only if
  // `learning`.
  void encode(nb::dict row, bool learning);
  const std::vector<Code>& codes() const { return codes_; }
  const std::vector<double>& numbers() const { return numbers_; }

  // The class of a label; -1 if it is not known. With `learning`, a new label gets a new class.
  std::int32_t label(nb::handle y, bool learning);

  // For tables: the column of a name. A new one is added with the kind of its first value that is
  // not missing; -1 if it has no such value yet.
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
  // From now on, a column that is new is taken as missing in the earlier rows.
  void mark_started() { started_ = true; }
  // Returns whether columns, codes or classes were added since the last call.
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
    std::int32_t number = -1;   // position among the numeric columns
    std::int32_t missing = -1;  // code of missing values
    std::int32_t other = -1;    // code of all categories beyond `max_categories`
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
  std::vector<nb::object> recent_key_;  // the last key at each position of a row
  std::vector<std::int32_t> recent_column_;
};

}  // namespace treeproof::bindings
