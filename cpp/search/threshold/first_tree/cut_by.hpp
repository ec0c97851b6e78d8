// Cuts a set of rows by the test at a node of a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/row_subset.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::threshold {

// Returns one part for each child of the node; no part is empty if the node was made for these
// rows.
inline std::vector<RowSubset> cut_by(Partitioner& partitioner, const Columns& columns,
                                     const RowSubset& rows, const SplitTree& node) {
  const FeatureView view(columns, rows, node.feature);
  std::vector<RowSubset> parts;
  if (node.kind == TestKind::multiway) {
    partitioner.cut_runs(rows, node.feature, view.runs(), parts);
    return parts;
  }
  const auto code = static_cast<std::uint32_t>(node.code);
  const std::uint32_t first = node.kind == TestKind::equals ? view.lower_bound(code) : 0;
  parts.resize(2);
  partitioner.cut_out(rows, node.feature, first, view.lower_bound(code + 1), parts[0], parts[1]);
  return parts;
}

// Adapts a node that was made for other rows to these rows: the codes next to the cut, and one
// child for each category that occurs. Returns false if the test sends all rows to the same child.
inline bool refit(const Columns& columns, const RowSubset& rows, SplitTree& node) {
  const FeatureView view(columns, rows, node.feature);
  if (view.constant()) return false;
  if (node.kind == TestKind::multiway) {
    SplitTree fresh = node;
    fresh.outcomes.clear();
    fresh.children.clear();
    for (const std::uint32_t start : view.runs()) {
      const auto outcome = static_cast<std::int32_t>(view.rank_at(start));
      const auto known = std::ranges::find(node.outcomes, outcome);
      fresh.outcomes.push_back(outcome);
      fresh.children.emplace_back();
      if (known != node.outcomes.end())
        fresh.children.back() =
            node.children[static_cast<std::size_t>(known - node.outcomes.begin())];
    }
    node = std::move(fresh);
    return true;
  }
  const auto code = static_cast<std::uint32_t>(node.code);
  const std::uint32_t end = view.lower_bound(code + 1);
  if (node.kind == TestKind::equals) {
    const std::uint32_t first = view.lower_bound(code);
    return end > first && end - first < rows.size();
  }
  if (end == 0 || end == rows.size()) return false;
  node.code = static_cast<std::int32_t>(view.rank_at(end - 1));
  node.next_code = static_cast<std::int32_t>(view.rank_at(end));
  return true;
}

}  // namespace treeproof::threshold
