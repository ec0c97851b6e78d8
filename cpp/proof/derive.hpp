// Derives the steps that prove the answer of a search over thresholds (prover.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bounds/prices/price_board.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/columns.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof::proof {

template <class Value>
struct Derived {
  std::int64_t n_steps = 0;
  std::int64_t root = 0;  // number of the step that bounds the whole table
  Value bound{};          // the bound that it proves
  bool complete = true;   // false if the file could not hold everything
};

// Writes steps to the file `steps` that prove that no tree within the limits costs less than
// `bound`. The record of the search that found the bound makes this faster; it may be empty.
// `prices` are those in the header of the proof, or null if it has none.
Derived<Cost> derive_labels(const Columns& columns, const threshold::Labels& labels,
                            const TreeLimits& tree_limits, Cost bound,
                            const threshold::Record<Cost>& record,
                            const std::shared_ptr<const prices::RowPrices>& prices, Limits& limits,
                            const std::string& steps);

// Bounds of regressions are fractions of the loss of a single leaf; `unit` is this loss.
Derived<double> derive_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                               const TreeLimits& tree_limits, double bound, double unit,
                               const threshold::Record<double>& record, Limits& limits,
                               const std::string& steps);

}  // namespace treeproof::proof
