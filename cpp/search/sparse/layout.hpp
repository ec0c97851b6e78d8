// The layout of rows and tests as bits, computed once for a whole search.
//
// Rows of one class and one weight form a block. A class with many different weights is divided
// into bit planes instead: a row of weight 5 = 4 + 1 then has a *slot* in the planes with
// multipliers 4 and 1, so that weighted counts are sums of a few population counts. Two channels
// may follow the classes: errors that equivalent points force (rows that no test can distinguish),
// and numbers of samples if these differ from the weights.
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
  std::int32_t first_slot;
  std::int32_t end_slot;
};

struct Layout {
  const Problem* problem = nullptr;
  std::int32_t n_classes = 0;
  bool has_samples = false;  // channel n_classes counts samples
  bool has_equivalent = false;
  std::int32_t equivalent_channel = 0;  // after the samples, if any
  std::int32_t n_channels = 0;
  bool has_multiway = false;
  bool several_slots = false;  // some row has more than one slot

  std::vector<Column> columns;  // two-way tests first, then multiway ones test by test
  std::int32_t n_two_way = 0;
  std::vector<SlotBlock> blocks;       // sorted by channel
  std::vector<std::int32_t> slot_row;  // row of a row's first slot; ~row for its others
  std::vector<Key> stored_keys;        // keys of the slots; empty if they are computed when needed

  std::int32_t row(std::size_t slot) const {
    const std::int32_t r = slot_row[slot];
    return r < 0 ? ~r : r;
  }
  Key row_key(std::int32_t r) const { return problem->key_of(r); }
  // The key of its row for the first slot of a row, zero for the others.
  Key slot_key(std::size_t slot) const {
    if (!stored_keys.empty()) return stored_keys[slot];
    return slot_row[slot] < 0 ? Key{} : row_key(slot_row[slot]);
  }

  std::uint64_t bytes() const;
};

// Keys take most of the memory; they are stored if that is a small part of `allowance` bytes (0: no
// limit).
Layout make_layout(const Problem& problem, std::int64_t min_samples_leaf, std::uint64_t allowance);

// Whether counts and numbers of slots fit into 16 bits.
bool fits_narrow(const Problem& problem, std::int64_t min_samples_leaf);

}  // namespace treeproof::sparse
