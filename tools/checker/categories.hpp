// Translates cells of the data to the categories or classes of the header.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cells.hpp"
#include "errors.hpp"
#include "json.hpp"

namespace checker {

// The categories or classes of the header. A cell that is a string stands for the equal string, any
// other cell for the equal number (true is 1, false is 0), and null for an empty cell.
class Categories {
 public:
  Categories(const Json::Array& values, const std::string& what) {
    for (const Json& value : values) {
      std::string key = "null";
      if (const auto* text = value.get<std::string>()) key = "=" + *text;
      else if (const auto* truth = value.get<bool>()) key = number_key(*truth ? 1.0 : 0.0);
      else if (value.get<Number>()) key = number_of(value);
      else if (!value.is_null()) throw Unreadable(what + " holds no string or number");
      if (!codes_.emplace(key, static_cast<std::int32_t>(codes_.size())).second) {
        throw Unreadable(what + " lists " + std::string(value.text) + " twice");
      }
    }
  }

  std::size_t size() const { return codes_.size(); }
  // The code of each cell of a column.
  std::vector<std::int32_t> codes(const DataColumn& column) const {
    std::vector<std::int32_t> out;
    out.reserve(column.cells.size());
    for (const Cell& cell : column.cells) out.push_back(code(cell));
    return out;
  }
  // Returns -1 if the cell is none of the categories.
  std::int32_t code(const Cell& cell) const {
    for (const std::string& key : cell.keys()) {
      if (const auto found = codes_.find(key); found != codes_.end()) return found->second;
    }
    return -1;
  }

 private:
  static std::string number_of(const Json& value) {
    value.real("a category");  // throws if a double cannot hold it
    return number_key(value.text).value_or("?");
  }
  std::map<std::string, std::int32_t> codes_;
};

}  // namespace checker
