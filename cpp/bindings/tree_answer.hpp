// The answer of a search over a `Problem`, as a plain dictionary (see treeproof.solvers).
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/python.hpp"
#include "core/limits.hpp"
#include "search/result.hpp"

namespace treeproof::bindings {

inline const char* status_name(const SearchResult& result) {
  if (result.optimal()) return "optimal";
  switch (result.stop) {
    case StopReason::memory_limit: return "memory_limit";
    case StopReason::interrupted: return "interrupted";
    default: return "time_limit";
  }
}

inline nanobind::dict tree_to_dict(const Problem& problem, const Tree& tree) {
  std::vector<std::int32_t> feature, kind, code, first_child, n_children;
  for (const TreeNode& node : tree.nodes) {
    const bool leaf = node.test < 0;
    const Test test = leaf ? Test{-1, TestKind::threshold, -1, 0}
                           : problem.tests[static_cast<std::size_t>(node.test)];
    feature.push_back(test.feature);
    kind.push_back(leaf ? 0 : 1 + static_cast<std::int32_t>(test.kind));
    code.push_back(test.code);
    first_child.push_back(node.first_child);
    n_children.push_back(node.n_children);
  }
  nanobind::dict d;
  d["feature"] = to_numpy(std::move(feature));
  d["kind"] = to_numpy(std::move(kind));
  d["code"] = to_numpy(std::move(code));
  d["first_child"] = to_numpy(std::move(first_child));
  d["n_children"] = to_numpy(std::move(n_children));
  d["children"] = to_numpy(tree.children);
  d["child_outcome"] = to_numpy(tree.child_outcome);
  return d;
}

inline nanobind::dict search_answer(const Problem& problem, const SearchResult& result,
                                    Cost split_cost, const Limits& limits) {
  nanobind::dict statistics;
  for (const auto& [name, value] : result.statistics) statistics[name.c_str()] = value;
  nanobind::dict out;
  out["tree"] = tree_to_dict(problem, result.tree);
  out["lower"] = result.lower;
  out["upper"] = result.upper;
  out["unit"] = cost_of(problem.total_weight);  // the cost that stands for 1.0
  out["split_cost"] = split_cost;
  out["status"] = status_name(result);
  out["seconds"] = limits.seconds();
  out["n_merged_rows"] = problem.n_rows();
  out["statistics"] = statistics;
  return out;
}

}  // namespace treeproof::bindings
