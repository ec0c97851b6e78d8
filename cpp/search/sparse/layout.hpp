// How the table's rows and tests are laid out as bits, once for a whole search.
//
// Rows of one class and one weight form a block. A class with many different weights is
// cut into bit planes instead: a row of weight 5 = 4 + 1 then has a *slot* in the planes
// with multipliers 4 and 1, so that weighted counts are sums of a few popcounts. Two
// channels may follow the classes: errors that equivalent points force (rows no test can
// tell apart), and numbers of samples where they differ from weights.
#pragma once

#include <cstdint>
#include <vector>

#include "core/key.hpp"
#include "data/kernels/kernels.hpp"
#include "data/problem.hpp"

namespace treeproof::sparse {

// A column of bits: the rows for which `test` has `outcome`. A two-way test has one column
// (its "yes" rows), a multiway test one for each category.
struct Column {
  std::int32_t test;
  std::int32_t outcome;
};

struct SlotBlock {
  std::int32_t channel;
  std::int32_t multiplier;
  std::vector<std::int32_t> slots;
};

struct Layout {
  const Problem* problem = nullptr;
  std::int32_t n_classes = 0;
  bool has_samples = false;  // channel n_classes counts samples
  bool has_equivalent = false;
  std::int32_t equivalent_channel = 0;  // after the samples, if any
  std::int32_t n_channels = 0;
  bool has_multiway = false;

  std::vector<Column> columns;  // two-way tests first, then multiway ones test by test
  std::int32_t n_two_way = 0;
  std::vector<SlotBlock> blocks;       // sorted by channel
  std::vector<std::int32_t> slot_row;  // row of each slot
  std::vector<Key> slot_key;           // zero but for the first slot of a row
  std::vector<Key> row_key;

  std::uint64_t bytes() const;
};

Layout make_layout(const Problem& problem, std::int64_t min_samples_leaf);

}  // namespace treeproof::sparse
