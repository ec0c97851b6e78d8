// A set of rows with its key, by which an equal set is recognised later.
#pragma once

#include <cstdint>

#include "core/key.hpp"
#include "data/row_subset.hpp"

namespace treeproof::threshold {

inline Key key_of(const RowSubset& rows) {
  Key sum;
  for (std::uint32_t r = 0; r < rows.size(); ++r) sum += random_key(rows.row(r));
  return sum;
}

struct KeyedRows {
  const RowSubset* rows;
  Key key;
};

}  // namespace treeproof::threshold
