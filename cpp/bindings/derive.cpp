// Bindings of the functions that derive proofs for answers of the searches over thresholds.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/python.hpp"
#include "bindings/solved_problem.hpp"
#include "core/limits.hpp"
#include "proof/derive.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

template <class Value>
nb::dict derived(const proof::Derived<Value>& done) {
  nb::dict out;
  out["n_steps"] = done.n_steps;
  out["root"] = done.root;
  out["bound"] = done.bound;
  out["complete"] = done.complete;
  return out;
}

nb::dict derive_labels(const SolvedLabels& solved, Cost bound, double time_limit,
                       const std::string& steps) {
  Limits limits(time_limit, 0, python_interrupted);
  proof::Derived<Cost> done;
  {
    nb::gil_scoped_release unlocked;
    done = proof::derive_labels(solved.columns,
                                {solved.labels,
                                 solved.n_classes,
                                 solved.weights,
                                 solved.total_weight,
                                 {},
                                 {},
                                 solved.directions},
                                solved.tree_limits, bound, solved.record, solved.prices, limits,
                                steps);
  }
  return derived(done);
}

nb::dict derive_targets(const SolvedTargets& solved, double bound, double unit, double time_limit,
                        const std::string& steps) {
  Limits limits(time_limit, 0, python_interrupted);
  proof::Derived<double> done;
  {
    nb::gil_scoped_release unlocked;
    done = proof::derive_targets(solved.criterion, solved.columns,
                                 {solved.targets, solved.n_outputs, solved.weights,
                                  solved.smoothing, solved.quantiles, solved.lines, solved.ridge},
                                 solved.tree_limits, bound, unit, solved.record, limits, steps);
  }
  return derived(done);
}

}  // namespace

void bind_derive(nb::module_& m) {
  const char* forget =
      "Delete the record of the search, so that the prover has to solve every subproblem again.";
  nb::class_<SolvedLabels>(m, "SolvedLabels", "A classification problem that a search has solved.")
      .def(
          "forget", [](SolvedLabels& solved) { solved.record = {}; }, forget)
      .def("derive", &derive_labels, nb::kw_only(), "bound"_a, "time_limit"_a, "steps"_a,
           "Write the steps that prove a lower bound for its trees as JSON lines.");
  nb::class_<SolvedTargets>(m, "SolvedTargets", "A regression problem that a search has solved.")
      .def(
          "forget", [](SolvedTargets& solved) { solved.record = {}; }, forget)
      .def("derive", &derive_targets, nb::kw_only(), "bound"_a, "unit"_a, "time_limit"_a, "steps"_a,
           "Write the steps that prove a lower bound for its trees as JSON lines.");
}

}  // namespace treeproof::bindings
