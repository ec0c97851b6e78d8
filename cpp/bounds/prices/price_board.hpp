// Where searches find the best certified prices known so far.
//
// Prices improve while a search runs. Whoever computes them posts them here; a search looks at
// times of its own choice and uses the prices that it has in between.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/cost.hpp"

namespace treeproof::prices {

// Certified prices for the rows of one table: every tree on a set of rows that tests can make costs
// at least the sum of their prices minus `split_cost`.
struct RowPrices {
  std::vector<Cost> of_row;
  Cost split_cost = 0;
  Cost total = 0;
};

class PriceBoard {
 public:
  // `wider` holds prices that are valid for more trees; they are used as long as they are better.
  explicit PriceBoard(const PriceBoard* wider = nullptr) : wider_(wider) {}

  void post(std::shared_ptr<const RowPrices> prices) {
    const std::lock_guard lock(mutex_);
    prices_ = std::move(prices);
    version_.fetch_add(1, std::memory_order_release);
  }
  // Increases with every post, so that a search sees whether there is anything new.
  std::uint32_t version() const {
    return version_.load(std::memory_order_acquire) + (wider_ != nullptr ? wider_->version() : 0);
  }
  // Returns the best prices; null before the first post.
  std::shared_ptr<const RowPrices> look() const {
    std::shared_ptr<const RowPrices> others = wider_ != nullptr ? wider_->look() : nullptr;
    const std::lock_guard lock(mutex_);
    if (prices_ == nullptr || (others != nullptr && others->total > prices_->total)) return others;
    return prices_;
  }

 private:
  const PriceBoard* const wider_;
  mutable std::mutex mutex_;
  std::shared_ptr<const RowPrices> prices_;
  std::atomic<std::uint32_t> version_{0};
};

}  // namespace treeproof::prices
