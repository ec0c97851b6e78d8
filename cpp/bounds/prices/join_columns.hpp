// Columns of two values that say together what one column of more values says.
//
// Thresholds of one number come as many columns of which each implies the next, categories as
// columns of which exactly one holds. The boxes of the separate columns are those of the joined
// one, but a search for the heaviest box is far shorter on one column with a choice than on many
// that contradict each other.
#pragma once

#include <vector>

#include "bounds/prices/points.hpp"

namespace treeproof::prices {

// Replaces the two-valued columns, leaving out repeated and mirrored ones.
void join_columns(std::vector<PointColumn>& columns);

}  // namespace treeproof::prices
