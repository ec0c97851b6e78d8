// What the two searches of the checker share: that for the cheapest tree where the path to a node
// says what it allows and costs (path_search.hpp), and that for all trees up to a cost
// (tree_list.hpp). Both visit the tests of a set of rows, bound the trees on its children by
// recursion, and stop when they have worked for too long.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "classes.hpp"
#include "errors.hpp"
#include "problem.hpp"
#include "step.hpp"

namespace checker {

class TreeSearch {
 public:
  using Cost = Classes::Cost;

 protected:
  // `name` is what messages call the search.
  TreeSearch(const Problem& problem, const Classes& loss, std::string name)
      : problem_(problem), loss_(loss), name_(std::move(name)), n_classes_(loss.n_classes()) {}

  // One level of the recursion. Its depth is limited, since a hostile proof must not exhaust the
  // stack.
  class Level {
   public:
    explicit Level(TreeSearch& search) : search_(search) {
      if (++search_.levels_ > kMostLevels) throw Rejected(search_.name_ + " goes too deep");
    }
    ~Level() { --search_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TreeSearch& search_;
  };

  // A lower bound on the cost of the trees on some rows; if it is exact, it is the least cost.
  struct Known {
    Cost bound = 0;
    bool exact = false;
  };

  // The costs of the leaves of a split, which has less than two children if it is not allowed.
  struct LeafSplit {
    std::size_t n_children = 0;
    Cost cost = 0;
  };

  void work(std::size_t amount) {
    work_ += amount;
    if (work_ > kMostWork) throw Rejected(name_ + " takes too long");
    problem_.poll();
  }

  // A string that is the same for equal sets of rows only.
  std::string key_of(const Rows& rows) const {
    std::string key((loss_.size() + 7) / 8, '\0');
    for (const std::uint32_t row : rows) {
      key[row / 8] = static_cast<char>(key[row / 8] | (1 << (row % 8)));
    }
    return key;
  }

  // How many levels the trees on the children may have.
  static std::int32_t below(std::int32_t depth) { return depth == kNoLimit ? depth : depth - 1; }

  // What a leaf costs that predicts a class, and what the cheapest leaf costs.
  Cost leaf_saying(const Rows& rows, std::size_t label) const {
    Cost sum = 0;
    for (const std::uint32_t row : rows) sum += loss_.errors(row, label);
    return sum;
  }
  Cost cheapest_leaf(const Rows& rows) const {
    Cost least = leaf_saying(rows, 0);
    for (std::size_t c = 1; c < n_classes_; ++c) least = std::min(least, leaf_saying(rows, c));
    return least;
  }

  // The tests of the view number `f` that may divide the rows. A threshold after a code that no row
  // has divides them like the threshold before it, and is left out.
  std::vector<std::size_t> dividing_tests(std::size_t f, const Rows& rows) {
    work(rows.size());
    const Column& column = problem_.columns[f];
    std::vector<char> there(column.n_values, 0);
    for (const std::uint32_t row : rows) there[static_cast<std::size_t>(column.codes[row])] = 1;
    const std::size_t end = f + 1 < problem_.columns.size() ? problem_.columns[f + 1].first_test
                                                            : problem_.tests.size();
    std::vector<std::size_t> tests;
    for (std::size_t t = column.first_test; t < end; ++t) {
      const auto code = static_cast<std::size_t>(problem_.tests[t].code);
      if (column.split == Split::kMultiway || there[code] != 0) tests.push_back(t);
    }
    // All rows are below a threshold after the last code that occurs.
    if (column.split == Split::kThreshold && !tests.empty()) {
      const auto last = static_cast<std::ptrdiff_t>(problem_.tests[tests.back()].code) + 1;
      if (std::find(there.begin() + last, there.end(), 1) == there.end()) tests.pop_back();
    }
    return tests;
  }

  // The children of a test that have rows, each with its outcome; nothing if there are fewer than
  // two, or if one has too few rows.
  std::vector<std::pair<std::size_t, Rows>> children_of(std::size_t test, const Rows& rows) {
    work(rows.size());
    std::vector<std::pair<std::size_t, Rows>> children;
    for (std::size_t v = 0; v < problem_.tests[test].n_outcomes; ++v) {
      Rows part = problem_.restricted(rows, test, v);
      if (part.empty()) continue;
      if (loss_.samples(part) < problem_.min_samples_leaf) return {};
      children.emplace_back(v, std::move(part));
    }
    if (children.size() < 2) children.clear();
    return children;
  }

  // The cheapest split of the rows into leaves by a test of a view, without what the split costs.
  LeafSplit cheapest_leaves(const Column& column, const Rows& rows) {
    work(rows.size() * n_classes_ + column.n_values);
    // For each code: what leaves of each class cost, and how many rows of the table there are.
    const std::size_t width = n_classes_ + 1;
    std::vector<Cost> of_code(column.n_values * width, 0);
    for (const std::uint32_t row : rows) {
      Cost* at = of_code.data() + static_cast<std::size_t>(column.codes[row]) * width;
      for (std::size_t c = 0; c < n_classes_; ++c) at[c] += loss_.errors(row, c);
      at[n_classes_] += loss_.samples_of(row);
    }
    return column.split == Split::kMultiway ? one_each(of_code) : in_two(column, of_code);
  }

  const Problem& problem_;
  const Classes& loss_;
  const std::string name_;
  const std::size_t n_classes_;

 private:
  static constexpr std::uint64_t kMostWork = std::uint64_t{1} << 33;
  static constexpr int kMostLevels = 500;

  bool is_child(const Cost* part) const { return part[n_classes_] >= problem_.min_samples_leaf; }
  Cost least(const Cost* part) const { return *std::min_element(part, part + n_classes_); }

  // One leaf for each code that occurs.
  LeafSplit one_each(const std::vector<Cost>& of_code) const {
    const std::size_t width = n_classes_ + 1;
    LeafSplit split;
    for (std::size_t i = 0; i < of_code.size(); i += width) {
      if (of_code[i + n_classes_] == 0) continue;
      if (!is_child(of_code.data() + i)) return {};
      ++split.n_children;
      split.cost += least(of_code.data() + i);
    }
    return split;
  }
  // The cheapest of all tests with two outcomes.
  LeafSplit in_two(const Column& column, const std::vector<Cost>& of_code) const {
    const std::size_t width = n_classes_ + 1;
    std::vector<Cost> all(width, 0), yes(width, 0), no(width, 0);
    for (std::size_t i = 0; i < of_code.size(); ++i) all[i % width] += of_code[i];
    LeafSplit best{0, std::numeric_limits<Cost>::max()};
    for (std::size_t code = 0; code < column.n_values; ++code) {
      for (std::size_t i = 0; i < width; ++i) {
        const Cost here = of_code[code * width + i];
        yes[i] = column.split == Split::kThreshold ? yes[i] + here : here;
        no[i] = all[i] - yes[i];
      }
      if (!is_child(yes.data()) || !is_child(no.data())) continue;
      best = {2, std::min(best.cost, least(yes.data()) + least(no.data()))};
    }
    return best;
  }

  std::uint64_t work_ = 0;
  int levels_ = 0;
};

}  // namespace checker
