// Restricts the trees within a budget by the columns that they test and by their size.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/index.hpp"
#include "search/near/graph.hpp"

namespace treeproof::near {

// Allows only trees that test every column of `required` and none of `banned`, and that have at
// most `max_splits` splits.
struct Filter {
  std::vector<std::int32_t> required;  // at most kMostRequired
  std::vector<std::int32_t> banned;
  std::int32_t max_splits = -1;  // -1: any number
};
inline constexpr std::size_t kMostRequired = 8;

// The facts about a tree on which a filter decides: which of the required columns it tests and, if
// there is a limit, how many splits it has.
struct Marks {
  std::uint32_t columns = 0;
  std::int32_t splits = 0;

  friend auto operator<=>(const Marks&, const Marks&) = default;
  friend Marks operator+(const Marks& a, const Marks& b) {
    return {a.columns | b.columns, a.splits + b.splits};
  }
};

// The tests that a filter allows, and the marks of a tree that contains them.
class FilteredTests {
 public:
  FilteredTests(const Graph& graph, const Filter& filter)
      : graph_(graph), max_splits_(filter.max_splits), banned_(index(graph.n_columns()), 0),
        column_bit_(index(graph.n_columns()), 0) {
    if (filter.required.size() > kMostRequired)
      throw std::invalid_argument("too many required columns");
    // Columns without any tests may be named as well, although no tree can test them.
    for (const std::int32_t f : filter.banned)
      if (index(f) < banned_.size()) banned_[index(f)] = 1;
    for (std::size_t k = 0; k < filter.required.size(); ++k) {
      const std::size_t own = index(filter.required[k]);
      if (own < column_bit_.size()) column_bit_[own] = std::uint32_t{1} << k;
      wanted_ |= std::uint32_t{1} << k;
    }
  }

  bool allowed(std::int32_t node, std::int32_t test) const {
    const std::int32_t column = graph_.column(test);
    return banned_[index(column)] == 0 && graph_.may_test(node, column);
  }
  Marks marks(std::int32_t test) const {
    return {column_bit_[index(graph_.column(test))], max_splits_ < 0 ? 0 : 1};
  }
  bool fits(const Marks& marks) const { return max_splits_ < 0 || marks.splits <= max_splits_; }
  bool allows_splits() const { return max_splits_ != 0; }
  // The bits of all required columns.
  std::uint32_t wanted() const { return wanted_; }

 private:
  const Graph& graph_;
  const std::int32_t max_splits_;
  std::uint32_t wanted_ = 0;
  std::vector<std::uint8_t> banned_;
  std::vector<std::uint32_t> column_bit_;
};

}  // namespace treeproof::near
