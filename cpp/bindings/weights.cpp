// The arithmetic of costs and weights, for Python code that has to compute the same numbers as the
// engines.
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
  m.def(
      "whole_weights",
      [](const DoubleArray& weights) { return to_numpy(whole_weights(view(weights), false)); },
      "weights"_a, "The weights as the integers that the engines add.");
  m.def("split_cost", &split_cost, "penalty"_a, "total_weight"_a,
        "The cost of a two-way split, for a penalty that is given as a fraction of the total "
        "weight.");
  m.attr("UNIT_COST") = kUnitCost;
  m.attr("MAX_TOTAL_WEIGHT") = kMaxTotalWeight;
}

}  // namespace treeproof::bindings
