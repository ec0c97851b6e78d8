// Sums of row prices: threads that share them may know other prices, or none yet.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "bounds/prices/price_board.hpp"
#include "core/cost.hpp"
#include "data/columns.hpp"
#include "data/row_subset.hpp"
#include "loss/misclassification.hpp"
#include "search/threshold/price_bound.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

constexpr std::int32_t kRows = 12;
const Cost kSplit = cost_of(2);

std::shared_ptr<const prices::RowPrices> some_prices(std::mt19937& random, Cost split_cost) {
  prices::RowPrices prices;
  for (std::int32_t r = 0; r < kRows; ++r)
    prices.of_row.push_back(cost_of(static_cast<std::int64_t>(random() % 4)));
  for (const Cost price : prices.of_row) prices.total += price;
  prices.split_cost = split_cost;
  return std::make_shared<const prices::RowPrices>(std::move(prices));
}

void sums_do_not_need_the_prices(Report& report, std::mt19937& random) {
  std::vector<std::int32_t> codes;
  for (std::int32_t r = 0; r < kRows; ++r) codes.push_back(static_cast<std::int32_t>(random() % 5));
  const Columns columns = sort_columns({{FeatureKind::ordered, 5}}, codes, kRows);
  const RowSubset rows = RowSubset::whole(columns);
  const std::vector<std::int32_t> labels(kRows, 0);
  const std::vector<Weight> weights(kRows, 1);
  const Misclassification loss(labels, weights, 2);

  prices::PriceBoard board;
  board.post(some_prices(random, kSplit));
  threshold::PriceBound first(&board, kSplit, loss);
  threshold::PriceSums sums;
  first.sum_along(rows, 0, sums);
  report.expect(!sums.empty());

  // One that has never looked at the board, and one that knows other prices by now.
  threshold::PriceBound without(&board, kSplit, loss);
  board.post(some_prices(random, kSplit / 2));
  threshold::PriceBound later(&board, kSplit, loss);
  report.expect(later.refresh());
  for (std::uint32_t p = 0; p <= rows.size(); ++p) {
    const Cost left = sums.before[p] - kSplit, right = sums.before.back() - sums.before[p] - kSplit;
    for (const threshold::PriceBound* one : {&first, &without, &later}) {
      report.expect(one->left(sums, p) == first.left(sums, p));
      report.expect(one->right(sums, p) == first.right(sums, p));
      report.expect(one->left(sums, p) >= std::max<Cost>(left, 0));
      report.expect(one->right(sums, p) >= std::max<Cost>(right, 0));
    }
  }
}

}  // namespace

void test_prices(Report& report) {
  std::mt19937 random(1);
  for (int k = 0; k < 20; ++k) sums_do_not_need_the_prices(report, random);
}

}  // namespace treeproof::unit
