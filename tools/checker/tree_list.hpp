// The list of all trees up to a priced cost, if sums over rows are limited: section 10 of
// docs/proof-format.md, *The list*.
//
// A tree that keeps the limits and costs less than the claimed one has a priced cost within a
// budget. So it is enough to see that none of the trees within the budget both keeps the limits
// and is cheaper. The list contains every tree within the budget, whatever its leaves predict: a
// test is left out only if its cost and lower bounds of the trees on its children exceed the
// budget. Lower bounds follow from the definition of the cheapest tree by its first test, and from
// the steps of the proof.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "classes.hpp"
#include "errors.hpp"
#include "limits.hpp"
#include "problem.hpp"
#include "step.hpp"
#include "tree_search.hpp"

namespace checker {

class TreeList : private TreeSearch {
 public:
  using Cost = Classes::Cost;
  static constexpr Cost kMostBudget = Cost{1} << 54;

  // All that matters of a tree with some choice of the leaves' classes: its priced cost, errors,
  // penalties, and the sums that are limited.
  struct Point {
    Cost cost = 0;
    std::int64_t errors = 0, penalties = 0;
    std::vector<std::int64_t> sums;
  };

  // `split` is the cost of a split into two children. With `by_leaves`, every further child costs
  // it once more.
  TreeList(const Problem& problem, const Classes& loss, const Limits& limits, Cost split,
           bool by_leaves)
      : TreeSearch(problem, loss, "the list of trees"), limits_(limits), split_(split),
        by_leaves_(by_leaves) {
    add_sums();
    const auto labels = limits.labels_that_count();
    const auto errors = limits.errors_that_count();
    errors_.assign(loss.size(), std::vector<std::int64_t>(n_classes_, 0));
    sums_.assign(n_classes_, Table(loss.size(), std::vector<std::int64_t>(axes_.size(), 0)));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::size_t row = loss.merged()[i];
      errors_[row][static_cast<std::size_t>(labels[i])] += errors[i];
      for (std::size_t c = 0; c < n_classes_; ++c) {
        for (std::size_t k = 0; k < axes_.size(); ++k) {
          sums_[c][row][k] += axes_[k].shares[c][i];
        }
      }
    }
  }

  // Adds a bound that a step has shown for all trees of at most this depth on these rows.
  void take(const Rows& rows, std::int32_t depth, Cost bound) {
    facts_[key_of(rows)].emplace_back(depth, bound);
  }

  // All trees of at most this depth that cost no more than the budget. A tree is left out if the
  // list has another one that replaces it: one that costs no more and has no larger limited sum.
  const std::vector<Point>& trees(const Rows& rows, std::int32_t depth, Cost budget) {
    auto& [known, found] = families_[{key_of(rows), depth}];
    if (known >= budget) return found;
    n_points_ -= found.size();
    const Level level(*this);
    std::vector<Point> list = leaves(rows, budget);
    if (depth != 0) {
      for_splits(rows, [&](const std::vector<Rows>& parts) {
        join_parts(parts, depth, budget, list);
        return true;
      });
    }
    reduce(list);
    n_points_ += list.size();
    require(n_points_ <= kMostPoints, "the list of trees is too long");
    known = budget;
    found = std::move(list);
    return found;
  }

  // Whether a tree keeps all limits.
  bool keeps(const Point& tree) const {
    for (std::size_t j = 0; j < axis_of_.size(); ++j) {
      const auto& [axis, sign] = axis_of_[j];
      if (!limits_.allows(j, sign * tree.sums[axis])) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMostPoints = std::size_t{1} << 21;

  using Table = std::vector<std::vector<std::int64_t>>;

  // A limited sum. Limits that differ only in their sign and their bound share one.
  struct Axis {
    Table shares;                       // [class][row]: what the row adds to the sum
    bool above = false, below = false;  // whether the sum is limited from above, from below
  };

  void add_sums() {
    for (std::size_t j = 0; j < limits_.size(); ++j) {
      Table own;
      for (std::size_t c = 0; c < n_classes_; ++c) own.push_back(limits_.shares(j, c));
      Table opposite = own;
      for (auto& shares : opposite) {
        for (std::int64_t& share : shares) share = -share;
      }
      const auto same = [&](const Table& shares) {
        return std::find_if(axes_.begin(), axes_.end(),
                            [&](const Axis& axis) { return axis.shares == shares; });
      };
      auto found = same(own);
      std::int64_t sign = 1;
      if (found == axes_.end()) {
        found = same(opposite);
        sign = -1;
      }
      if (found == axes_.end()) {
        found = axes_.insert(axes_.end(), Axis{own, false, false});
        sign = 1;
      }
      (sign > 0 ? found->above : found->below) = true;
      axis_of_.emplace_back(static_cast<std::size_t>(found - axes_.begin()), sign);
    }
  }

  std::int64_t penalties(std::size_t n_children) const {
    return by_leaves_ ? static_cast<std::int64_t>(n_children) - 1 : 1;
  }
  // The cost of a split, cut off where it exceeds any budget.
  Cost price(std::size_t n_children) const {
    if (split_ == 0) return 0;
    return split_ * std::min(penalties(n_children), kMostBudget / split_ + 1);
  }

  // A leaf for every class.
  std::vector<Point> leaves(const Rows& rows, Cost budget) const {
    std::vector<Point> out;
    std::vector<std::int64_t> wrong(n_classes_, 0);
    std::int64_t all = 0;
    for (const std::uint32_t row : rows) {
      for (std::size_t c = 0; c < n_classes_; ++c) {
        all += errors_[row][c];
        wrong[c] -= errors_[row][c];
      }
    }
    for (std::size_t c = 0; c < n_classes_; ++c) {
      const Cost cost = leaf_saying(rows, c);
      if (cost > budget) continue;
      std::vector<std::int64_t> sums(axes_.size(), 0);
      for (const std::uint32_t row : rows) {
        for (std::size_t k = 0; k < axes_.size(); ++k) sums[k] += sums_[c][row][k];
      }
      out.push_back({cost, all + wrong[c], 0, std::move(sums)});
    }
    return out;
  }

  // Adds the trees that begin with a test, which is given by the rows of its children, to the list.
  void join_parts(const std::vector<Rows>& parts, std::int32_t depth, Cost budget,
                  std::vector<Point>& list) {
    const Cost own = price(parts.size());
    std::vector<Cost> low;
    for (const Rows& part : parts) low.push_back(lower(part, below(depth), 0));
    Cost sum = own + std::accumulate(low.begin(), low.end(), Cost{0});
    for (std::size_t k = 0; k < parts.size() && sum <= budget; ++k) {
      const Cost more = lower(parts[k], below(depth), low[k] + budget - sum + 1) - low[k];
      low[k] += more;
      sum += more;
    }
    if (sum > budget) return;
    const std::int64_t counted = split_ > 0 ? penalties(parts.size()) : 0;
    std::vector<Point> joint{{own, 0, counted, std::vector<std::int64_t>(axes_.size(), 0)}};
    Cost rest = sum - own;  // the bounds of the children that are not joined yet
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto& found = trees(parts[k], below(depth), budget - sum + low[k]);
      rest -= low[k];
      std::vector<Point> next;
      work(joint.size() * found.size());
      for (const Point& a : joint) {
        for (const Point& b : found) {
          if (a.cost + b.cost + rest > budget) continue;
          Point& both = next.emplace_back(a);
          both.cost += b.cost;
          both.errors += b.errors;
          both.penalties += b.penalties;
          for (std::size_t s = 0; s < axes_.size(); ++s) both.sums[s] += b.sums[s];
        }
        if (next.size() > kMostPoints) reduce(next);
        require(next.size() <= kMostPoints, "the list of trees is too long");
      }
      reduce(next);
      joint = std::move(next);
    }
    list.insert(list.end(), joint.begin(), joint.end());
    if (list.size() > 2 * kept_ + 64) reduce(list);
  }

  // Removes the points that another one can replace in every tree: it has no more errors and
  // penalties, no larger sum where the sum is limited from above only, no smaller one where it is
  // limited from below only, and the same sum where it is limited from both sides.
  void reduce(std::vector<Point>& list) {
    const auto key = [this](const Point& p) {
      std::vector<std::int64_t> out;
      for (std::size_t k = 0; k < axes_.size(); ++k) {
        if (axes_[k].above == axes_[k].below) out.push_back(p.sums[k]);
      }
      out.push_back(p.errors);
      out.push_back(p.penalties);
      return out;
    };
    const std::size_t n_fixed = key(Point{0, 0, 0, std::vector<std::int64_t>(axes_.size())}).size();
    std::vector<std::pair<std::vector<std::int64_t>, std::size_t>> order;
    for (std::size_t i = 0; i < list.size(); ++i) order.emplace_back(key(list[i]), i);
    std::sort(order.begin(), order.end());
    std::vector<Point> kept;
    std::size_t run = 0;  // where the points with the same fixed sums begin
    const auto fixed = [n_fixed](const std::vector<std::int64_t>& a,
                                 const std::vector<std::int64_t>& b) {
      return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n_fixed - 2), b.begin());
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && !fixed(order[i].first, order[i - 1].first)) run = kept.size();
      const Point& own = list[order[i].second];
      bool replaced = false;
      for (std::size_t k = run; k < kept.size() && !replaced; ++k) {
        replaced = replaces(kept[k], own);
      }
      if (!replaced) kept.push_back(own);
    }
    list = std::move(kept);
    kept_ = list.size();
  }
  bool replaces(const Point& a, const Point& b) const {
    if (a.errors > b.errors || a.penalties > b.penalties) return false;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const bool both = axes_[k].above == axes_[k].below;
      if ((both || axes_[k].above) && a.sums[k] > b.sums[k]) return false;
      if ((both || axes_[k].below) && a.sums[k] < b.sums[k]) return false;
    }
    return true;
  }

  // A lower bound on the cost of all trees on some rows. It is at least `wanted` if all these trees
  // cost that much.
  Cost lower(const Rows& rows, std::int32_t depth, Cost wanted) {
    auto [place, fresh] = bounds_.try_emplace({key_of(rows), depth});
    Known& known = place->second;
    if (fresh) known = at_once(rows, depth, place->first.first);
    if (known.exact || known.bound >= wanted) return known.bound;
    const Level level(*this);
    Cost best = cheapest_leaf(rows);
    if (depth == 1) {
      known = {std::min(best, best_stump(rows)), true};
      return known.bound;
    }
    for_splits(rows, [&](const std::vector<Rows>& parts) {
      const Cost enough = std::min(wanted, best);
      Cost sum = price(parts.size());
      std::vector<Cost> low;
      for (const Rows& part : parts) {
        low.push_back(lower(part, below(depth), 0));
        sum += low.back();
      }
      for (std::size_t k = 0; k < parts.size() && sum < enough; ++k) {
        sum += lower(parts[k], below(depth), low[k] + enough - sum) - low[k];
      }
      best = std::min(best, sum);
      return best > known.bound;
    });
    // If the least cost that was found is below `wanted`, no tree was left out.
    known.exact = best < wanted || best <= known.bound;
    known.bound = std::max(known.bound, best);
    return known.bound;
  }

  // The least cost of a split into leaves; more than any budget if there is none.
  Cost best_stump(const Rows& rows) {
    Cost best = 2 * kMostBudget;
    for (const Column& column : problem_.columns) {
      const LeafSplit split = cheapest_leaves(column, rows);
      if (split.n_children >= 2) best = std::min(best, price(split.n_children) + split.cost);
    }
    return best;
  }

  // The bound that is known before any test is tried.
  Known at_once(const Rows& rows, std::int32_t depth, const std::string& key) const {
    const Cost own = cheapest_leaf(rows);
    if (depth == 0 || own == 0) return {own, true};
    Known known{std::min(own, split_), own <= split_};
    if (const auto found = facts_.find(key); found != facts_.end()) {
      for (const auto& [covered, bound] : found->second) {
        if (covers(covered, depth)) known.bound = std::max(known.bound, bound);
      }
    }
    return known;
  }

  // Visits every way to divide the rows by an allowed test, each once, until `visit` returns false.
  template <class Visit>
  void for_splits(const Rows& rows, Visit&& visit) {
    std::set<std::string> seen;
    for (std::size_t f = 0; f < problem_.columns.size(); ++f) {
      for (const std::size_t t : dividing_tests(f, rows)) {
        std::vector<Rows> parts;
        for (auto& [outcome, part] : children_of(t, rows)) parts.push_back(std::move(part));
        if (parts.empty() || !seen.insert(name_of(parts)).second) continue;
        if (!visit(parts)) return;
      }
    }
  }
  std::string name_of(const std::vector<Rows>& parts) const {
    std::vector<std::string> keys;
    for (const Rows& part : parts) keys.push_back(key_of(part));
    std::sort(keys.begin(), keys.end());
    std::string all;
    for (const std::string& key : keys) all += key;
    return all;
  }

  struct Family {
    Cost budget = -1;
    std::vector<Point> trees;
  };

  const Limits& limits_;
  Cost split_;
  bool by_leaves_;
  std::vector<Axis> axes_;
  std::vector<std::pair<std::size_t, std::int64_t>> axis_of_;  // for each limit, and its sign
  Table errors_;             // [merged row][class], at the first copy of the row
  std::vector<Table> sums_;  // [class][merged row][axis], at the first copy of the row
  std::map<std::string, std::vector<std::pair<std::int32_t, Cost>>> facts_;
  std::map<std::pair<std::string, std::int32_t>, Known> bounds_;
  std::map<std::pair<std::string, std::int32_t>, Family> families_;
  std::size_t n_points_ = 0, kept_ = 0;
};

}  // namespace checker
