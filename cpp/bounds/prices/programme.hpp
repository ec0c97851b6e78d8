// The linear programme behind the prices, on a growing list of boxes.
//
//   maximise the sum of all prices, with 0 <= price(i) <= weight(i) and, for every stored box,
//   the sum of the prices inside it <= least errors of a leaf on it + one split.
//
// Its answer is only as good as the list; nothing is certified here. Solved by primal-dual steps
// (Chambolle and Pock's method with diagonal steps), which need a few passes over the boxes where
// a simplex method stalls on the many ties.
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
  // `split` in units of weight.
  Programme(const Points& points, double split);

  // Starts from the solution for a larger table, of which `members` are this one's points.
  void start_from(const Programme& larger, std::span<const std::int32_t> members);

  // False if the box is there already. `inside`: its points in ascending order.
  bool add(std::span<const std::int32_t> inside);
  // Averages of so many steps from where the last call ended. `stop` is called with the work of
  // each step; if it returns true, no more steps are done.
  void solve(int steps, const std::function<bool(std::int64_t work)>& stop);
  // Keeps the boxes that matter most.
  void trim(std::size_t most);

  const std::vector<double>& shares() const { return share_; }  // price / weight, per point
  // The heaviest of the stored boxes at these prices, in splits.
  double heaviest();
  // The points of a box that the prices of the last call have to respect.
  std::span<const std::int32_t> tight_box(std::uint64_t number) const;
  // The points of one of the boxes that were added last.
  std::span<const std::int32_t> recent_box(std::uint64_t number) const;
  std::size_t n_boxes() const { return boxes_.size(); }

 private:
  struct StoredBox {
    std::vector<std::int32_t> inside;
    double limit;       // least errors + one split
    double weight;      // of its points
    double multiplier;  // the programme's dual: how much of the box a cover takes
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
