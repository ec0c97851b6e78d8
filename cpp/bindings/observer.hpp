// Python functions that listen to a search.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "bindings/python.hpp"
#include "core/events.hpp"

namespace treeproof::bindings {

// Hands events to a Python function, bounds as fractions of `unit` (as it is by then). Ctrl-C
// while it runs sets `interrupted`: stop and keep the tree, as everywhere else.
inline Observer observer_for(const std::optional<nanobind::callable>& observer, const double& unit,
                             bool& interrupted) {
  if (!observer) return {};
  return [&observer, &unit, &interrupted](const Event& e) {
    nanobind::gil_scoped_acquire lock;
    try {
      (*observer)(static_cast<int>(e.kind), e.seconds, static_cast<double>(e.lower) / unit,
                  static_cast<double>(e.upper) / unit, e.nodes);
    } catch (nanobind::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted = true;
    }
  };
}

// The interrupt function of a search with such an observer.
inline auto interrupted_or(const bool& interrupted) {
  return [&interrupted] { return interrupted || python_interrupted(); };
}

}  // namespace treeproof::bindings
