// All partitions of points by hyperplanes, in any position.
//
// In the space of hyperplanes every partition is a cell, and every cell has an edge: a
// family of hyperplanes that turn about a flat of dimension r - 2 spanned by r - 1 points,
// without meeting another point while they turn. So it suffices to turn a hyperplane once
// about each such flat. Sorting the other points by angle gives all stops of the turn at
// once: between two stops the points off the flat have known sides, and the points on it
// can be separated in every way that hyperplanes of the flat can separate them (the same
// problem in r - 2 dimensions; if only r - 1 points are on it, all 2^(r-1) ways).
//
// Compared with trying the hyperplane through each r points (He and Little, Section 5.2),
// the sort saves a factor of n / log n, and points in line or on a common hyperplane need
// no special treatment: equal angles are stops that several points share. All decisions
// are exact; see determinant.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "search/rules/determinant.hpp"
#include "search/rules/rule_store.hpp"

namespace treeproof::rules {

// How far an enumeration may go.
struct Allowance {
  std::size_t max_rules = SIZE_MAX;
  std::size_t max_bytes = SIZE_MAX;
  std::size_t max_cuts = SIZE_MAX;  // thresholds on each column, evenly spread
};

enum class Completeness { complete, too_many, stopped };

// Adds to `store` every partition of the points by a hyperplane. The points are distinct
// and span all their dimensions.
Completeness add_hyperplanes(const Points& points, int family, RuleStore& store,
                             const Allowance& allowance, Limits& limits);

// The same for hyperplanes that turn about the given flats only, each given by
// dimension - 1 points: a sample of the rules. Flats that span too little are skipped.
Completeness add_hyperplanes_about(const Points& points, std::span<const std::int32_t> flats,
                                   int family, RuleStore& store, const Allowance& allowance,
                                   Limits& limits);

// Adds the partitions by a threshold on one column.
Completeness add_thresholds(const Points& points, int family, RuleStore& store,
                            const Allowance& allowance, Limits& limits);

}  // namespace treeproof::rules
