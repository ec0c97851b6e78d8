// One subproblem of a threshold search, and the context that all subproblems share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "data/row_subset.hpp"
#include "search/split_way.hpp"
#include "search/threshold/best_first/known_boxes.hpp"
#include "search/threshold/counters.hpp"
#include "search/threshold/keyed_rows.hpp"
#include "search/threshold/settings.hpp"

namespace treeproof::threshold {

// A cut that a solver has counted: positions first .. last - 1 of the feature's list against the
// rest (for a multiway test, against each other), and the bounds of both sides.
template <class Value>
struct CountedCut {
  std::int32_t feature;
  std::uint32_t first;
  std::uint32_t last;
  Value left;
  Value right;
};

// The best tree on `rows` with at most `depth` levels and `splits` splits and at least `min_leaf`
// rows in every leaf, if it costs less than `cutoff`. `lower_in` contains for each feature a bound
// on every tree that splits on it first (empty if nothing is known); `lower_out`, if not empty,
// receives the bounds proved here.
template <class Value>
struct Task {
  const RowSubset* rows;
  Value cutoff;
  int depth;
  int splits;
  std::uint32_t min_leaf;
  std::span<const Value> lower_in;
  std::span<Value> lower_out;
  Value known{};  // a lower bound on the optimal cost of these rows that the caller already knows
  // If not null, receives the cuts that were counted.
  std::vector<CountedCut<Value>>* counted_cuts = nullptr;
  std::span<const KnownHalf<Value>> halves_in = {};     // what is known of parts of the rows
  std::vector<KnownHalf<Value>>* halves_out = nullptr;  // if not null, receives what is learned
  bool may_plan = false;              // whether a planned tree is sufficient as an answer
  const KeyedRows* around = nullptr;  // if not null, a set of which many tasks have a part
};

template <class L>
struct Context {
  const Columns* columns;
  const L* loss;
  Settings<typename L::Value> settings;
  Limits* limits;
  Counters* counters;
  bool has_multiway = false;
  // For each feature that is split into all its categories: the feature that splits the same column
  // into one category and the rest, or -1.
  std::vector<std::int32_t> doubles = {};

  std::int32_t double_of(std::int32_t f) const { return doubles[static_cast<std::size_t>(f)]; }

  using Value = typename L::Value;

  // Trees may be restricted in two ways that do not depend on the path to a node, so that a
  // subproblem is still a set of rows: *lists*, in which one child of every split is a leaf, and
  // *directions* of features for two classes (search/split_way.hpp).
  //
  // The bounds of the search stay sound. A restricted tree for some rows, with its predictions, is
  // allowed for any others, and its splits that leave a child empty can be contracted; so fewer
  // rows never cost more, and a row adds at most its weight, for each way separately.
  std::int32_t direction(std::int32_t f) const {
    if constexpr (requires { loss->direction(f); }) return loss->direction(f);
    else return 0;
  }
  bool restricted(std::int32_t f) const { return settings.list || direction(f) != 0; }
  bool restricted() const {
    for (std::int32_t f = 0; f < columns->n_features(); ++f)
      if (restricted(f)) return true;
    return false;
  }
  std::vector<SplitWay> ways(std::int32_t f) const {
    return split_ways(direction(f), settings.list);
  }
  // The class that a leaf on one side of a cut must predict; -1 for any.
  std::int32_t leaf_says(std::int32_t f, bool left) const {
    const std::int32_t d = direction(f);
    return d == 0 ? -1 : (d > 0) == left ? 0 : 1;
  }

  // If each child of a split is paid for, rows with new categories add leaves to a tree and make it
  // more expensive. A tree for fewer rows can then be used for more rows only at a higher price,
  // unless categories may be left out. (A tree for more rows can still be used for fewer rows,
  // since it only loses leaves.)
  bool trees_extend() const { return settings.leave_out || !(settings.further_child > Value{}); }
  // The unit step requires that a tree for fewer rows can be used for more rows. This is also false
  // if a new category would make a child smaller than the minimum leaf size.
  bool unit_step(std::uint32_t min_leaf) const {
    return L::kUnitStep && settings.use_unit_step && trees_extend() &&
           !(has_multiway && min_leaf > 1);
  }
  // The price of a further child in units of impurity, which guides greedy trees.
  double further_impurity() const {
    const auto further = static_cast<double>(settings.further_child);
    return L::kUnitStep ? further / static_cast<double>(kUnitCost) : further;
  }
  // Costs are multiples of the granule, so bounds are rounded up to the next multiple.
  Value round_up(Value bound) const {
    if constexpr (L::kUnitStep) {
      const Value g = settings.granule;
      return g > 1 ? (bound + g - 1) / g * g : bound;
    } else {
      return bound;
    }
  }
};

}  // namespace treeproof::threshold
