// The children of a test: which of them have rows, and what leaves cost there.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "here.hpp"
#include "table.hpp"

namespace checker {

template <class Visit>
void for_children(const Here::View& view, std::size_t test, Visit&& visit) {
  for (std::size_t k = 0; k < view.n_children; ++k) visit(test + k * view.stride);
}

// Whether at least two children have rows, and each of these at least `fewest`.
template <class Number>
bool is_split(const Here::View& view, std::size_t test, const Table<Number>& table,
              std::int64_t fewest) {
  std::size_t children = 0;
  bool small = false;
  for_children(view, test, [&](std::size_t child) {
    const std::int32_t count = table.count()[child];
    if (count > 0) ++children;
    if (count > 0 && count < fewest) small = true;
  });
  return children >= 2 && !small;
}

// The number of children of a test that have rows.
template <class Number>
std::size_t occupied(const Here::View& view, std::size_t test, const Table<Number>& table) {
  std::size_t children = 0;
  for_children(view, test, [&](std::size_t c) { children += table.count()[c] > 0 ? 1 : 0; });
  return children;
}

inline bool has_wide_view(const Here& here) {
  return std::any_of(here.views().begin(), here.views().end(), [](const Here::View& view) {
    return view.multiway() && view.end - view.begin > 2;
  });
}

// The loss of a child that must be a leaf predicting a given class, because its column is directed:
// all leaves of this side predict the class, so that one leaf is as good as many.
template <class Number>
Number wrong_in_leaf(const Table<Number>& table, const Here::View& view, std::size_t child,
                     bool yes) {
  if (view.column->direction == 0) return table.leaf[child];
  return static_cast<Number>(table.wrong(child, view.column->says(yes)));
}

// The least loss of a split into two leaves; the largest number if no test divides the rows.
template <class Number>
Number cheapest_leaves(const Here& here, const Table<Number>& table, std::int32_t fewest) {
  Number least = std::numeric_limits<Number>::max();
  const std::int32_t* count = table.count().data();
  for (const Here::View& view : here.views()) {
    if (view.multiway()) continue;
    const std::size_t no = view.stride;
    for (std::size_t t = view.begin; t <= view.last_test; ++t) {
      const bool split = std::min(count[t], count[t + no]) >= fewest;
      // Along a directed column, two leaves of the same class would be no better than one leaf.
      const Number sum =
          wrong_in_leaf(table, view, t, true) + wrong_in_leaf(table, view, t + no, false);
      least = std::min(least, split ? sum : std::numeric_limits<Number>::max());
    }
  }
  return least;
}

}  // namespace checker
