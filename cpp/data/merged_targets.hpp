// Merging equal rows of a regression, in an order that the data alone determine.
//
// Rows that agree in every column and in the targets become one row with their total weight:
// nothing can tell them apart, and the search gets smaller. The merged rows are sorted by a hash of
// their content, so that a table with repeated rows, the same table with weights, and any shuffle
// of either give the same run and hence the same tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treeproof {

struct MergedTargets {
  std::vector<std::int32_t> codes;  // column-major, as the given ones
  std::vector<double> targets;      // row-major
  std::vector<double> weights;
};

// `codes` is column-major and `targets` row-major; there are as many rows as weights.
MergedTargets merge_equal_rows(std::span<const std::int32_t> codes, std::span<const double> targets,
                               std::span<const double> weights);

}  // namespace treeproof
