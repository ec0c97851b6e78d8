// Bindings of the searches over binary and categorical tests: sparse, BRANCHES and DT-Miner. There
// is no logic in this file.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "bindings/sparse_switches.hpp"
#include "bindings/step_log.hpp"
#include "data/kernels/kernels.hpp"
#include "search/branches/solve.hpp"
#include "search/miner/solve.hpp"
#include "search/sparse/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {

namespace {

nb::dict solve(const EncodedTable& table, const SearchOptions& options, const std::string& solver,
               const SparseOptions* sparse, std::int64_t memo_branches, std::int64_t price_work,
               const std::optional<Vector<Cost>>& prices) {
  const SparseOptions own = sparse == nullptr ? SparseOptions{} : *sparse;
  const std::span<const std::int32_t> labels = table.row_labels();
  Problem problem;
  double unit = 1.0;
  bool interrupted = false;
  const Observer notify = observer_for(options.observer, unit, interrupted);
  SearchResult result;
  std::optional<proof::SearchFiles> files;
  Limits limits = options.limits(interrupted);
  const double penalty = options.trees.split_penalty;
  {
    nb::gil_scoped_release unlocked;
    problem = make_problem(table.features(), view(table.codes), labels, table.n_classes,
                           view(table.weights));
    problem.key_seed = own.key_seed;
    unit = static_cast<double>(cost_of(problem.total_weight));
    if (solver != "sparse" && penalty > 0 && options.trees.penalize == Penalize::leaves &&
        has_wide(problem.features))
      throw std::invalid_argument("solver '" + solver + "' charges each split once");
    if (solver == "sparse") {
      sparse::Options engine = own.engine;
      engine.n_threads = options.n_jobs;
      files.emplace(problem, options.trees, own.proof_log, own.checkpoint, engine);
      result =
          sparse::solve_with_prices(problem, options.trees, engine, {price_work, view_of(prices)},
                                    limits, notify, files->listener());
      files->finish();
    } else if (solver == "branches")
      result = branches::solve(problem, options.trees, limits, notify, memo_branches);
    else if (solver == "dt-miner") result = miner::solve(problem, options.trees, limits, notify);
    else throw std::invalid_argument("unknown solver '" + solver + "'");
  }
  nb::dict out = search_answer(problem, result, split_cost(penalty, problem.total_weight), limits);
  if (files && files->log() != nullptr) describe_log(*files, out);
  return out;
}

}  // namespace

void bind_solve(nb::module_& m) {
  m.def("solve", &solve, "table"_a, "options"_a, nb::kw_only(), "solver"_a,
        "sparse_options"_a.none() = nb::none(), "memo_branches"_a = 0, "price_work"_a = 0,
        "prices"_a = nb::none(), "Search for an optimal tree on encoded, clean data.");
  m.def(
      "switches",
      [] {
        nb::dict names;
#define X(name, what) names[#name] = what;
        TREEPROOF_SPARSE_SWITCHES(X)
#undef X
        return names;
      },
      "The switches of the sparse search; for each of them, what it does.");
  m.def(
      "faults",
      [] {
        nb::dict names;
#define X(name, what) names[#name] = what;
        TREEPROOF_SPARSE_FAULTS(X)
#undef X
        return names;
      },
      "Unsound bounds for tests of the checkers; for each of them, what is wrong with it.");
  m.def(
      "kernels",
      [] {
        nb::list names;
        for (const std::string_view name : kernels::available())
          names.append(nb::str(name.data(), name.size()));
        return names;
      },
      "The kernels that this machine can run, the fastest first.");
}

}  // namespace treeproof::bindings
