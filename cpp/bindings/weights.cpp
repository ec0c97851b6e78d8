// How real weights become whole numbers, for those who have to agree with the engines.
#include <nanobind/nanobind.h>

#include "bindings/encoded_table.hpp"
#include "data/weights.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {

void bind_weights(nb::module_& m) {
  m.def(
      "weight_scale", [](const DoubleArray& weights) { return weight_scale(view(weights)); },
      "weights"_a, "The factor by which weights are multiplied before they are rounded.");
}

}  // namespace treeproof::bindings
