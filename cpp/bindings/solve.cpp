// Python's way to the searches over binary and categorical tests: sparse, BRANCHES and
// DT-Miner. Arrays in, a plain dictionary out; no logic lives here.
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
#include "bindings/first_prices.hpp"
#include "bindings/observer.hpp"
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

nb::dict solve(const std::string& solver, const IntArray& kinds, const IntArray& n_values,
               const IntArray& codes, const IntArray& labels, int n_classes,
               const DoubleArray& weights, double split_penalty, int max_depth, int max_splits,
               std::int64_t min_samples_leaf, double time_limit, std::uint64_t memory_limit,
               std::optional<nb::callable> observer, const nb::dict& switches,
               const std::string& kernel, const std::string& proof_log, const std::string& fault,
               int n_jobs, bool helpers_at_once, const std::string& checkpoint,
               double checkpoint_pause, std::uint64_t key_seed, std::int64_t memo_branches,
               const std::string& penalize, std::int64_t price_work,
               const std::optional<Vector<Cost>>& prices) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  sparse::Options options;
  options.switches = read_sparse_switches(switches);
  options.fault = read_fault(fault);
  options.kernel = kernel;
  options.n_threads = n_jobs;
  options.helpers_at_once = helpers_at_once;
  prices::PriceBoard board;
  const std::span<const Cost> known = prices ? view(*prices) : std::span<const Cost>();
  Problem problem;
  double unit = 1.0;
  bool interrupted = false;
  const Observer notify = observer_for(observer, unit, interrupted);
  SearchResult result;
  std::optional<proof::SearchFiles> files;
  Limits limits(time_limit, memory_limit, interrupted_or(interrupted));
  {
    nb::gil_scoped_release unlocked;
    problem = make_problem(read_features(kinds, n_values), view(codes), view(labels), n_classes,
                           view(weights));
    problem.key_seed = key_seed;
    unit = static_cast<double>(cost_of(problem.total_weight));
    const TreeLimits tree_limits{split_penalty, max_depth, max_splits, min_samples_leaf,
                                 read_penalize(penalize)};
    if (solver != "sparse" && split_penalty > 0 && tree_limits.penalize == Penalize::leaves &&
        has_wide(problem.features))
      throw std::invalid_argument("solver '" + solver + "' charges each split once");
    if (solver == "sparse") {
      options.checkpoint_pause = checkpoint_pause;
      files.emplace(problem, tree_limits, proof_log, checkpoint, options);
      if (price_work > 0 || !known.empty()) {
        const auto points = prices::make_points(problem.features, problem.codes, problem.label,
                                                problem.n_classes, problem.weight);
        const Cost per_leaf = prices::cost_per_leaf(split_cost(split_penalty, problem.total_weight),
                                                    problem.features, tree_limits.penalize);
        if (price_work > 0)
          post_first_prices(points, problem.weight, per_leaf, price_work, limits, board);
        post_known_prices(points, problem.weight, known, per_leaf, board);
        options.prices = &board;
        options.cites_prices = !known.empty();
      }
      result = sparse::solve(problem, tree_limits, options, limits, notify, files->listener());
      files->finish();
    } else if (solver == "branches") {
      result = branches::solve(problem, tree_limits, limits, notify, memo_branches);
    } else if (solver == "dt-miner") {
      result = miner::solve(problem, tree_limits, limits, notify);
    } else {
      throw std::invalid_argument("unknown solver '" + solver + "'");
    }
  }
  nb::dict out =
      search_answer(problem, result, split_cost(split_penalty, problem.total_weight), limits);
  if (files && files->log() != nullptr) describe_log(*files, out);
  return out;
}

}  // namespace

void bind_solve(nb::module_& m) {
  m.def("solve", &solve, nb::kw_only(), "solver"_a, "kinds"_a, "n_values"_a, "codes"_a, "labels"_a,
        "n_classes"_a, "weights"_a, "split_penalty"_a, "max_depth"_a = -1, "max_splits"_a = -1,
        "min_samples_leaf"_a = 1, "time_limit"_a = 0.0, "memory_limit"_a = 0,
        "observer"_a = nb::none(), "switches"_a = nb::dict(), "kernel"_a = "", "proof_log"_a = "",
        "fault"_a = "none", "n_jobs"_a = 1, "helpers_at_once"_a = false, "checkpoint"_a = "",
        "checkpoint_pause"_a = 0.5, "key_seed"_a = 0, "memo_branches"_a = 0,
        "penalize"_a = "splits", "price_work"_a = 0, "prices"_a = nb::none(),
        "Search for an optimal tree on encoded, clean data.");
  m.def(
      "switches",
      [] {
        nb::dict names;
#define X(name, what) names[#name] = what;
        TREEPROOF_SPARSE_SWITCHES(X)
#undef X
        return names;
      },
      "The switches of the sparse search, with what each does.");
  m.def(
      "faults",
      [] {
        nb::dict names;
#define X(name, what) names[#name] = what;
        TREEPROOF_SPARSE_FAULTS(X)
#undef X
        return names;
      },
      "Unsound bounds for tests of the checkers, with what is wrong with each.");
  m.def(
      "kernels",
      [] {
        nb::list names;
        for (const std::string_view name : kernels::available())
          names.append(nb::str(name.data(), name.size()));
        return names;
      },
      "The kernels this machine can run, the best first.");
}

}  // namespace treeproof::bindings
