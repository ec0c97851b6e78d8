// Reads the switches of the sparse search, and its unsound bounds for tests, from Python objects.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "search/sparse/settings.hpp"

namespace treeproof::bindings {

inline sparse::Switches read_sparse_switches(const nanobind::dict& given) {
  sparse::Switches switches;
  for (const auto& [key, value] : given) {
    const auto name = nanobind::cast<std::string>(key);
    bool known = false;
#define X(field, what)                            \
  if (name == #field) {                           \
    switches.field = nanobind::cast<bool>(value); \
    known = true;                                 \
  }
    TREEPROOF_SPARSE_SWITCHES(X)
#undef X
    if (!known) throw std::invalid_argument("unknown switch '" + name + "'");
  }
  return switches;
}

inline sparse::Fault read_fault(const std::string& name) {
#define X(fault, what) \
  if (name == #fault) return sparse::Fault::fault;
  TREEPROOF_SPARSE_FAULTS(X)
#undef X
  throw std::invalid_argument("unknown fault '" + name + "'");
}

}  // namespace treeproof::bindings
