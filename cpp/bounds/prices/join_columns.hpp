// Joins columns of two values into columns of more values.
//
// Tables often come with one column for each threshold of a number, where each condition implies
// the next, or with one column for each category, of which exactly one holds. The boxes of the
// separate columns are the same as those of the joined column, but the search for the heaviest box
// is far shorter on one column with a choice than on many columns that contradict each other.
#pragma once

#include <vector>

#include "bounds/prices/points.hpp"

namespace treeproof::prices {

// Replaces the two-valued columns by joined ones; columns that repeat or mirror another are left
// out.
void join_columns(std::vector<PointColumn>& columns);

}  // namespace treeproof::prices
