// Binding of the function that trims the log of a search to a proof.
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
      "Write the steps on which the bound of the whole table depends as JSON lines. Return their "
      "number, the number of the last one, and whether the file could hold them all.");
}

}  // namespace treeproof::bindings
