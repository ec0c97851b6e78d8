// The linear programme behind the prices, over a growing list of boxes.
//
//   maximise the sum of all prices, with 0 <= price(i) <= weight(i) and, for every stored box,
//   the sum of the prices inside it <= least errors of a leaf on it + one split.
//
// Only stored boxes are constraints, so the solution need not be feasible for all boxes: nothing is
// certified here. The programme is solved by primal-dual steps (Chambolle and Pock's method with
// diagonal steps), which need a few passes over the boxes where a simplex method stalls on the many
// ties.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "bounds/prices/points.hpp"

namespace treeproof::prices {

class Programme {
 public:
  // `split` is the cost of a split in units of weight.
  Programme(const Points& points, double split);

  // Starts from the solution for a larger table, whose points `members` are the points of this one.
  void start_from(const Programme& larger, std::span<const std::int32_t> members);

  // Adds a box, given by its points in ascending order. False if it is stored already.
  bool add(std::span<const std::int32_t> inside);
  // Does `steps` steps from where the last call ended, and takes the average of their solutions.
  // `stop` is called with the work of each step; once it returns true, the steps end.
  void solve(int steps, const std::function<bool(std::int64_t work)>& stop);
  // Keeps the `most` boxes that matter most to the solution.
  void trim(std::size_t most);

  const std::vector<double>& shares() const { return share_; }  // price / weight, per point
  // The weight of the heaviest stored box at these prices, in splits.
  double heaviest();
  // The points of a box whose constraint was tight in the last call.
  std::span<const std::int32_t> tight_box(std::uint64_t number) const;
  // The points of one of the boxes that were added last.
  std::span<const std::int32_t> recent_box(std::uint64_t number) const;
  std::size_t n_boxes() const { return boxes_.size(); }

 private:
  struct StoredBox {
    std::vector<std::int32_t> inside;
    double limit;       // least errors of a leaf + one split
    double weight;      // the weight of its points
    double multiplier;  // the dual variable of its constraint
    std::uint64_t hash;
  };
  double price_of(const StoredBox& box) const;
  void set_prices();

  const Points& points_;
  double split_;
  std::vector<StoredBox> boxes_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<double> share_;
  std::vector<double> price_, slope_, sum_;
  std::vector<std::int32_t> uses_;
  std::vector<std::size_t> tight_;
};

}  // namespace treeproof::prices
