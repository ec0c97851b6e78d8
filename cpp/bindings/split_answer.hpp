// What the bindings of searches over sorted columns share: features in, split tables out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/python.hpp"
#include "core/events.hpp"
#include "core/limits.hpp"
#include "data/problem.hpp"
#include "search/result.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::bindings {

// The split table every engine returns (treeproof.solvers): nodes in preorder.
struct SplitTable {
  std::vector<std::int32_t> feature, kind, code, first_child, n_children, children, outcome;

  void append(const SplitTree& tree) {
    const auto slot = static_cast<std::int32_t>(children.size());
    feature.push_back(tree.leaf() ? -1 : tree.feature);
    kind.push_back(tree.leaf() ? 0 : 1 + static_cast<std::int32_t>(tree.kind));
    // Any code from tree.code to tree.next_code - 1 parts the node's rows in the same way;
    // the middle one leaves equally many values of the whole table on both sides of the gap.
    const bool cut = tree.kind == TestKind::threshold;
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

  nanobind::dict to_dict() && {
    nanobind::dict d;
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

template <class Result>
const char* status_name(const Result& result) {
  if (result.optimal) return "optimal";
  switch (result.stop) {
    case StopReason::memory_limit: return "memory_limit";
    case StopReason::interrupted: return "interrupted";
    default: return "time_limit";
  }
}

inline std::vector<Feature> read_features(const Vector<std::int32_t>& kinds,
                                          const Vector<std::int32_t>& n_values) {
  std::vector<Feature> features(kinds.size());
  for (std::size_t f = 0; f < features.size(); ++f)
    features[f] = {static_cast<FeatureKind>(view(kinds)[f]), view(n_values)[f]};
  return features;
}

// Hands events to a Python function. Ctrl-C while it runs sets `interrupted`: stop and keep
// the tree, as everywhere else.
inline Observer observer_for(const std::optional<nanobind::callable>& observer,
                             const double& unit, bool& interrupted) {
  if (!observer) return {};
  return [&observer, &unit, &interrupted](const Event& e) {
    nanobind::gil_scoped_acquire lock;
    try {
      (*observer)(static_cast<int>(e.kind), e.seconds, static_cast<double>(e.lower) / unit,
                  static_cast<double>(e.upper) / unit, e.nodes);
    } catch (nanobind::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted = true;
    }
  };
}

template <class Result, class Value>
nanobind::dict split_answer(const Result& result, Value unit, const Limits& limits,
                            std::size_t n_rows) {
  nanobind::dict statistics;
  for (const auto& [name, value] : result.statistics) statistics[name.c_str()] = value;
  SplitTable table;
  table.append(result.tree);
  nanobind::dict out;
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

}  // namespace treeproof::bindings
