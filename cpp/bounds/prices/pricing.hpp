// The search for the heaviest box, where a point weighs its price minus its errors for one class.
//
// Prices are feasible for a class if no box weighs more than one split. There are two kinds of
// searches: over boxes with any number of conditions (fuzzy_pricing.hpp), and over conjunctions of
// a limited number of conditions (shallow_pricing.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/limits.hpp"
#include "core/split_mix.hpp"

namespace treeproof::prices {

// Work is counted in steps of the innermost loops, so that results do not depend on the clock.
inline constexpr std::int64_t kStepsPerMicrosecond = 1000;

// Pseudo-random numbers that are the same in every run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return split_mix(state_++); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

 private:
  std::uint64_t state_;
};

// A complete search for the heaviest box, which can be interrupted and continued.
class Pricing {
 public:
  virtual ~Pricing() = default;

  // Goes on for about `work` steps of the innermost loops; true when finished.
  virtual bool run(std::int64_t work, Limits& limits) = 0;
  virtual bool is_out_of_memory() const { return false; }
  // An upper bound: no box weighs more than this, or than the threshold given to the search.
  virtual std::int32_t most() const = 0;
  virtual std::int64_t n_nodes() const = 0;

  // A box above the threshold that was found, as the list of its points.
  struct Found {
    std::int32_t weight;
    std::vector<std::int32_t> inside;
  };
  const std::vector<Found>& found() const { return found_; }
  // Returns the steps of the innermost loops since the last call.
  std::int64_t take_work() { return std::exchange(work_, 0); }

 protected:
  void keep_found(std::int32_t weight, std::vector<std::int32_t> inside) {
    constexpr std::size_t kMost = 400;
    found_.push_back({weight, std::move(inside)});
    if (found_.size() < kMost) return;
    std::ranges::sort(found_, [](const Found& a, const Found& b) { return a.weight > b.weight; });
    found_.resize(kMost / 2);
  }

  std::int64_t work_ = 0;

 private:
  std::vector<Found> found_;
};

// Searches the boxes of one kind in a table.
class Pricer {
 public:
  virtual ~Pricer() = default;

  // Runs a local search that starts at random, or close to the box with the points `tight`. Returns
  // the weight of the best box found. If it weighs more than the threshold, `inside` receives its
  // points in ascending order.
  virtual std::int64_t find(std::span<const std::int32_t> weights,
                            std::span<const std::int32_t> tight, std::int32_t threshold, Dice& dice,
                            std::vector<std::int32_t>& inside) = 0;
  // Returns the steps of the innermost loops of `find` since the last call.
  virtual std::int64_t take_work() = 0;

  // Begins a complete search. Boxes that weigh at most `threshold` are of no interest.
  virtual std::unique_ptr<Pricing> begin(std::vector<std::int32_t> weights,
                                         std::int32_t threshold) = 0;
};

}  // namespace treeproof::prices
