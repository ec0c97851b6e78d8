// All trees up to a priced cost, by what matters of them: section 10 of docs/proof-format.md,
// *The list*.
//
// A tree that keeps the limits and costs less than the claimed one has a priced cost within a
// budget. So if none of the trees within the budget keeps the limits and is cheaper, none is. The
// list has every tree within the budget, whatever its leaves predict: a test is left out only if
// its price and lower bounds of the trees on its children exceed what may be spent. Lower bounds
// come from the definition of the cheapest tree by its first test, and from the steps.

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

namespace checker {

class TreeList {
 public:
  using Cost = Classes::Cost;
  static constexpr Cost kMostBudget = Cost{1} << 54;

  // What is known of trees: for any of these actions in leaves, priced cost, errors, penalties,
  // and sums of what is limited.
  struct Point {
    Cost cost = 0;
    std::int64_t errors = 0, penalties = 0;
    std::vector<std::int64_t> sums;
  };

  // `split` is what a split costs; with `by_leaves`, one into more than two children costs it once
  // for each but one.
  TreeList(const Problem& problem, const Classes& loss, const Limits& limits, Cost split,
           bool by_leaves)
      : problem_(problem), loss_(loss), limits_(limits), split_(split), by_leaves_(by_leaves),
        n_classes_(loss.n_classes()) {
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

  // A bound that a step shows.
  void take(const Rows& rows, std::int32_t depth, Cost bound) {
    facts_[key_of(rows)].emplace_back(depth, bound);
  }

  // All trees of at most so many levels that cost no more than the budget, but for those that
  // another one of the list replaces: it costs no more, and has no larger limited sum.
  const std::vector<Point>& trees(const Rows& rows, std::int32_t depth, Cost budget) {
    auto& [known, found] = families_[{key_of(rows), depth}];
    if (known >= budget) return found;
    n_points_ -= found.size();
    const Deeper deeper(*this);
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
  static constexpr std::uint64_t kMostWork = std::uint64_t{1} << 33;
  static constexpr int kMostLevels = 500;

  using Table = std::vector<std::vector<std::int64_t>>;

  // Limits that differ in nothing but their sign and bound share a sum.
  struct Axis {
    Table shares;                       // by class, of each row
    bool above = false, below = false;  // is the sum limited from above, from below?
  };
  struct Known {
    Cost bound = 0;
    bool exact = false;
  };
  class Deeper {
   public:
    explicit Deeper(TreeList& list) : list_(list) {
      require(++list_.levels_ <= kMostLevels, "the list of trees goes too deep");
    }
    ~Deeper() { --list_.levels_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    TreeList& list_;
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

  void work(std::size_t amount) {
    work_ += amount;
    require(work_ <= kMostWork, "the list of trees takes too long");
    problem_.poll();
  }

  std::string key_of(const Rows& rows) const {
    std::string key((loss_.size() + 7) / 8, '\0');
    for (const std::uint32_t row : rows) {
      key[row / 8] = static_cast<char>(key[row / 8] | (1 << (row % 8)));
    }
    return key;
  }

  std::int64_t penalties(std::size_t n_children) const {
    return by_leaves_ ? static_cast<std::int64_t>(n_children) - 1 : 1;
  }
  // Where it is dearer than any budget, that is enough.
  Cost price(std::size_t n_children) const {
    if (split_ == 0) return 0;
    return split_ * std::min(penalties(n_children), kMostBudget / split_ + 1);
  }
  static std::int32_t below(std::int32_t depth) { return depth == kNoLimit ? depth : depth - 1; }

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
  Cost leaf_saying(const Rows& rows, std::size_t label) const {
    Cost sum = 0;
    for (const std::uint32_t row : rows) sum += loss_.errors(row, label);
    return sum;
  }
  Cost leaf(const Rows& rows) const {
    Cost least = leaf_saying(rows, 0);
    for (std::size_t c = 1; c < n_classes_; ++c) least = std::min(least, leaf_saying(rows, c));
    return least;
  }

  // Add the trees that begin with a test, given by the rows of its children.
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
    Cost rest = sum - own;  // of the children that are not joined yet
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

  // Leave out points that another one replaces wherever they occur: it has no more errors and
  // penalties, no larger sum that is limited from above only, no smaller one that is limited from
  // below only, and the same of all others.
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
    std::size_t run = 0;  // where the points of the same fixed sums begin
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

  // A bound that no tree on some rows is below; at least `wanted` if that is one.
  Cost lower(const Rows& rows, std::int32_t depth, Cost wanted) {
    auto [place, fresh] = bounds_.try_emplace({key_of(rows), depth});
    Known& known = place->second;
    if (fresh) known = at_once(rows, depth, place->first.first);
    if (known.exact || known.bound >= wanted) return known.bound;
    const Deeper deeper(*this);
    Cost best = leaf(rows);
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
    // Where less than what was wanted was found, nothing was left out.
    known.exact = best < wanted || best <= known.bound;
    known.bound = std::max(known.bound, best);
    return known.bound;
  }

  // The least cost of a split into leaves; more than any budget if nothing splits.
  Cost best_stump(const Rows& rows) {
    Cost best = 2 * kMostBudget;
    for (std::size_t f = 0; f < problem_.columns.size(); ++f) {
      const Column& column = problem_.columns[f];
      work(rows.size() * n_classes_ + column.n_values);
      // For each code what leaves of each class cost, and how many rows of the table there are.
      const std::size_t width = n_classes_ + 1;
      std::vector<Cost> own(column.n_values * width, 0), all(width, 0);
      for (const std::uint32_t row : rows) {
        Cost* at = own.data() + static_cast<std::size_t>(column.codes[row]) * width;
        for (std::size_t c = 0; c < n_classes_; ++c) at[c] += loss_.errors(row, c);
        at[n_classes_] += loss_.samples_of(row);
      }
      for (std::size_t i = 0; i < own.size(); ++i) all[i % width] += own[i];
      best = std::min(
          best, column.split == Split::kMultiway ? one_each(own, width) : in_two(column, own, all));
    }
    return best;
  }
  bool is_child(const Cost* part) const { return part[n_classes_] >= problem_.min_samples_leaf; }
  Cost least(const Cost* part) const { return *std::min_element(part, part + n_classes_); }

  Cost one_each(const std::vector<Cost>& own, std::size_t width) const {
    std::size_t n_children = 0;
    Cost sum = 0;
    for (std::size_t i = 0; i < own.size(); i += width) {
      if (own[i + n_classes_] == 0) continue;
      if (!is_child(own.data() + i)) return 2 * kMostBudget;
      ++n_children;
      sum += least(own.data() + i);
    }
    return n_children < 2 ? 2 * kMostBudget : price(n_children) + sum;
  }
  Cost in_two(const Column& column, const std::vector<Cost>& own,
              const std::vector<Cost>& all) const {
    const std::size_t width = all.size();
    std::vector<Cost> yes(width, 0), no(width, 0);
    Cost best = 2 * kMostBudget;
    for (std::size_t code = 0; code < column.n_values; ++code) {
      for (std::size_t i = 0; i < width; ++i) {
        const Cost here = own[code * width + i];
        yes[i] = column.split == Split::kThreshold ? yes[i] + here : here;
        no[i] = all[i] - yes[i];
      }
      if (!is_child(yes.data()) || !is_child(no.data())) continue;
      best = std::min(best, price(2) + least(yes.data()) + least(no.data()));
    }
    return best;
  }

  // What is clear without a look at the tests.
  Known at_once(const Rows& rows, std::int32_t depth, const std::string& key) const {
    const Cost own = leaf(rows);
    if (depth == 0 || own == 0) return {own, true};
    Known known{std::min(own, split_), own <= split_};
    if (const auto found = facts_.find(key); found != facts_.end()) {
      for (const auto& [covered, bound] : found->second) {
        if (covers(covered, depth)) known.bound = std::max(known.bound, bound);
      }
    }
    return known;
  }

  // Visit every way to part the rows by an allowed test, each once, until it returns false.
  template <class Visit>
  void for_splits(const Rows& rows, Visit&& visit) {
    std::set<std::string> seen;
    for (std::size_t f = 0; f < problem_.columns.size(); ++f) {
      const Column& column = problem_.columns[f];
      work(rows.size());
      std::vector<char> there(column.n_values, 0);
      for (const std::uint32_t row : rows) there[static_cast<std::size_t>(column.codes[row])] = 1;
      const std::size_t last = f + 1 < problem_.columns.size() ? problem_.columns[f + 1].first_test
                                                               : problem_.tests.size();
      for (std::size_t t = column.first_test; t < last; ++t) {
        const Test& test = problem_.tests[t];
        // A cut after a code that no row has parts the rows as the one before does.
        const bool each = column.split == Split::kMultiway;
        if (!each && there[static_cast<std::size_t>(test.code)] == 0) continue;
        work(rows.size());
        std::vector<Rows> parts;
        bool small = false;
        for (std::size_t v = 0; v < test.n_outcomes; ++v) {
          Rows part = problem_.restricted(rows, t, v);
          if (part.empty()) continue;
          small = small || loss_.samples(part) < problem_.min_samples_leaf;
          parts.push_back(std::move(part));
        }
        if (parts.size() < 2 || small || !seen.insert(name_of(parts)).second) continue;
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

  const Problem& problem_;
  const Classes& loss_;
  const Limits& limits_;
  Cost split_;
  bool by_leaves_;
  std::size_t n_classes_;
  std::vector<Axis> axes_;
  std::vector<std::pair<std::size_t, std::int64_t>> axis_of_;  // of each limit, and its sign
  Table errors_;             // of merged rows, at the first copy, by class
  std::vector<Table> sums_;  // by class, the same
  std::map<std::string, std::vector<std::pair<std::int32_t, Cost>>> facts_;
  std::map<std::pair<std::string, std::int32_t>, Known> bounds_;
  std::map<std::pair<std::string, std::int32_t>, Family> families_;
  std::size_t n_points_ = 0, kept_ = 0;
  std::uint64_t work_ = 0;
  int levels_ = 0;
};

}  // namespace checker
