// Prices that are available before a search begins. They are computed for tests, because what a
// search does with them is then deterministic; or they are those of an earlier search of the same
// table.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>

#include "bounds/prices/fuzzy_pricing.hpp"
#include "bounds/prices/price_board.hpp"
#include "bounds/prices/price_maker.hpp"
#include "core/limits.hpp"

namespace treeproof::bindings {

inline void post_first_prices(const std::optional<prices::Points>& points,
                              std::span<const Weight> weights, Cost cost_per_leaf,
                              std::int64_t work, Limits& limits, prices::PriceBoard& board) {
  if (!points || cost_per_leaf <= 0) return;
  prices::PriceMaker maker(*points, cost_per_leaf,
                           std::make_unique<prices::FuzzyPricer>(*points, std::uint64_t{1} << 30));
  maker.run(work, limits);
  board.post(prices::row_prices(*points, *maker.best(), weights, cost_per_leaf));
}

// Posts the prices that an earlier search has returned, one for each point; does nothing if there
// are none.
inline void post_known_prices(const std::optional<prices::Points>& points,
                              std::span<const Weight> weights, std::span<const Cost> of_point,
                              Cost cost_per_leaf, prices::PriceBoard& board) {
  if (of_point.empty()) return;
  if (!points || of_point.size() != static_cast<std::size_t>(points->size()))
    throw std::invalid_argument("the prices are those of another table");
  prices::Prices known{{of_point.begin(), of_point.end()}, 0};
  known.total = std::accumulate(of_point.begin(), of_point.end(), Cost{0});
  board.post(prices::row_prices(*points, known, weights, cost_per_leaf));
}

}  // namespace treeproof::bindings
