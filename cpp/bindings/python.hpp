// What all bindings use: views of NumPy arrays, vectors as NumPy arrays, Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace treeproof::bindings {

template <class T>
using Vector =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Matrix =
    nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::span<const T> view(const Vector<T>& a) {
  return {a.data(), a.size()};
}

template <class T>
nanobind::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(owned->data(), {owned->size()},
                                                                  owner)
      .cast();
}

// Runs Python's signal handlers, to notice Ctrl-C. If a handler raises an exception, the search
// stops and keeps its best tree, so the exception is not passed on. Signals reach the main thread
// only; a fit in another thread is stopped by the conditions of `treeproof.stop_when`.
inline bool python_interrupted() {
  nanobind::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) {
    PyErr_Clear();
    return true;
  }
  try {
    return nanobind::cast<bool>(
        nanobind::module_::import_("treeproof.solving.stopping").attr("stop_wanted")());
  } catch (nanobind::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    return true;  // Ctrl-C while Python code ran
  }
}

}  // namespace treeproof::bindings
