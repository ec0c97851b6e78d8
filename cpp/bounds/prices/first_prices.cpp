#include "bounds/prices/first_prices.hpp"

#include <memory>
#include <numeric>
#include <stdexcept>

#include "bounds/prices/fuzzy_pricing.hpp"
#include "bounds/prices/price_maker.hpp"

namespace treeproof::prices {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

Prices computed(const Points& points, Cost cost_per_leaf, std::int64_t work, Limits& limits) {
  PriceMaker maker(points, cost_per_leaf, std::make_unique<FuzzyPricer>(points, kMostBytes));
  maker.run(work, limits);
  return *maker.best();
}

}  // namespace

void post_first_prices(const FirstPrices& wanted, const std::optional<Points>& points,
                       std::span<const Weight> weights, Cost cost_per_leaf, Limits& limits,
                       PriceBoard& board) {
  if (wanted.work > 0 && points && cost_per_leaf > 0)
    board.post(row_prices(*points, computed(*points, cost_per_leaf, wanted.work, limits), weights,
                          cost_per_leaf));
  if (wanted.known.empty()) return;
  if (!points || wanted.known.size() != static_cast<std::size_t>(points->size()))
    throw std::invalid_argument("the prices are those of another table");
  const Prices known{{wanted.known.begin(), wanted.known.end()},
                     std::accumulate(wanted.known.begin(), wanted.known.end(), Cost{0})};
  board.post(row_prices(*points, known, weights, cost_per_leaf));
}

}  // namespace treeproof::prices
