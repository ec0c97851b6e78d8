// The search for the cheapest tree if the path to a node decides which tests are allowed and what
// they cost: section 14 of docs/proof-format.md. Steps are not used. Lower bounds follow from the
// definition of the cheapest tree by its first test; they are raised until they reach the bound
// that is claimed.
//
// Costs are in parts: `unit` of them are a 2^20th of a unit of weight.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "classes.hpp"
#include "errors.hpp"
#include "paths.hpp"
#include "problem.hpp"
#include "tree_search.hpp"

namespace checker {

class PathSearch : private TreeSearch {
 public:
  using Cost = Classes::Cost;
  static constexpr Cost kNever = Cost{1} << 61;  // the cost if no tree is allowed
  static constexpr Cost kMost = Cost{1} << 58;   // limit of errors, and of the cost of a split

  // `split` is the cost of a split in the steps, `penalty` the same as a fraction of all errors.
  PathSearch(const Problem& problem, const Classes& loss, Paths& paths, Cost split, double penalty,
             bool by_leaves)
      : TreeSearch(problem, loss, "the search for paths"), paths_(paths), split_(split),
        by_leaves_(by_leaves), bisect_(problem.min_samples_leaf == 1 && paths.contract()) {
    const auto all = static_cast<double>(loss.everything());
    const auto unit = static_cast<double>(paths.unit()), most = static_cast<double>(kMost);
    require(loss.whole_weight() * static_cast<double>(paths.most()) < most && all * unit < most &&
                static_cast<double>(split) * unit < most,
            "the costs of paths are too large");
    split_ = split * paths.unit();
    if (problem.gains) return;
    const double parts = all * static_cast<double>(paths.unit());
    require(parts < 0x1p53, "the costs of paths are too large");
    // Rounded to parts, which are finer than the units of the steps.
    split_ = static_cast<Cost>(std::floor(penalty * parts + 0.5));
  }

  // The cost of a tree: its errors in the units of the steps, its penalties, and `paid`, the cost
  // of its tests.
  Cost whole(Cost errors, std::int64_t penalties, Cost paid) const {
    require(split_ == 0 || penalties < kMost / split_, "the tree costs too much");
    return errors * paths_.unit() + penalties * split_ + paid;
  }

  // A lower bound on the cost of all allowed trees on some rows. It is at least `wanted` if all
  // these trees cost that much.
  Cost lower(const Rows& rows, std::int32_t depth, std::size_t state, Cost wanted) {
    const Place::Kind kind = paths_.place(state).kind;
    if (kind == Place::Kind::kLeaf || (kind == Place::Kind::kFree && depth == 0)) return leaf(rows);
    if (depth == 0) return kNever;
    const bool free = kind == Place::Kind::kFree;
    auto [place, fresh] = bounds_.try_emplace({key_of(rows), depth, state});
    Known& known = place->second;
    if (fresh && free) {  // a tree is a leaf, or it pays for at least one split
      const Cost own = leaf(rows);
      known = {std::min(own, split_), own <= split_};
    }
    if (known.exact || known.bound >= wanted) return known.bound;
    if (bounds_.size() > kMostSets) throw Rejected(name_ + " takes too long");
    const Level level(*this);
    Piece piece{&rows, depth, state, wanted, free ? leaf(rows) : kNever};
    if (!free) try_given(piece);
    else if (depth == 1) piece.best = std::min(piece.best, best_stump(rows, state));
    else try_all(piece, known.bound);
    // If the least cost that was found is below `wanted`, no tree was left out.
    known.exact = piece.best < wanted || piece.best <= known.bound || (free && depth == 1);
    known.bound = std::max(known.bound, piece.best);
    return known.bound;
  }

  // The cost of a test, without the trees on its children.
  Cost price(const Rows& rows, std::size_t n_children, std::int64_t per_row) const {
    Cost sum = split_;
    if (by_leaves_ && split_ > 0) {  // cut off where it is more than any tree may cost
      sum *= std::min(static_cast<Cost>(n_children) - 1, kMost / split_ + 1);
    }
    if (per_row > 0) {
      for (const std::uint32_t row : rows) sum += loss_.weight(row) * per_row;
    }
    return sum;
  }

  // Whether a tree is allowed in a state. The cost of its tests is added to `paid`. That its tests
  // and children exist has been checked before.
  bool keeps(const Json& node, const Rows& rows, std::size_t state, Cost& paid) {
    const Place place = paths_.place(state);
    if (node.find("predict") != nullptr) return place.kind != Place::Kind::kGiven;
    const auto t = static_cast<std::size_t>(node.at("test").integer("a test of the tree"));
    const std::size_t column = problem_.columns[problem_.tests[t].column].feature;
    const std::int64_t own = paths_.price(state, column);
    if (place.kind == Place::Kind::kLeaf || own < 0) return false;
    const auto children_keep = [&](auto&& below) {
      Cost sum = price(rows, 2, own) - price(rows, 2, 0);
      for (const Json& child : node.at("children").array("\"children\"")) {
        const auto& pair = child.array("a child");
        const auto v = static_cast<std::size_t>(pair[0].integer("an outcome"));
        if (!keeps(pair[1], problem_.restricted(rows, t, v), below(v), sum)) return false;
      }
      paid += sum;
      return true;
    };
    if (place.kind == Place::Kind::kFree) {
      const std::size_t next = paths_.below(state, column);
      return children_keep([next](std::size_t) { return next; });
    }
    for (const Place::Choice& choice : place.choices) {
      if (std::find(choice.tests.begin(), choice.tests.end(), t) == choice.tests.end()) continue;
      const auto below = [&](std::size_t v) {
        return paths_.below(state, column, Paths::place_below(choice, v));
      };
      if (children_keep(below)) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kMostSets = std::size_t{1} << 22;

  // A subproblem: some rows in a state.
  struct Piece {
    const Rows* rows;
    std::int32_t depth;
    std::size_t state;
    Cost wanted, best;  // `best`: a lower bound on the trees that were tried
    Cost enough() const { return std::min(wanted, best); }
  };
  struct Child {
    Rows rows;
    std::size_t state;
  };

  Cost leaf(const Rows& rows) const { return cheapest_leaf(rows) * paths_.unit(); }

  // Tries the tests that the given top of the tree allows here.
  void try_given(Piece& piece) {
    const Place place = paths_.place(piece.state);
    for (const Place::Choice& choice : place.choices) {
      for (const std::size_t t : choice.tests) {
        const std::size_t column = problem_.columns[problem_.tests[t].column].feature;
        const std::int64_t own = paths_.price(piece.state, column);
        if (own < 0) continue;
        try_test(piece, t, own, [&](std::size_t outcome) {
          return paths_.below(piece.state, column, Paths::place_below(choice, outcome));
        });
      }
    }
  }
  // Tries all tests that are allowed, until the bound cannot rise above the one that is known.
  void try_all(Piece& piece, Cost known) {
    for (std::size_t f = 0; f < problem_.columns.size() && piece.best > known; ++f) {
      const Column& column = problem_.columns[f];
      const std::int64_t own = paths_.price(piece.state, column.feature);
      if (own < 0) continue;
      const std::size_t state = paths_.below(piece.state, column.feature);
      const auto same = [state](std::size_t) { return state; };
      const std::vector<std::size_t> tests = dividing_tests(f, *piece.rows);
      if (column.split == Split::kThreshold && bisect_) {
        bisect(piece, tests, 0, tests.size(), own, state, 0, 0);
        continue;
      }
      for (const std::size_t t : tests) try_test(piece, t, own, same);
    }
  }

  template <class Below>
  void try_test(Piece& piece, std::size_t t, std::int64_t per_row, Below&& state_below) {
    std::vector<Child> children;
    for (auto& [outcome, part] : children_of(t, *piece.rows)) {
      children.push_back({std::move(part), state_below(outcome)});
    }
    if (children.empty()) return;
    std::vector<Cost> low(children.size(), 0);
    add_up(piece, children, low, price(*piece.rows, children.size(), per_row));
  }
  // Raises the bounds of the children until the test costs enough, or the bounds are exact.
  void add_up(Piece& piece, const std::vector<Child>& children, std::vector<Cost>& low, Cost base) {
    const Cost enough = piece.enough();
    Cost sum = base;
    for (std::size_t k = 0; k < children.size(); ++k) {
      const Child& child = children[k];
      low[k] = std::max(low[k], lower(child.rows, below(piece.depth), child.state, 0));
      sum = std::min(sum + low[k], kNever);
    }
    for (std::size_t k = 0; k < children.size() && sum < enough; ++k) {
      const Child& child = children[k];
      const Cost wanted = low[k] + enough - sum;
      const Cost more =
          std::max(low[k], lower(child.rows, below(piece.depth), child.state, wanted)) - low[k];
      low[k] += more;
      sum = std::min(sum + more, kNever);
    }
    piece.best = std::min(piece.best, sum);
  }

  // Tries the thresholds from `begin` to `end`, whose first children cost at least `first` and
  // whose second children cost at least `last`. The first child of a threshold costs at least as
  // much as that of a lower threshold, and the second one as much as that of a higher threshold: a
  // tree for more rows can be used for fewer rows; without the splits that divide none of these, it
  // is still allowed and costs no more.
  void bisect(Piece& piece, const std::vector<std::size_t>& tests, std::size_t begin,
              std::size_t end, std::int64_t per_row, std::size_t state, Cost first, Cost last) {
    if (begin == end) return;
    const Cost base = price(*piece.rows, 2, per_row);
    if (base + first + last >= piece.enough()) {
      piece.best = std::min(piece.best, base + first + last);
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    work(piece.rows->size());
    std::vector<Child> children;
    for (const std::size_t v : {0, 1}) {
      children.push_back({problem_.restricted(*piece.rows, tests[middle], v), state});
    }
    std::vector<Cost> low{first, last};
    add_up(piece, children, low, base);
    bisect(piece, tests, begin, middle, per_row, state, first, low[1]);
    bisect(piece, tests, middle + 1, end, per_row, state, low[0], last);
  }

  // The least cost of a split into leaves; kNever if there is none.
  Cost best_stump(const Rows& rows, std::size_t state) {
    Cost best = kNever;
    for (const Column& column : problem_.columns) {
      const std::int64_t per_row = paths_.price(state, column.feature);
      if (per_row < 0) continue;
      const LeafSplit split = cheapest_leaves(column, rows);
      if (split.n_children < 2) continue;
      best = std::min(best, split.cost * paths_.unit() + price(rows, split.n_children, per_row));
    }
    return best;
  }

  Paths& paths_;
  Cost split_;
  bool by_leaves_;
  bool bisect_;
  std::map<std::tuple<std::string, std::int32_t, std::size_t>, Known> bounds_;
};

}  // namespace checker
