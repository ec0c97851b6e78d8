// The data as columns of cells. A program that reads CSV knows only how a cell is written; one that
// is given a table in memory knows whether it is a number or text.

#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "errors.hpp"

namespace checker {

inline std::string shortest(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "?";
}

inline std::optional<double> to_double(std::string_view text) {
  std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return std::nullopt;
  const std::size_t end = text.find_last_not_of(' ') + 1;
  if (text[begin] == '+') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
  if (error != std::errc() || stop != text.data() + end) return std::nullopt;
  return value;
}

// A text that is the same for equal numbers only. Above 2^53 neighbouring whole numbers may have
// the same double, so digits count there.
inline std::string number_key(double value) {
  if (!(std::abs(value) >= 0x1p53) || std::isinf(value)) return "#" + shortest(value + 0.0);
  char digits[400];
  const auto fixed = std::chars_format::fixed;
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, fixed);
  return error == std::errc() ? "#" + std::string(digits, end) : "#?";
}

// The same for a number as it is written.
inline std::optional<std::string> number_key(std::string_view text) {
  const auto value = to_double(text);
  if (!value) return std::nullopt;
  const std::size_t begin = text.find_first_of("-0123456789"), end = text.find_last_not_of(' ') + 1;
  const std::string_view plain = begin < end ? text.substr(begin, end - begin) : text;
  const bool whole =
      plain.find_first_not_of("0123456789", plain.starts_with('-') ? 1 : 0) == plain.npos;
  if (!whole || !(std::abs(*value) >= 0x1p53)) return number_key(*value);
  const std::size_t first = plain.find_first_of("123456789");
  return "#" + std::string(plain.starts_with('-') ? "-" : "") + std::string(plain.substr(first));
}

struct Cell {
  enum class Kind : std::uint8_t {
    kWritten,  // as in CSV: text, a number, or nothing
    kText,
    kNumber,
    kNull,
    kMissing,  // a mark for a missing value that is no null
    kOther,    // nothing that a proof could name
  };

  Kind kind = Kind::kWritten;
  std::string text;  // of a number: its digits, if a double cannot hold them
  double value = std::numeric_limits<double>::quiet_NaN();  // kNumber

  static Cell written(std::string text) { return {Kind::kWritten, std::move(text), {}}; }

  std::optional<double> number() const {
    if (kind == Kind::kNumber) return value;
    if (kind == Kind::kWritten || kind == Kind::kText) return to_double(text);
    return std::nullopt;
  }
  bool is_missing() const {
    if (kind == Kind::kNull || kind == Kind::kMissing) return true;
    if (kind == Kind::kNumber) return std::isnan(value);
    if (kind != Kind::kWritten) return false;
    const auto own = to_double(text);
    return text.find_first_not_of(' ') == text.npos || (own && std::isnan(*own));
  }
  std::string shown() const {
    if (kind == Kind::kNull || kind == Kind::kMissing) return "nothing";
    return kind == Kind::kNumber && text.empty() ? shortest(value) : text;
  }
  // What the cell may stand for, the likeliest first.
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    if (kind == Kind::kNull) out.push_back("null");
    if (kind == Kind::kNumber && text.empty()) out.push_back(number_key(value));
    if (kind == Kind::kNumber && !text.empty()) out.push_back(number_key(text).value_or("?"));
    if (kind == Kind::kText || kind == Kind::kWritten) out.push_back("=" + text);
    if (kind != Kind::kWritten) return out;
    const bool yes = text == "true" || text == "True" || text == "TRUE";
    const bool no = text == "false" || text == "False" || text == "FALSE";
    if (yes || no) out.push_back(number_key(yes ? 1.0 : 0.0));
    else if (auto key = number_key(std::string_view(text))) out.push_back(std::move(*key));
    if (text.empty()) out.push_back("null");
    return out;
  }
};

// Cells that several rows share may be kept once.
struct DataColumn {
  std::vector<Cell> cells;
  std::vector<std::uint32_t> place;  // of each row's cell

  const Cell& operator[](std::size_t row) const { return cells[place[row]]; }
  void push_back(Cell cell) {
    place.push_back(static_cast<std::uint32_t>(cells.size()));
    cells.push_back(std::move(cell));
  }
};

struct DataTable {
  std::vector<std::string> names;  // of the first columns; others are known by their number
  std::vector<DataColumn> columns;
  std::size_t n_rows = 0;
  bool in_order = false;  // the columns have no names: they come in the order of the proof

  std::size_t find(const std::string& name) const {
    std::size_t found = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name) continue;
      if (found != names.size()) throw Unreadable("two columns are called \"" + name + "\"");
      found = i;
    }
    if (found == names.size()) throw Unreadable("the data have no column \"" + name + "\"");
    return found;
  }
};

// Which columns are no features: their numbers.
struct Roles {
  std::vector<std::size_t> targets;  // one, or several outputs of a regression
  std::vector<std::size_t> costs;    // of each action, if rows have their own
  std::optional<std::size_t> weight;
  std::optional<std::size_t> groups;  // of rows, for limits on rates

  bool has(std::size_t column) const {
    const auto in = [column](const std::vector<std::size_t>& list) {
      for (const std::size_t one : list) {
        if (one == column) return true;
      }
      return false;
    };
    return in(targets) || in(costs) || weight == column || groups == column;
  }
};

}  // namespace checker
