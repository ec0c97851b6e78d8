// For each row and class, the least cost of a tree within the budget that predicts this class for
// the row.
//
// Consider the trees that have a given subtree on a set of rows. The least cost of such a tree is
// the cost of the subtree plus the least cost of everything outside of it. The cost of the cheapest
// subtree on each set of rows is known from fronts without a value (fronts.hpp; one tree for each
// mark, leaves kept apart). The cost of what is outside is computed from the root downwards:
// outside of a child are its siblings and whatever is outside of its parent. Then every leaf that a
// tree may have is visited once, and the least cost of a tree with this leaf is noted for all its
// rows.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "search/near/fronts.hpp"

namespace treeproof::near {

struct NothingAsked {
  struct Value {
    friend auto operator<=>(const Value&, const Value&) = default;
    friend Value operator+(Value, Value) { return {}; }
  };
  using State = NoState;
  static constexpr bool kPlain = true, kEvery = true;
  NoState below(NoState, const Spot&, std::int32_t, std::int32_t) const { return {}; }
  Value of_leaf(NoState, BitsView, std::int32_t) const { return {}; }
  Value of_split(NoState, const Spot&, std::int32_t) const { return {}; }
};

class Answers {
 public:
  Answers(const Graph& graph, const Filter& filter);

  // Returns false if a limit was reached.
  bool build(Limits& limits);
  // [row of the problem][class]; kInfiniteCost if no tree predicts it.
  const std::vector<Cost>& least() const { return least_; }

 private:
  using Inside = Fronts<NothingAsked>;
  using Front = Inside::Front;
  using Point = Inside::Point;
  // The least cost outside of a subtree, by whether the subtree is a leaf, and by its marks.
  using Outside = std::map<std::pair<bool, Marks>, Cost>;

  void look_beside_children(std::int32_t number, Limits& limits);
  void look_beside_child(const Edge& edge, std::int32_t child, const Front& before,
                         const Front& after, const Outside& parent);
  void note_leaves(std::int32_t number);
  void note(BitsView rows, std::int32_t label, Cost cost);

  const Graph& graph_;
  Inside inside_;
  std::vector<Outside> outside_;  // one for each node
  std::size_t n_classes_;
  std::vector<Cost> least_;
  // For each class and each word of rows: the highest of the costs of these rows in `least_`.
  std::vector<Cost> worst_;
};

}  // namespace treeproof::near
