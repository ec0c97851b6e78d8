// Prices that are available before a search begins. They are computed for tests, because what a
// search does with them is then deterministic; or they are those of an earlier search of the same
// table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bounds/prices/points.hpp"
#include "bounds/prices/price_board.hpp"
#include "core/limits.hpp"

namespace treeproof::prices {

struct FirstPrices {
  std::int64_t work = 0;             // compute prices with this much work; 0: compute none
  std::span<const Cost> known = {};  // of an earlier search, one for each point; empty: none

  bool wanted() const { return work > 0 || !known.empty(); }
};

// Posts the prices for rows of these weights. Nothing is computed if the penalty of a leaf is 0, or
// if the table has no points. Throws if the known prices are not those of these points.
void post_first_prices(const FirstPrices& wanted, const std::optional<Points>& points,
                       std::span<const Weight> weights, Cost cost_per_leaf, Limits& limits,
                       PriceBoard& board);

}  // namespace treeproof::prices
