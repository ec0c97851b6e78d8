// The checker as a Python module, for tables in memory: the same code as the stand-alone program.
// It contains nothing of the search; no file below cpp/ is part of it.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cells.hpp"
#include "check.hpp"
#include "errors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace checker {
namespace {

using Places = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The text in UTF-8, or nothing if it contains half of a surrogate pair, which UTF-8 cannot
// represent.
std::optional<std::string> utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes != nullptr) return std::string(bytes, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

// An integer. Its digits are kept if a double cannot represent it.
Cell whole(nb::handle value) {
  Cell cell{Cell::Kind::kNumber, "", PyLong_AsDouble(value.ptr())};
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return {Cell::Kind::kOther, "a number beyond doubles", {}};
  }
  if (std::abs(cell.value) >= 0x1p53) cell.text = nb::str(value).c_str();
  return cell;
}

// Reads None, bool, int, float or str. Of other objects, an empty tuple stands for a missing value,
// and all others are values that cannot occur in a proof.
Cell to_cell(nb::handle value) {
  if (value.is_none()) return {Cell::Kind::kNull, "", {}};
  if (PyLong_Check(value.ptr())) return whole(value);  // also for bool
  if (PyFloat_Check(value.ptr())) {
    return {Cell::Kind::kNumber, "", PyFloat_AS_DOUBLE(value.ptr())};
  }
  if (PyUnicode_Check(value.ptr())) {
    if (auto text = utf8(value)) return {Cell::Kind::kText, std::move(*text), {}};
    return {Cell::Kind::kOther, "text that UTF-8 cannot hold", {}};
  }
  if (nb::isinstance<nb::tuple>(value)) return {Cell::Kind::kMissing, "", {}};
  return {Cell::Kind::kOther, "a value of another type", {}};
}

DataColumn to_column(nb::handle pair) {
  DataColumn column;
  for (const nb::handle value : nb::cast<nb::list>(pair[0])) {
    column.cells.push_back(to_cell(value));
  }
  const auto places = nb::cast<Places>(pair[1]);
  column.place.reserve(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int32_t place = places.data()[i];
    if (place < 0 || static_cast<std::size_t>(place) >= column.cells.size()) {
      throw nb::value_error("a cell's place is out of range");
    }
    column.place.push_back(static_cast<std::uint32_t>(place));
  }
  return column;
}

DataTable to_table(const std::optional<std::vector<std::string>>& names, const nb::list& columns) {
  DataTable table;
  table.in_order = !names.has_value();
  if (names) table.names = *names;
  for (const nb::handle pair : columns) table.columns.push_back(to_column(pair));
  if (!table.columns.empty()) table.n_rows = table.columns[0].place.size();
  for (const DataColumn& column : table.columns) {
    if (column.place.size() != table.n_rows) {
      throw nb::value_error("the columns differ in length");
    }
  }
  if (table.names.size() > table.columns.size()) throw nb::value_error("a column is missing");
  return table;
}

// Gets lines from a Python function, which returns lists of bytes; an empty list is the end.
class ProofLines {
 public:
  explicit ProofLines(nb::callable next) : next_(std::move(next)) {}

  bool read(std::string& line) {
    if (at_ == lines_.size() && !more()) return false;
    line = std::move(lines_[at_++]);
    return true;
  }

 private:
  bool more() {
    const nb::gil_scoped_acquire lock;
    lines_.clear();
    at_ = 0;
    for (const nb::handle line : nb::cast<nb::list>(next_())) {
      const auto bytes = nb::cast<nb::bytes>(line);
      lines_.emplace_back(bytes.c_str(), bytes.size());
    }
    return !lines_.empty();
  }

  nb::callable next_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

// Runs Python's signal handlers several times a second.
class Poll {
 public:
  void operator()() {
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

nb::dict to_dict(const Verdict& verdict) {
  nb::dict out;
  out["accepted"] = verdict.accepted;
  out["step"] = verdict.step ? nb::object(nb::int_(*verdict.step)) : nb::none();
  out["reason"] = verdict.reason;
  out["lower_bound"] = verdict.lower_bound;
  out["objective"] = verdict.objective;
  out["optimal"] = verdict.optimal;
  out["n_steps"] = verdict.n_steps;
  out["statement"] = verdict.statement;
  out["measure"] = verdict.measure;
  out["max_depth"] =
      verdict.accepted && verdict.max_depth ? nb::object(nb::int_(*verdict.max_depth)) : nb::none();
  return out;
}

nb::dict check(nb::callable next_lines, std::optional<std::vector<std::string>> names,
               const nb::list& columns, std::vector<std::size_t> targets,
               std::vector<std::size_t> costs, std::optional<std::size_t> weight,
               std::optional<std::size_t> groups) {
  const Roles roles{std::move(targets), std::move(costs), weight, groups};
  const DataTable table = to_table(names, columns);
  for (const auto& list : {roles.targets, roles.costs}) {
    for (const std::size_t column : list) {
      if (column >= table.columns.size()) throw nb::value_error("a column is missing");
    }
  }
  for (const auto& column : {weight, groups}) {
    if (column && *column >= table.columns.size()) throw nb::value_error("a column is missing");
  }
  ProofLines lines(std::move(next_lines));
  Poll poll;
  Verdict verdict;
  {
    const nb::gil_scoped_release released;
    verdict = check_proof([&lines](std::string& line) { return lines.read(line); }, table, roles,
                          [&poll] { poll(); });
  }
  return to_dict(verdict);
}

}  // namespace
}  // namespace checker

NB_MODULE(_checker, m) {
  m.doc() = "The checker of proofs in C++. Private: use treeproof.proof.check.";
  m.def("check", &checker::check, "next_lines"_a, "names"_a.none(), "columns"_a, "targets"_a,
        "costs"_a, "weight"_a.none(), "groups"_a.none() = nb::none());
}
