// Sums of row prices as lower bounds in the threshold search (the lemma is in
// bounds/prices/price_maker.hpp). Every set of rows in this search is a box: the rows that some
// cuts leave, or the intersection of several such sets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bounds/prices/price_board.hpp"
#include "bounds/rounding.hpp"
#include "core/cost.hpp"
#include "data/row_subset.hpp"
#include "loss/misclassification.hpp"

namespace treeproof::threshold {

// Sums of prices along a feature's list. Threads that share them may know other prices, or none
// yet, so the cost of a split that belongs to these prices is kept with them.
struct PriceSums {
  std::vector<Cost> before;  // before each position; empty without prices
  Cost split_cost = 0;

  bool empty() const { return before.empty(); }
};

class PriceBound {
 public:
  // `board` is null if there are no prices. Prices account for all errors, including those that
  // every tree makes, which the costs of `loss` leave out.
  PriceBound(const prices::PriceBoard* board, Cost split_cost, const Misclassification& loss)
      : board_(board), split_cost_(split_cost), loss_(&loss) {}

  // Takes over better prices if there are any. Returns false if there are no prices at all.
  bool refresh() {
    if (board_ == nullptr) return false;
    if (board_->version() != version_) {
      version_ = board_->version();
      prices_ = board_->look();
    }
    return prices_ != nullptr;
  }

  // A lower bound on the cost of all trees on the rows.
  Cost operator()(const RowSubset& rows) {
    if (!refresh()) return 0;
    Cost sum = 0;
    for (std::uint32_t r = 0; r < rows.size(); ++r) sum += price(rows.row(r));
    return bound(sum, prices_->split_cost);
  }

  // Sums up the prices along a feature's list; nothing without prices.
  void sum_along(const RowSubset& rows, std::int32_t feature, PriceSums& sums) {
    sums.before.clear();
    if (!refresh()) return;
    sums.split_cost = prices_->split_cost;
    const std::uint32_t* list = rows.list(feature);
    sums.before.resize(rows.size() + 1);
    for (std::uint32_t k = 0; k < rows.size(); ++k)
      sums.before[k + 1] = sums.before[k] + price(rows.row(list[k]));
  }
  // The bounds for the rows before a position, and for those from there on.
  Cost left(const PriceSums& sums, std::uint32_t position) const {
    return bound(sums.before[position], sums.split_cost);
  }
  Cost right(const PriceSums& sums, std::uint32_t position) const {
    return bound(sums.before.back() - sums.before[position], sums.split_cost);
  }

 private:
  Cost bound(Cost sum, Cost split_cost) const {
    const Cost least = sum - split_cost;
    return least <= 0 ? 0 : bounds::rounding(split_cost_, 0, least, 0);
  }
  Cost price(std::uint32_t row) const { return prices_->of_row[row] - cost_of(loss_->forced(row)); }

  const prices::PriceBoard* board_;
  Cost split_cost_;
  const Misclassification* loss_;
  std::uint32_t version_ = 0;
  std::shared_ptr<const prices::RowPrices> prices_;
};

}  // namespace treeproof::threshold
