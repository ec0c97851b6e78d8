// The answer of a search as a plain dictionary (see treeproof.solving.solvers): its tree as a table
// of splits, its bounds, why it ended, and what it counted.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/python.hpp"
#include "core/limits.hpp"
#include "search/result.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::bindings {

inline const char* name_of(StopReason reason) {
  switch (reason) {
    case StopReason::memory_limit: return "memory_limit";
    case StopReason::interrupted: return "interrupted";
    case StopReason::tolerance: return "tolerance";
    default: return "time_limit";
  }
}

inline nanobind::dict to_dict(const Statistics& statistics) {
  nanobind::dict out;
  for (const auto& [name, value] : statistics) out[name.c_str()] = value;
  return out;
}

// A tree as a table of its nodes in preorder.
struct SplitTable {
  std::vector<std::int32_t> feature, kind, code, first_child, n_children, children, outcome;

  void append(const SplitTree& tree) {
    const auto slot = static_cast<std::int32_t>(children.size());
    // Any code from tree.code to tree.next_code - 1 divides the node's rows in the same way. The
    // one in the middle is chosen, so that the threshold is in the middle of the gap between the
    // node's values.
    const bool cut = tree.kind == TestKind::threshold;
    append_node(
        {tree.feature, tree.kind, cut ? (tree.code + tree.next_code - 1) / 2 : tree.code, 0}, slot,
        static_cast<std::int32_t>(tree.children.size()));
    children.resize(children.size() + tree.children.size());
    outcome.insert(outcome.end(), tree.outcomes.begin(), tree.outcomes.end());
    for (std::size_t k = 0; k < tree.children.size(); ++k) {
      children[static_cast<std::size_t>(slot) + k] = static_cast<std::int32_t>(feature.size());
      append(tree.children[k]);
    }
  }

  void append(const Problem& problem, const Tree& tree) {
    constexpr Test kLeaf{-1, TestKind::threshold, -1, 0};
    for (const TreeNode& node : tree.nodes)
      append_node(node.test < 0 ? kLeaf : problem.tests[static_cast<std::size_t>(node.test)],
                  node.first_child, node.n_children);
    children = tree.children;
    outcome = tree.child_outcome;
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

 private:
  // A test of feature -1 is a leaf.
  void append_node(const Test& test, std::int32_t slot, std::int32_t n) {
    const bool leaf = test.feature < 0;
    feature.push_back(test.feature);
    kind.push_back(leaf ? 0 : 1 + static_cast<std::int32_t>(test.kind));
    code.push_back(leaf ? -1 : test.code);
    first_child.push_back(slot);
    n_children.push_back(n);
  }
};

inline nanobind::dict tree_to_dict(const Problem& problem, const Tree& tree) {
  SplitTable table;
  table.append(problem, tree);
  return std::move(table).to_dict();
}

// Everything but the tree. `unit` is the number of cost units that is reported as 1.0.
template <class Result, class Value>
nanobind::dict certificate(const Result& result, bool optimal, Value unit, Value split_cost,
                           const Limits& limits, std::int64_t n_rows) {
  nanobind::dict out;
  out["lower"] = result.lower;
  out["upper"] = result.upper;
  out["unit"] = unit;
  out["split_cost"] = split_cost;
  out["status"] = optimal ? "optimal" : name_of(result.stop);
  out["seconds"] = limits.seconds();
  out["n_merged_rows"] = n_rows;
  out["statistics"] = to_dict(result.statistics);
  return out;
}

// The answer of a search over a `Problem`.
inline nanobind::dict search_answer(const Problem& problem, const SearchResult& result,
                                    Cost split_cost, const Limits& limits) {
  nanobind::dict out = certificate(result, result.optimal(), cost_of(problem.total_weight),
                                   split_cost, limits, problem.n_rows());
  out["tree"] = tree_to_dict(problem, result.tree);
  return out;
}

// The answer of a search over sorted columns.
template <class Result, class Value>
nanobind::dict split_answer(const Result& result, Value unit, const Limits& limits,
                            std::size_t n_rows) {
  nanobind::dict out = certificate(result, result.optimal, unit, result.split_cost, limits,
                                   static_cast<std::int64_t>(n_rows));
  SplitTable table;
  table.append(result.tree);
  out["tree"] = std::move(table).to_dict();
  return out;
}

}  // namespace treeproof::bindings
