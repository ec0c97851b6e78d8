// The engine of a portfolio that computes prices of rows (bounds/prices/price_maker.hpp). Its bound
// on the whole table is shared like any bound, and the prices bound every set of rows that the
// searches examine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bounds/prices/first_splits.hpp"
#include "bounds/prices/literals.hpp"
#include "bounds/prices/price_board.hpp"
#include "bounds/prices/price_maker.hpp"
#include "core/limits.hpp"
#include "search/exchange.hpp"
#include "search/portfolio/solve.hpp"
#include "search/result.hpp"

namespace treeproof::portfolio {

class PriceEngine {
 public:
  // The prices are for the merged rows of the threshold search or, without it, those of the sparse
  // search.
  PriceEngine(const LabelEngines& given, Cost split_cost, Penalize penalize)
      : given_(given), split_cost_(split_cost),
        cost_per_leaf_(prices::cost_per_leaf(split_cost, features(), penalize)) {}

  const prices::PriceBoard& board() const { return board_; }
  // After the engine has run: the best prices, or null if there are none.
  std::shared_ptr<const prices::Prices> best() const { return best_; }
  Cost cost_per_leaf() const { return cost_per_leaf_; }
  Cost split_cost() const { return split_cost_; }

  // The columns of the table whose rows get prices.
  std::span<const Feature> features() const {
    if (given_.columns != nullptr) return given_.columns->features;
    return given_.problem->features;
  }
  std::optional<prices::Points> make_points() const {
    if (given_.columns != nullptr)
      return prices::make_points(*given_.columns, given_.labels.labels, given_.labels.n_classes,
                                 given_.labels.weights);
    const Problem& problem = *given_.problem;
    return prices::make_points(problem.features, problem.codes, problem.label, problem.n_classes,
                               problem.weight);
  }
  std::span<const Weight> weights() const {
    if (given_.columns != nullptr) return given_.labels.weights;
    return given_.problem->weight;
  }

  // An estimate of the bound that the prices may reach, as a cost; used to divide the time.
  double promised() const { return promised_.load(std::memory_order_relaxed); }

  // `parts`: once the prices of the table are at their best, bound it by its first splits, with
  // prices of their own for parts of the table. No proof can cite those. `n_threads` search for
  // the heaviest box.
  Statistics run(bool parts, int n_threads, Limits& limits, Exchange<Cost>& exchange) {
    // Helpers are started anew for every slice.
    const std::int64_t slice = n_threads > 1 ? 20'000'000 : 2'000'000;
    std::optional<prices::Points> points = make_points();
    if (!points || !prices::are_priceable(*points)) return {};
    prices::SplitRules rules = rules_for(limits.memory_allowance(), n_threads);
    prices::PricedPart table(std::move(*points), rules);
    const bool few_literals =
        prices::Literals::are_few(features(), static_cast<std::int64_t>(weights().size()));
    Cost posted = 0;
    Cost told = 0;
    bool more = true;
    while (more && !limits.stop()) {
      more = table.run(slice, parts, limits);
      promised_.store(promise_of(table, few_literals), std::memory_order_relaxed);
      if (table.bound() > told) {
        told = table.bound();
        exchange.proved(told);
      }
      const std::shared_ptr<const prices::Prices> best = table.maker().best();
      if (best->total <= posted) continue;
      posted = best->total;
      best_ = best;
      board_.post(prices::row_prices(table.points(), *best, weights(), cost_per_leaf_));
    }
    promised_.store(0.0, std::memory_order_relaxed);
    return {{"price_nodes", table.maker().n_nodes()},
            {"price_certificates", table.maker().n_certified()},
            {"price_parts", table.n_parts()}};
  }

 private:
  prices::SplitRules rules_for(std::uint64_t allowance, int n_threads) const {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
    constexpr std::uint64_t kBytesPerPart = std::uint64_t{4} << 20;
    constexpr std::uint64_t kMostParts = 200;
    const std::uint64_t bytes = allowance == 0 ? kMostBytes : allowance / 2;
    return {split_cost_, cost_per_leaf_, bytes,
            static_cast<int>(std::min(kMostParts, bytes / kBytesPerPart)), n_threads};
  }

  // The bound that the linear programme of the prices is expected to reach. Prices of parts of the
  // table raise the bound further, but so slowly that the estimate leaves them out: they get the
  // little time that prices get in any case. Where levels have prices of their own, the levels come
  // first whenever this estimate is low.
  static double promise_of(const prices::PricedPart& table, bool has_level_prices) {
    const auto now = static_cast<double>(table.bound());
    if (table.has_best_prices()) return now;
    const prices::PriceMaker& maker = table.maker();
    return std::max(now, has_level_prices ? maker.hoped() : maker.settled_hope());
  }

  const LabelEngines& given_;
  Cost split_cost_;
  Cost cost_per_leaf_;
  prices::PriceBoard board_;
  std::shared_ptr<const prices::Prices> best_;
  std::atomic<double> promised_ = 0.0;
};

}  // namespace treeproof::portfolio
