// The Python module: calls the function that each of the other files defines.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace treeproof::bindings {

void bind_derive(nb::module_& m);
void bind_near(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_weights(nb::module_& m);
void bind_path(nb::module_& m);
void bind_path_rules(nb::module_& m);
void bind_portfolio(nb::module_& m);
void bind_prices(nb::module_& m);
void bind_proof(nb::module_& m);
void bind_quantbnb(nb::module_& m);
void bind_records(nb::module_& m);
void bind_regression(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_stream(nb::module_& m);
void bind_threshold(nb::module_& m);

}  // namespace treeproof::bindings

NB_MODULE(_core, m) {
  m.doc() = "The native engine of treeproof. Private: use the estimators.";
  // First, because the signatures of the others use these types.
  treeproof::bindings::bind_records(m);
  treeproof::bindings::bind_derive(m);
  treeproof::bindings::bind_near(m);
  treeproof::bindings::bind_parts(m);
  treeproof::bindings::bind_weights(m);
  treeproof::bindings::bind_path(m);
  treeproof::bindings::bind_path_rules(m);
  treeproof::bindings::bind_portfolio(m);
  treeproof::bindings::bind_prices(m);
  treeproof::bindings::bind_proof(m);
  treeproof::bindings::bind_quantbnb(m);
  treeproof::bindings::bind_regression(m);
  treeproof::bindings::bind_rules(m);
  treeproof::bindings::bind_solve(m);
  treeproof::bindings::bind_stream(m);
  treeproof::bindings::bind_threshold(m);
}
