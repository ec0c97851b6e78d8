// Lower bounds by the first split, with separate prices for the parts on its two sides.
//
// A tree is a single leaf, or it begins with a split and continues with a tree on either side.
// Prices for a part of the table have to respect only the boxes inside that part, so they can be
// higher than prices for the whole table.
//
// Lemma. Let u be feasible on a set A of points (price_maker.hpp). For every B inside A that tests
// can make, a tree on B costs at least u(B) minus one split, since its leaves are boxes inside A.
// And a tree on B costs at least as much as the best tree on any A inside B, since restricting a
// tree to fewer rows does not make it dearer. So one vector of prices for "at most b" bounds every
// "at most t" with t <= b by a prefix sum, and a bound for "at most t" holds for every larger
// threshold.
//
// The bound of the table is the least bound over all first splits and the single leaf. Work goes to
// the two sides of the split that has this least bound: first to prices for a larger part that
// serves the neighbouring thresholds as well, then to prices for the side itself, and then to the
// first splits of that side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bounds/prices/points.hpp"
#include "bounds/prices/price_maker.hpp"
#include "core/limits.hpp"

namespace treeproof::prices {

// What splits cost, and how many parts of a table may still get prices of their own.
struct SplitRules {
  Cost two_way = 0;
  Cost per_leaf = 0;  // see `cost_per_leaf`: a split into c parts costs at least c - 1 times this
  std::uint64_t most_bytes = 0;
  int parts_left = 0;
  int n_threads = 1;
};

class FirstSplits;

// A table with its own prices and, once these are as good as they get, bounds by its first splits.
class PricedPart {
 public:
  PricedPart(Points points, SplitRules& rules);
  // Makes a part of a larger table, whose points `members` are the points of this one.
  PricedPart(const PricedPart& larger, std::vector<std::int32_t> members);
  ~PricedPart();
  PricedPart(const PricedPart&) = delete;
  PricedPart& operator=(const PricedPart&) = delete;

  // Goes on for about `work` steps of the innermost loops, first on prices and then, with `deeper`,
  // on first splits. False once nothing is left to gain.
  bool run(std::int64_t work, bool deeper, Limits& limits);

  // A lower bound on the cost of every tree.
  Cost bound() const;
  Cost leaf_cost() const { return leaf_cost_; }
  bool has_best_prices() const { return prices_done_; }
  bool is_exhausted() const { return exhausted_; }
  std::int64_t work() const;
  std::int64_t n_parts() const;

  const Points& points() const { return points_; }
  const PriceMaker& maker() const { return maker_; }
  const std::vector<std::int32_t>& members() const { return members_; }
  SplitRules& rules() const { return rules_; }

 private:
  Points points_;
  std::vector<std::int32_t> members_;
  SplitRules& rules_;
  Cost leaf_cost_;
  PriceMaker maker_;
  bool prices_done_ = false;
  bool exhausted_ = false;
  std::unique_ptr<FirstSplits> splits_;
};

class FirstSplits {
 public:
  explicit FirstSplits(const PricedPart& table);

  bool run(std::int64_t work, Limits& limits);
  Cost bound() const { return bound_; }
  std::int64_t work() const { return work_; }
  std::int64_t n_parts() const;

 private:
  enum Side : std::uint8_t { low, high };

  // A place where a column can be split. For intervals: after value `at`. For subsets: value `at`
  // against all others. With one child for each value there is a place for each value, and no high
  // side.
  struct Place {
    std::size_t column;
    std::int32_t at;
  };
  struct Part {
    Place place;
    Side side;
    PricedPart priced;
    std::shared_ptr<const Prices> seen;  // the prices that the bounds already use
  };
  struct Known {
    Cost bound = 0;
    Cost leaf = 0;
  };
  struct Task {
    Part* part = nullptr;  // null if a new part has to be made
    Place place{};
    Side side = low;
    std::int64_t spent = 0;
  };

  void bound_by_leaves();
  void bound_by_prices(std::size_t column, Side side, std::int32_t at,
                       std::span<const std::int32_t> members, const Prices& prices);
  void spread(std::size_t column, Side side);
  void learn(Part& part);
  void refresh();
  bool choose(Task& task);
  bool offer(Place place, Side side, Task& task);
  std::int32_t wide_place(Place place, Side side) const;
  Part* make_part(Place place, Side side);
  bool is_inside(const PointColumn& column, std::size_t point, Side side, std::int32_t at) const;
  Known& known(Place place, Side side) {
    return known_[first_[place.column] + 2 * static_cast<std::size_t>(place.at) + side];
  }
  std::int32_t n_places(std::size_t column) const;

  const PricedPart& table_;
  const Points& points_;
  SplitRules& rules_;
  std::vector<std::size_t> first_;  // per column: the index of its first entry in `known_`
  std::vector<Known> known_;
  std::vector<std::unique_ptr<Part>> parts_;
  Place worst_{};
  bool worst_is_leaf_ = false;
  Cost bound_ = 0;
  std::int64_t work_ = 0;
  std::vector<Cost> sums_;
};

}  // namespace treeproof::prices
