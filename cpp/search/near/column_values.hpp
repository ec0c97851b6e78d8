// The distinct values of a column of the table, which several features may represent.
//
// A column may be represented by several features, if it can be split in several ways; a value of
// the column is then a combination of one code of each of these features. A test has the same
// outcome on all rows with the same value of its column.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/index.hpp"
#include "search/near/graph.hpp"

namespace treeproof::near {

struct ColumnValues {
  std::vector<std::int32_t> of_row;   // per row of the problem: the number of its value
  std::vector<std::int32_t> example;  // per value: a row that has it
};

inline ColumnValues values_of_column(const Graph& graph, std::int32_t column) {
  const Problem& problem = graph.problem();
  ColumnValues out;
  std::map<std::vector<std::int32_t>, std::int32_t> numbers;
  for (std::int32_t row = 0; row < problem.n_rows(); ++row) {
    std::vector<std::int32_t> codes;
    for (std::size_t f = 0; f < problem.features.size(); ++f)
      if (graph.column_of_feature(static_cast<std::int32_t>(f)) == column)
        codes.push_back(problem.code(static_cast<std::int32_t>(f), row));
    const auto next = static_cast<std::int32_t>(out.example.size());
    const auto [it, fresh] = numbers.try_emplace(codes, next);
    if (fresh) out.example.push_back(row);
    out.of_row.push_back(it->second);
  }
  return out;
}

}  // namespace treeproof::near
