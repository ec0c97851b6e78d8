// Passes the events of a search to Python functions.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "bindings/python.hpp"
#include "core/events.hpp"

namespace treeproof::bindings {

// Passes events to a Python function, with bounds divided by `unit` (its value at the time of the
// event). If Ctrl-C is pressed while the function runs, `interrupted` is set: the search stops and
// keeps its best tree.
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

// The function with which a search with such an observer checks whether it was interrupted.
inline auto interrupted_or(const bool& interrupted) {
  return [&interrupted] { return interrupted || python_interrupted(); };
}

}  // namespace treeproof::bindings
