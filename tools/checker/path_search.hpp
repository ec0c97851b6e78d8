// The cheapest tree where the path to a node says what it allows and costs: section 14 of
// docs/proof-format.md. Nothing is cited: lower bounds come from the definition of the cheapest
// tree by its first test, up to the bound that is claimed.
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
#include "step.hpp"

namespace checker {

class PathSearch {
 public:
  using Cost = Classes::Cost;
  static constexpr Cost kNever = Cost{1} << 61;  // no tree is allowed
  static constexpr Cost kMost = Cost{1} << 58;   // of errors, a split, or what is paid for one

  // `split` is what a split costs in the steps, `penalty` the same as a part of all errors.
  PathSearch(const Problem& problem, const Classes& loss, Paths& paths, Cost split, double penalty,
             bool by_leaves)
      : problem_(problem), loss_(loss), paths_(paths), split_(split), by_leaves_(by_leaves),
        n_classes_(loss.n_classes()), bisect_(problem.min_samples_leaf == 1 && paths.contract()) {
    const auto all = static_cast<double>(loss.everything());
    const auto unit = static_cast<double>(paths.unit()), most = static_cast<double>(kMost);
    require(loss.whole_weight() * static_cast<double>(paths.most()) < most && all * unit < most &&
                static_cast<double>(split) * unit < most,
            "the costs of paths are too large");
    split_ = split * paths.unit();
    if (problem.gains) return;
    const double parts = all * static_cast<double>(paths.unit());
    require(parts < 0x1p53, "the costs of paths are too large");
    split_ = static_cast<Cost>(std::floor(penalty * parts + 0.5));  // finer than in the steps
  }

  // What a tree costs, from its errors in the steps, its penalties and what its tests cost.
  Cost whole(Cost errors, std::int64_t penalties, Cost paid) const {
    require(split_ == 0 || penalties < kMost / split_, "the tree costs too much");
    return errors * paths_.unit() + penalties * split_ + paid;
  }

  // A bound that no allowed tree on some rows is below; at least `wanted` if that is one.
  Cost lower(const Rows& rows, std::int32_t depth, std::size_t state, Cost wanted) {
    const Place::Kind kind = paths_.place(state).kind;
    if (kind == Place::Kind::kLeaf || (kind == Place::Kind::kFree && depth == 0)) return leaf(rows);
    if (depth == 0) return kNever;
    const bool free = kind == Place::Kind::kFree;
    auto [place, fresh] = bounds_.try_emplace({key_of(rows), depth, state});
    Known& known = place->second;
    if (fresh && free) {  // every split costs something
      const Cost own = leaf(rows);
      known = {std::min(own, split_), own <= split_};
    }
    if (known.exact || known.bound >= wanted) return known.bound;
    const Deeper deeper(*this);
    Piece piece{&rows, depth, state, wanted, free ? leaf(rows) : kNever};
    if (!free) try_given(piece);
    else if (depth == 1) piece.best = std::min(piece.best, best_stump(rows, state));
    else try_all(piece, known.bound);
    // Where less than what was wanted was found, nothing was left out.
    known.exact = piece.best < wanted || piece.best <= known.bound || (free && depth == 1);
    known.bound = std::max(known.bound, piece.best);
    return known.bound;
  }

  // What a test costs besides the trees on its children.
  Cost price(const Rows& rows, std::size_t n_children, std::int64_t per_row) const {
    Cost sum = split_;
    if (by_leaves_ && split_ > 0) {  // where that is dearer than any tree, it is enough
      sum *= std::min(static_cast<Cost>(n_children) - 1, kMost / split_ + 1);
    }
    if (per_row > 0) {
      for (const std::uint32_t row : rows) sum += loss_.weight(row) * per_row;
    }
    return sum;
  }

  // Whether a tree, whose tests and children are known to be right, is allowed in a state; what
  // its tests cost is added up.
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
  static constexpr std::uint64_t kMostWork = std::uint64_t{1} << 33;
  static constexpr std::size_t kMostSets = std::size_t{1} << 22;
  static constexpr int kMostLevels = 500;

  struct Known {
    Cost bound = 0;
    bool exact = false;
  };
  // The work at some rows in a state.
  struct Piece {
    const Rows* rows;
    std::int32_t depth;
    std::size_t state;
    Cost wanted, best;  // the least cost of what was tried
    Cost enough() const { return std::min(wanted, best); }
  };
  struct Child {
    Rows rows;
    std::size_t state;
  };
  class Deeper {
   public:
    explicit Deeper(PathSearch& search) : search_(search) {
      require(++search_.levels_ <= kMostLevels, "the search for paths goes too deep");
      require(search_.bounds_.size() <= kMostSets, "the search for paths takes too long");
    }
    ~Deeper() { --search_.levels_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    PathSearch& search_;
  };

  void work(std::size_t amount) {
    work_ += amount;
    require(work_ <= kMostWork, "the search for paths takes too long");
    problem_.poll();
  }
  std::string key_of(const Rows& rows) const {
    std::string key((loss_.size() + 7) / 8, '\0');
    for (const std::uint32_t row : rows) {
      key[row / 8] = static_cast<char>(key[row / 8] | (1 << (row % 8)));
    }
    return key;
  }
  static std::int32_t below(std::int32_t depth) { return depth == kNoLimit ? depth : depth - 1; }
  Cost leaf(const Rows& rows) const {
    std::vector<Cost> sums(n_classes_, 0);
    for (const std::uint32_t row : rows) {
      for (std::size_t c = 0; c < n_classes_; ++c) sums[c] += loss_.errors(row, c);
    }
    return *std::min_element(sums.begin(), sums.end()) * paths_.unit();
  }

  // One of the tests that are given.
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
  // All tests that are allowed, until no more can be shown than is known.
  void try_all(Piece& piece, Cost known) {
    for (std::size_t f = 0; f < problem_.columns.size() && piece.best > known; ++f) {
      const Column& column = problem_.columns[f];
      const std::int64_t own = paths_.price(piece.state, column.feature);
      if (own < 0) continue;
      const std::size_t state = paths_.below(piece.state, column.feature);
      const auto same = [state](std::size_t) { return state; };
      std::vector<std::size_t> tests = splitting(column, f, *piece.rows);
      if (column.split == Split::kThreshold && bisect_) {
        bisect(piece, tests, 0, tests.size(), own, state, 0, 0);
        continue;
      }
      for (const std::size_t t : tests) try_test(piece, t, own, same);
    }
  }
  // The tests of a view that may part the rows, each way to cut them once.
  std::vector<std::size_t> splitting(const Column& column, std::size_t f, const Rows& rows) {
    work(rows.size());
    std::vector<char> there(column.n_values, 0);
    for (const std::uint32_t row : rows) there[static_cast<std::size_t>(column.codes[row])] = 1;
    const std::size_t end = f + 1 < problem_.columns.size() ? problem_.columns[f + 1].first_test
                                                            : problem_.tests.size();
    std::vector<std::size_t> tests;
    for (std::size_t t = column.first_test; t < end; ++t) {
      const auto code = static_cast<std::size_t>(problem_.tests[t].code);
      if (column.split == Split::kMultiway || there[code] != 0) tests.push_back(t);
    }
    // Beyond the last code there is nothing.
    if (column.split == Split::kThreshold && !tests.empty()) {
      const auto last = static_cast<std::ptrdiff_t>(problem_.tests[tests.back()].code) + 1;
      if (std::find(there.begin() + last, there.end(), 1) == there.end()) tests.pop_back();
    }
    return tests;
  }

  template <class Below>
  void try_test(Piece& piece, std::size_t t, std::int64_t per_row, Below&& state_below) {
    work(piece.rows->size());
    std::vector<Child> children;
    for (std::size_t v = 0; v < problem_.tests[t].n_outcomes; ++v) {
      Rows part = problem_.restricted(*piece.rows, t, v);
      if (part.empty()) continue;
      if (loss_.samples(part) < problem_.min_samples_leaf) return;
      children.push_back({std::move(part), state_below(v)});
    }
    if (children.size() < 2) return;
    std::vector<Cost> low(children.size(), 0);
    add_up(piece, children, low, price(*piece.rows, children.size(), per_row));
  }
  // Raise the bounds of the children until the test is dear enough, or they are exact.
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

  // Cuts of a threshold view, of which the first child costs at least `first` and the last one at
  // least `last`. Between two cuts, the first child costs at least what it does at the lower one,
  // and the second one what it does at the upper one: a tree for more rows, without the splits
  // that part nothing, does for fewer, is allowed, and pays no more.
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

  // The least cost of a split into leaves.
  Cost best_stump(const Rows& rows, std::size_t state) {
    Cost best = kNever;
    // For each row what leaves of each class cost, and how many rows of the table it is.
    const std::size_t width = n_classes_ + 1;
    std::vector<Cost> each(rows.size() * width), all(width, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t c = 0; c < n_classes_; ++c) {
        each[i * width + c] = loss_.errors(rows[i], c) * paths_.unit();
      }
      each[i * width + n_classes_] = loss_.samples_of(rows[i]);
      for (std::size_t c = 0; c < width; ++c) all[c] += each[i * width + c];
    }
    for (const Column& column : problem_.columns) {
      const std::int64_t per_row = paths_.price(state, column.feature);
      if (per_row < 0) continue;
      work(rows.size() * n_classes_ + column.n_values);
      std::vector<Cost> own(column.n_values * width, 0);  // the same for each code
      for (std::size_t i = 0; i < rows.size(); ++i) {
        Cost* at = own.data() + static_cast<std::size_t>(column.codes[rows[i]]) * width;
        for (std::size_t c = 0; c < width; ++c) at[c] += each[i * width + c];
      }
      const auto [n_children, cost] =
          column.split == Split::kMultiway ? one_each(own, width) : in_two(column, own, all);
      if (n_children >= 2) best = std::min(best, cost + price(rows, n_children, per_row));
    }
    return best;
  }
  bool is_child(const Cost* part) const { return part[n_classes_] >= problem_.min_samples_leaf; }
  Cost least(const Cost* part) const { return *std::min_element(part, part + n_classes_); }
  std::pair<std::size_t, Cost> one_each(const std::vector<Cost>& own, std::size_t width) const {
    std::size_t n_children = 0;
    Cost sum = 0;
    for (std::size_t i = 0; i < own.size(); i += width) {
      if (own[i + n_classes_] == 0) continue;
      if (!is_child(own.data() + i)) return {0, 0};
      ++n_children;
      sum += least(own.data() + i);
    }
    return {n_children, sum};
  }
  std::pair<std::size_t, Cost> in_two(const Column& column, const std::vector<Cost>& own,
                                      const std::vector<Cost>& all) const {
    const std::size_t width = all.size();
    std::vector<Cost> yes(width, 0), no(width, 0);
    std::pair<std::size_t, Cost> best{0, kNever};
    for (std::size_t code = 0; code < column.n_values; ++code) {
      for (std::size_t i = 0; i < width; ++i) {
        const Cost here = own[code * width + i];
        yes[i] = column.split == Split::kThreshold ? yes[i] + here : here;
        no[i] = all[i] - yes[i];
      }
      if (!is_child(yes.data()) || !is_child(no.data())) continue;
      best = {2, std::min(best.second, least(yes.data()) + least(no.data()))};
    }
    return best;
  }

  const Problem& problem_;
  const Classes& loss_;
  Paths& paths_;
  Cost split_;
  bool by_leaves_;
  std::size_t n_classes_;
  bool bisect_;
  std::map<std::tuple<std::string, std::int32_t, std::size_t>, Known> bounds_;
  std::uint64_t work_ = 0;
  int levels_ = 0;
};

}  // namespace checker
