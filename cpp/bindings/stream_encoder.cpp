#include "bindings/stream_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treeproof::bindings {
namespace {

bool is_nan(nb::handle value) {
  return PyFloat_Check(value.ptr()) && std::isnan(PyFloat_AS_DOUBLE(value.ptr()));
}

bool plainly_missing(nb::handle value) { return value.is_none() || is_nan(value); }

// The value of a key, or a null handle. Errors (a key that is not hashable) are raised.
nb::handle lookup(const nb::dict& dict, nb::handle key) {
  PyObject* found = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (found == nullptr && PyErr_Occurred()) throw nb::python_error();
  return found;
}

std::int32_t as_int(nb::handle value) {
  return static_cast<std::int32_t>(PyLong_AsLong(value.ptr()));
}

}  // namespace

Encoder::Encoder(nb::object helper, std::int32_t max_categories)
    : helper_(std::move(helper)), max_categories_(max_categories) {}

std::int32_t Encoder::find_column(nb::handle name) const {
  const nb::handle found = lookup(column_of_, name);
  return found.is_valid() ? as_int(found) : -1;
}

std::int32_t Encoder::add_column(nb::handle name, bool is_numeric) {
  const std::int32_t column = n_columns();
  ColumnMap map;
  map.numeric = is_numeric;
  if (is_numeric) map.number = n_numbers_++;
  columns_.push_back(std::move(map));
  column_of_[name] = nb::int_(column);
  names_.append(name);
  schema_.columns.emplace_back();
  // In the rows learnt before this one, the column was missing.
  if (!is_numeric && started_) add_code(column, nb::none(), true);
  sync(column);
  return column;
}

void Encoder::sync(std::int32_t column) {
  const ColumnMap& map = columns_[at(column)];
  schema_.columns[at(column)] = {
      map.numeric ? stream::ColumnKind::ordered : stream::ColumnKind::multiway, map.n_codes,
      map.missing};
  grown_ = true;
}

Code Encoder::add_code(std::int32_t column, nb::handle value, bool is_missing) {
  ColumnMap& map = columns_[at(column)];
  const std::int32_t code = map.n_codes++;
  if (is_missing) {
    map.missing = code;
    map.values.append(nb::none());
  } else if (code - (map.missing >= 0) >= max_categories_) {
    map.other = code;
    map.values.append(helper_.attr("other")(names_[at(column)], value));
  } else {
    map.code_of[value] = nb::int_(code);
    map.values.append(value);
  }
  sync(column);
  return static_cast<Code>(code);
}

Code Encoder::missing_code(std::int32_t column, bool learning) {
  const ColumnMap& map = columns_[at(column)];
  if (map.missing >= 0) return static_cast<Code>(map.missing);
  return learning ? add_code(column, nb::none(), true) : kUnknown;
}

Code Encoder::code(std::int32_t column, nb::handle value, bool learning) {
  const ColumnMap& map = columns_[at(column)];
  // Compare with the first few categories by identity, which is faster than a lookup.
  const Py_ssize_t known = std::min<Py_ssize_t>(PyList_GET_SIZE(map.values.ptr()), 4);
  for (Py_ssize_t k = 0; k < known; ++k)
    if (PyList_GET_ITEM(map.values.ptr(), k) == value.ptr()) return static_cast<Code>(k);
  if (plainly_missing(value)) return missing_code(column, learning);
  return slow_code(column, value, learning);
}

Code Encoder::slow_code(std::int32_t column, nb::handle value, bool learning) {
  const ColumnMap& map = columns_[at(column)];
  PyObject* found = PyDict_GetItemWithError(map.code_of.ptr(), value.ptr());
  if (found != nullptr) return static_cast<Code>(PyLong_AsLong(found));
  if (PyErr_Occurred()) {
    PyErr_Clear();
    helper_.attr("unreadable")(names_[at(column)], value);
  }
  if (nb::cast<bool>(helper_.attr("is_missing")(value))) return missing_code(column, learning);
  if (map.other >= 0) return static_cast<Code>(map.other);
  return learning ? add_code(column, value, false) : kUnknown;
}

double Encoder::number(std::int32_t column, nb::handle value) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr());
  if (value.is_none()) return std::numeric_limits<double>::quiet_NaN();
  if (!PyUnicode_Check(value.ptr())) {
    const double x = PyFloat_AsDouble(value.ptr());
    if (x != -1.0 || !PyErr_Occurred()) return x;
    PyErr_Clear();
    if (nb::cast<bool>(helper_.attr("is_missing")(value)))
      return std::numeric_limits<double>::quiet_NaN();
  }
  helper_.attr("not_a_number")(names_[at(column)], value);
  return 0.0;
}

std::int32_t Encoder::column(nb::handle name, nb::handle first_value) {
  const std::int32_t found = find_column(name);
  if (found >= 0 || plainly_missing(first_value)) return found;
  return add_column(name, nb::cast<bool>(helper_.attr("is_numeric")(name, first_value)));
}

// New column names are added in sorted order, so that the order of the keys of a row has no effect.
void Encoder::admit_new_columns(nb::dict row) {
  nb::list fresh;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t place = 0;
  while (PyDict_Next(row.ptr(), &place, &key, &value))
    if (find_column(key) < 0 && !plainly_missing(value)) fresh.append(nb::handle(key));
  if (nb::len(fresh) == 0) return;
  for (nb::handle name : nb::list(helper_.attr("order")(fresh))) column(name, row[name]);
}

void Encoder::encode(nb::dict row, bool learning) {
  const auto n_keys = static_cast<std::size_t>(PyDict_Size(row.ptr()));
  if (recent_key_.size() < n_keys) {
    recent_key_.resize(n_keys);
    recent_column_.resize(n_keys, -1);
  }
  for (bool admitted = !learning;; admitted = true) {
    codes_.assign(columns_.size(), kUnknown);
    numbers_.assign(at(n_numbers_), std::numeric_limits<double>::quiet_NaN());
    std::size_t filled = 0;
    std::size_t i = 0;
    bool unknown = false;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t place = 0;
    while (PyDict_Next(row.ptr(), &place, &key, &value)) {
      std::int32_t column = -1;
      if (recent_key_[i].ptr() == key) {
        column = recent_column_[i];
      } else {
        column = find_column(key);
        if (column >= 0) {
          recent_key_[i] = nb::borrow(key);
          recent_column_[i] = column;
        }
      }
      ++i;
      if (column < 0) {
        unknown = true;
        continue;
      }
      ++filled;
      const ColumnMap& map = columns_[at(column)];
      if (map.numeric) {
        numbers_[at(map.number)] = number(column, value);
        codes_[at(column)] = 0;
      } else {
        codes_[at(column)] = code(column, value, learning);
      }
    }
    if (unknown && !admitted) {
      admit_new_columns(row);
      continue;
    }
    if (filled < columns_.size()) {
      for (std::int32_t c = 0; c < n_columns(); ++c)
        if (codes_[at(c)] == kUnknown && !columns_[at(c)].numeric)
          codes_[at(c)] = missing_code(c, learning);
    }
    return;
  }
}

std::int32_t Encoder::label(nb::handle y, bool learning) {
  const Py_ssize_t known = std::min<Py_ssize_t>(PyList_GET_SIZE(classes_.ptr()), 4);
  for (Py_ssize_t k = 0; k < known; ++k)
    if (PyList_GET_ITEM(classes_.ptr(), k) == y.ptr()) return static_cast<std::int32_t>(k);
  const nb::handle found = lookup(class_of_, y);
  if (found.is_valid()) return as_int(found);
  if (!learning) return -1;
  const auto k = static_cast<std::int32_t>(nb::len(classes_));
  class_of_[y] = nb::int_(k);
  classes_.append(y);
  schema_.n_classes = k + 1;
  grown_ = true;
  return k;
}

nb::tuple Encoder::save() const {
  nb::list columns;
  for (const ColumnMap& map : columns_)
    columns.append(nb::make_tuple(map.numeric, map.missing, map.other, map.values));
  return nb::make_tuple(names_, columns, classes_, started_);
}

void Encoder::load(nb::tuple state) {
  columns_.clear();
  names_ = nb::list(state[0]);
  column_of_ = nb::dict();
  class_of_ = nb::dict();
  classes_ = nb::list();
  schema_ = {};
  n_numbers_ = 0;
  recent_key_.clear();
  recent_column_.clear();
  for (nb::handle y : nb::list(state[2])) label(y, true);
  std::int32_t column = 0;
  for (nb::handle item : nb::list(state[1])) {
    const auto saved = nb::cast<nb::tuple>(item);
    ColumnMap map;
    map.numeric = nb::cast<bool>(saved[0]);
    map.missing = nb::cast<std::int32_t>(saved[1]);
    map.other = nb::cast<std::int32_t>(saved[2]);
    map.values = nb::list(saved[3]);
    if (map.numeric) map.number = n_numbers_++;
    map.n_codes = static_cast<std::int32_t>(nb::len(map.values));
    for (std::int32_t code = 0; code < map.n_codes; ++code)
      if (code != map.missing && code != map.other)
        map.code_of[map.values[at(code)]] = nb::int_(code);
    columns_.push_back(std::move(map));
    column_of_[names_[at(column)]] = nb::int_(column);
    schema_.columns.emplace_back();
    sync(column++);
  }
  started_ = nb::cast<bool>(state[3]);
  // A row that was rejected may have added columns and codes, which the learner does not know yet.
  grown_ = true;
}

}  // namespace treeproof::bindings
