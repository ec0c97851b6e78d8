// The Python module: arrays in, a plain dictionary out. No logic lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/encoded_table.hpp"
#include "bindings/tree_answer.hpp"
#include "bindings/python.hpp"
#include "core/cost.hpp"
#include "data/kernels/kernels.hpp"
#include "proof/log.hpp"
#include "search/branches/solve.hpp"
#include "search/miner/solve.hpp"
#include "search/sparse/solve.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace treeproof::bindings {
void bind_near(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_path(nb::module_& m);
void bind_proof(nb::module_& m);
void bind_derive(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_stream(nb::module_& m);
}

namespace {

using IntArray = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DoubleArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& a) {
  return {a.data(), a.size()};
}

treeproof::sparse::Switches read_switches(const nb::dict& given) {
  treeproof::sparse::Switches switches;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    bool known = false;
#define X(field, what)                         \
  if (name == #field) {                        \
    switches.field = nb::cast<bool>(value);    \
    known = true;                              \
  }
    TREEPROOF_SPARSE_SWITCHES(X)
#undef X
    if (!known) throw std::invalid_argument("unknown switch '" + name + "'");
  }
  return switches;
}

treeproof::sparse::Fault read_fault(const std::string& name) {
#define X(fault, what) \
  if (name == #fault) return treeproof::sparse::Fault::fault;
  TREEPROOF_SPARSE_FAULTS(X)
#undef X
  throw std::invalid_argument("unknown fault '" + name + "'");
}

nb::dict solve(const std::string& solver, const IntArray& kinds, const IntArray& n_values,
               const IntArray& codes, const IntArray& labels, int n_classes,
               const DoubleArray& weights, double split_penalty, int max_depth, int max_splits,
               std::int64_t min_samples_leaf, double time_limit, std::uint64_t memory_limit,
               std::optional<nb::callable> observer, const nb::dict& switches,
               const std::string& kernel, const std::string& proof_log,
               const std::string& fault, int n_jobs, bool helpers_at_once,
               const std::string& checkpoint, double checkpoint_pause,
               std::int64_t memo_branches) {
  treeproof::bindings::check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  std::vector<treeproof::Feature> features(kinds.size());
  for (std::size_t f = 0; f < features.size(); ++f)
    features[f] = {static_cast<treeproof::FeatureKind>(view(kinds)[f]), view(n_values)[f]};
  const treeproof::sparse::Switches sparse_switches = read_switches(switches);
  treeproof::Problem problem;
  treeproof::Observer notify;
  bool interrupted = false;
  if (observer) {
    notify = [&](const treeproof::Event& e) {  // bounds as fractions of the total weight
      const auto unit = static_cast<double>(treeproof::cost_of(problem.total_weight));
      nb::gil_scoped_acquire lock;
      try {
        (*observer)(static_cast<int>(e.kind), e.seconds, static_cast<double>(e.lower) / unit,
                    static_cast<double>(e.upper) / unit, e.nodes);
      } catch (nb::python_error& error) {
        // Ctrl-C while the observer ran: stop and keep the tree, as everywhere else.
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        interrupted = true;
      }
    };
  }
  treeproof::SearchResult result;
  std::optional<treeproof::proof::StepLog> log;
  bool logged = true;
  treeproof::Limits limits(time_limit, memory_limit, [&] {
    return interrupted || treeproof::bindings::python_interrupted();
  });
  {
    nb::gil_scoped_release unlocked;
    problem = treeproof::make_problem(std::move(features), view(codes), view(labels), n_classes,
                                      view(weights));
    const treeproof::TreeLimits tree_limits{split_penalty, max_depth, max_splits,
                                            min_samples_leaf};
    if (solver == "sparse") {
      treeproof::sparse::Checkpoint kept;
      const bool resumed =
          !checkpoint.empty() &&
          read_checkpoint(checkpoint, treeproof::sparse::fingerprint(problem, tree_limits), kept);
      if (!proof_log.empty()) {
        const bool goes_on = resumed && treeproof::proof::StepLog::holds(proof_log, kept.log);
        if (goes_on) log.emplace(proof_log, kept.log);
        else log.emplace(proof_log);
        if (!goes_on) kept.forget_bounds();
      }
      const treeproof::sparse::Options options{sparse_switches, kernel, n_jobs,
                                               helpers_at_once, read_fault(fault),
                                               treeproof::kInfiniteCost, checkpoint, resumed ? &kept : nullptr,
                                               checkpoint_pause};
      result = treeproof::sparse::solve(problem, tree_limits, options, limits, notify,
                                        log ? &*log : nullptr);
      if (log) logged = log->finish();
    } else if (solver == "branches") {
      result = treeproof::branches::solve(problem, tree_limits, limits, notify, memo_branches);
    } else if (solver == "dt-miner") {
      result = treeproof::miner::solve(problem, tree_limits, limits, notify);
    } else {
      throw std::invalid_argument("unknown solver '" + solver + "'");
    }
  }
  nb::dict out = treeproof::bindings::search_answer(
      problem, result, treeproof::split_cost(split_penalty, problem.total_weight), limits);
  if (log) {
    nb::list sections;
    for (const treeproof::proof::Section& s : log->sections())
      sections.append(nb::make_tuple(s.split_cost, s.begin, s.end, s.bound));
    out["log_sections"] = sections;
    out["log_complete"] = logged;
  }
  return out;
}

}  // namespace

void bind_quantbnb(nb::module_& m);
void bind_regression(nb::module_& m);
void bind_threshold(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "The native engine of treeproof. Private: use the estimators.";
  treeproof::bindings::bind_near(m);
  treeproof::bindings::bind_parts(m);
  treeproof::bindings::bind_path(m);
  treeproof::bindings::bind_proof(m);
  treeproof::bindings::bind_derive(m);
  treeproof::bindings::bind_rules(m);
  m.def("solve", &solve, nb::kw_only(), "solver"_a, "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "split_penalty"_a, "max_depth"_a = -1,
        "max_splits"_a = -1, "min_samples_leaf"_a = 1, "time_limit"_a = 0.0,
        "memory_limit"_a = 0, "observer"_a = nb::none(), "switches"_a = nb::dict(),
        "kernel"_a = "", "proof_log"_a = "", "fault"_a = "none",
        "n_jobs"_a = 1, "helpers_at_once"_a = false, "checkpoint"_a = "",
        "checkpoint_pause"_a = 0.5, "memo_branches"_a = 0,
        "Search for an optimal tree on encoded, clean data.");
  m.def("switches", [] {
    nb::dict names;
#define X(name, what) names[#name] = what;
    TREEPROOF_SPARSE_SWITCHES(X)
#undef X
    return names;
  }, "The switches of the sparse search, with what each does.");
  m.def("faults", [] {
    nb::dict names;
#define X(name, what) names[#name] = what;
    TREEPROOF_SPARSE_FAULTS(X)
#undef X
    return names;
  }, "Unsound bounds for tests of the checkers, with what is wrong with each.");
  m.def("kernels", [] {
    nb::list names;
    for (const std::string_view name : treeproof::kernels::available())
      names.append(nb::str(name.data(), name.size()));
    return names;
  }, "The kernels this machine can run, the best first.");
  treeproof::bindings::bind_stream(m);
  bind_quantbnb(m);
  bind_regression(m);
  bind_threshold(m);
}
