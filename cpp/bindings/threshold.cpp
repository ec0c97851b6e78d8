// Python's way into the threshold search: arrays in, a plain dictionary out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/encoded_table.hpp"
#include "data/columns.hpp"
#include "data/weights.hpp"
#include "search/threshold/solve.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

namespace threshold = treeproof::threshold;
using treeproof::bindings::python_interrupted;
using treeproof::bindings::to_numpy;
using treeproof::bindings::view;
using IntArray = treeproof::bindings::Vector<std::int32_t>;
using DoubleArray = treeproof::bindings::Vector<double>;

// The split table every engine returns (treeproof.solvers): nodes in preorder.
struct Table {
  std::vector<std::int32_t> feature, kind, code, first_child, n_children, children, outcome;

  void append(const treeproof::SplitTree& tree) {
    const auto slot = static_cast<std::int32_t>(children.size());
    feature.push_back(tree.leaf() ? -1 : tree.feature);
    kind.push_back(tree.leaf() ? 0 : 1 + static_cast<std::int32_t>(tree.kind));
    // Any code from tree.code to tree.next_code - 1 parts the node's rows in the same way;
    // the middle one leaves equally many values of the whole table on both sides of the gap.
    const bool cut = tree.kind == treeproof::TestKind::threshold;
    code.push_back(tree.leaf() ? -1 : cut ? (tree.code + tree.next_code - 1) / 2 : tree.code);
    first_child.push_back(slot);
    n_children.push_back(static_cast<std::int32_t>(tree.children.size()));
    children.resize(children.size() + tree.children.size());
    outcome.insert(outcome.end(), tree.outcomes.begin(), tree.outcomes.end());
    for (std::size_t k = 0; k < tree.children.size(); ++k) {
      children[static_cast<std::size_t>(slot) + k] = static_cast<std::int32_t>(feature.size());
      append(tree.children[k]);
    }
  }

  nb::dict to_dict() && {
    nb::dict d;
    d["feature"] = to_numpy(std::move(feature));
    d["kind"] = to_numpy(std::move(kind));
    d["code"] = to_numpy(std::move(code));
    d["first_child"] = to_numpy(std::move(first_child));
    d["n_children"] = to_numpy(std::move(n_children));
    d["children"] = to_numpy(std::move(children));
    d["child_outcome"] = to_numpy(std::move(outcome));
    return d;
  }
};

template <class Value>
const char* status_name(const threshold::Result<Value>& result) {
  if (result.optimal) return "optimal";
  switch (result.stop) {
    case treeproof::StopReason::memory_limit: return "memory_limit";
    case treeproof::StopReason::interrupted: return "interrupted";
    default: return "time_limit";
  }
}

threshold::Switches read_switches(const nb::dict& given) {
  threshold::Switches switches;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "unit_step") switches.unit_step = nb::cast<bool>(value);
    else if (name == "inheritance") switches.inheritance = nb::cast<bool>(value);
    else if (name == "portable_kernels") switches.portable_kernels = nb::cast<bool>(value);
    else if (name == "coarse_cuts") switches.coarse_cuts = nb::cast<int>(value);
    else if (name == "most_bins") switches.most_bins = nb::cast<int>(value);
    else throw std::invalid_argument("unknown switch '" + name + "'");
  }
  return switches;
}

std::vector<treeproof::Feature> read_features(const IntArray& kinds, const IntArray& n_values) {
  std::vector<treeproof::Feature> features(kinds.size());
  for (std::size_t f = 0; f < features.size(); ++f)
    features[f] = {static_cast<treeproof::FeatureKind>(view(kinds)[f]), view(n_values)[f]};
  return features;
}

treeproof::Observer observer_for(const std::optional<nb::callable>& observer,
                                 const double& unit, bool& interrupted) {
  if (!observer) return {};
  return [&observer, &unit, &interrupted](const treeproof::Event& e) {
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

template <class Value>
nb::dict answer(const threshold::Result<Value>& result, Value unit,
                const treeproof::Limits& limits, std::size_t n_rows) {
  nb::dict statistics;
  for (const auto& [name, value] : result.statistics) statistics[name.c_str()] = value;
  Table table;
  table.append(result.tree);
  nb::dict out;
  out["tree"] = std::move(table).to_dict();
  out["lower"] = result.lower;
  out["upper"] = result.upper;
  out["unit"] = unit;
  out["split_cost"] = result.split_cost;
  out["status"] = status_name(result);
  out["seconds"] = limits.seconds();
  out["n_merged_rows"] = n_rows;
  out["statistics"] = statistics;
  return out;
}

nb::dict solve_labels(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                      const IntArray& labels, int n_classes, const DoubleArray& weights,
                      double split_penalty, int max_depth, int max_splits,
                      std::int64_t min_samples_leaf, double time_limit,
                      std::uint64_t memory_limit, std::optional<nb::callable> observer,
                      const nb::dict& switches) {
  treeproof::bindings::check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  const threshold::Switches read = read_switches(switches);
  std::vector<treeproof::Feature> features = read_features(kinds, n_values);
  double unit = 1.0;
  bool interrupted = false;
  const treeproof::Observer notify = observer_for(observer, unit, interrupted);
  treeproof::Limits limits(time_limit, memory_limit,
                           [&] { return interrupted || python_interrupted(); });
  threshold::Result<treeproof::Cost> result;
  treeproof::Cost whole = 0;
  {
    nb::gil_scoped_release unlocked;
    const std::vector<treeproof::Weight> rounded = treeproof::whole_weights(view(weights));
    const std::int64_t total = std::accumulate(rounded.begin(), rounded.end(), std::int64_t{0});
    whole = treeproof::cost_of(total);
    unit = static_cast<double>(whole);
    const treeproof::Columns columns = treeproof::sort_columns(
        std::move(features), view(codes), static_cast<std::int32_t>(labels.size()));
    result = threshold::solve_labels(
        columns, {view(labels), n_classes, rounded, total},
        {split_penalty, max_depth, max_splits, min_samples_leaf}, read, limits, notify);
  }
  return answer(result, whole, limits, labels.size());
}

}  // namespace

void bind_threshold(nb::module_& m) {
  m.def("solve_threshold", &solve_labels, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "split_penalty"_a, "max_depth"_a = -1,
        "max_splits"_a = -1, "min_samples_leaf"_a = 1, "time_limit"_a = 0.0,
        "memory_limit"_a = 0, "observer"_a = nb::none(), "switches"_a = nb::dict(),
        "Search for an optimal classification tree over every threshold.");
}
