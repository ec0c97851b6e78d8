// The trimming of a search's log of steps.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "proof/trim.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {

void bind_proof(nb::module_& m) {
  m.def(
      "trim_proof",
      [](const std::string& log, std::int64_t begin, std::int64_t end, Cost bound,
         const std::string& steps) {
        proof::Trimmed done;
        {
          nb::gil_scoped_release unlocked;
          done = proof::trim(log, {0, begin, end, bound}, steps);
        }
        return nb::make_tuple(done.n_steps, done.root, done.complete);
      },
      "log"_a, "begin"_a, "end"_a, "bound"_a, "steps"_a,
      "Write the steps that the bound on all rows needs as JSON lines; return their number, "
      "the number of the last, and whether the file could hold them.");
}

}  // namespace treeproof::bindings
