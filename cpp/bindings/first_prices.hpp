// Prices made before a search begins, for tests: what a search does with them then repeats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bounds/prices/price_board.hpp"
#include "bounds/prices/price_maker.hpp"
#include "core/limits.hpp"

namespace treeproof::bindings {

inline void post_first_prices(const std::optional<prices::Points>& points,
                              std::span<const Weight> weights, Cost cost_per_leaf,
                              std::int64_t work, Limits& limits, prices::PriceBoard& board) {
  if (!points || cost_per_leaf <= 0) return;
  prices::PriceMaker maker(*points, cost_per_leaf, std::uint64_t{1} << 30);
  maker.run(work, limits);
  board.post(prices::row_prices(*points, *maker.best(), weights, cost_per_leaf));
}

}  // namespace treeproof::bindings
