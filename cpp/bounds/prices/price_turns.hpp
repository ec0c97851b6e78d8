// When a search spends time on prices, and how much.
//
// On noisy tables nothing else raises the bound, and it is best to make prices at once. On clean
// ones they are loose, and a search is done before they would have paid. So nothing is spent
// while a search is young; then a small share of the time shows what the prices promise; and
// only while they promise more than the search has proved do both take equal turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bounds/prices/price_board.hpp"
#include "bounds/prices/price_maker.hpp"
#include "core/limits.hpp"

namespace treeproof::prices {

class PriceTurns {
 public:
  // `make_points` is called when there is time for it. `split_cost` by `cost_per_leaf`;
  // `most_bytes` for the searches over boxes.
  PriceTurns(std::function<std::optional<Points>()> make_points,
             std::span<const Weight> weights, Cost split_cost, std::uint64_t most_bytes)
      : make_points_(std::move(make_points)), weights_(weights), split_cost_(split_cost),
        most_bytes_(most_bytes) {}

  const PriceBoard& board() const { return board_; }

  // Makes prices for a while, if it is time. `searched`: microseconds of work of the search.
  void run(std::int64_t searched, Cost lower, Cost upper, Limits& limits);

 private:
  std::int64_t allowance(std::int64_t searched, Cost lower, Cost upper) const;

  void begin();

  std::function<std::optional<Points>()> make_points_;
  std::optional<Points> points_;
  std::span<const Weight> weights_;
  Cost split_cost_;
  std::uint64_t most_bytes_;
  std::unique_ptr<PriceMaker> maker_;
  PriceBoard board_;
  Cost posted_ = 0;
  bool finished_ = false;
};

}  // namespace treeproof::prices
