// A table from CSV (RFC 4180): a line of names, then rows, kept as columns of cells.

#pragma once

#include <algorithm>
#include <istream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "cells.hpp"
#include "errors.hpp"

namespace checker {

class CsvReader {
 public:
  explicit CsvReader(std::istream& in)
      : text_(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  DataTable read() {
    DataTable table;
    if (!next_record(table.names)) throw Unreadable("the data are empty");
    table.columns.resize(table.names.size());
    std::vector<std::string> cells;
    while (next_record(cells)) {
      const bool blank = cells.size() == 1 && cells[0].empty();
      if (blank && table.names.size() > 1) continue;
      if (cells.size() != table.names.size()) {
        throw Unreadable("line " + std::to_string(line_) + " of the data has " +
                         std::to_string(cells.size()) + " cells, the first line " +
                         std::to_string(table.names.size()));
      }
      for (std::size_t i = 0; i < cells.size(); ++i) {
        table.columns[i].push_back(Cell::written(std::move(cells[i])));
      }
      ++table.n_rows;
    }
    return table;
  }

 private:
  bool next_record(std::vector<std::string>& cells) {
    cells.clear();
    if (at_ >= text_.size()) return false;
    ++line_;
    cells.push_back(read_cell());
    while (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      cells.push_back(read_cell());
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] != '\n') {
      throw Unreadable("line " + std::to_string(line_) + " of the data: text after a quote");
    }
    ++at_;
    return true;
  }

  std::string read_cell() {
    std::string cell;
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_;; ++at_) {
        if (at_ >= text_.size()) throw Unreadable("a quoted cell of the data has no end");
        if (text_[at_] == '"' && (++at_ >= text_.size() || text_[at_] != '"')) return cell;
        cell += text_[at_];
      }
    }
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    cell = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

}  // namespace checker
