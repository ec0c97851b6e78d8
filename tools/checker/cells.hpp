// The data as columns of cells. In CSV only the text of a cell is known; in a table in memory it is
// known whether a cell is a number or text.

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

// A text that is the same for equal numbers only. Above 2^53, neighbouring integers may have the
// same double, so their digits are used instead.
inline std::string number_key(double value) {
  if (!(std::abs(value) >= 0x1p53) || std::isinf(value)) return "#" + shortest(value + 0.0);
  char digits[400];
  const auto fixed = std::chars_format::fixed;
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, fixed);
  return error == std::errc() ? "#" + std::string(digits, end) : "#?";
}

// The same for a number that is given as text.
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
    kWritten,  // from CSV: text, a number, or an empty cell
    kText,
    kNumber,
    kNull,
    kMissing,  // a mark for a missing value other than null
    kOther,    // a value that cannot occur in a proof
  };

  Kind kind = Kind::kWritten;
  std::string text;  // text; or the digits of a number that a double cannot hold
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
  // The values that the cell may stand for, the most likely first.
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

// A column. A cell that several rows share may be stored once.
struct DataColumn {
  std::vector<Cell> cells;
  std::vector<std::uint32_t> place;  // the index of each row's cell

  const Cell& operator[](std::size_t row) const { return cells[place[row]]; }
  void push_back(Cell cell) {
    place.push_back(static_cast<std::uint32_t>(cells.size()));
    cells.push_back(std::move(cell));
  }
};

struct DataTable {
  std::vector<std::string> names;  // of the first columns; other columns are known by number only
  std::vector<DataColumn> columns;
  std::size_t n_rows = 0;
  bool in_order = false;  // the columns have no names and are in the order of the proof

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

// The numbers of the columns that are no features.
struct Roles {
  std::vector<std::size_t> targets;  // several for a regression with several outputs
  std::vector<std::size_t> costs;    // one for each action, if the rows have costs of their own
  std::optional<std::size_t> weight;
  std::optional<std::size_t> groups;  // the groups of the rows, for limits on rates

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
