// The predictions of trees within a budget: for each row and class, the least cost of a tree
// that predicts it.
//
// The least cost of a whole tree that has a given part on a set of rows is the cost of the part and
// the least cost of everything beside it. The first is known from fronts without a value (one tree
// for each mark, leaves apart); the second is found from the root downwards: beside a child are its
// siblings and what is beside its parent. Every leaf that a tree may have is then looked at once,
// and all its rows learn the least cost of a tree with this leaf.
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
  // By whether the part is a leaf, and its marks.
  using Outside = std::map<std::pair<bool, Marks>, Cost>;

  void look_beside_children(std::int32_t number, Limits& limits);
  void look_beside_child(const Edge& edge, std::int32_t child, const Front& before,
                         const Front& after, const Outside& parent);
  void note_leaves(std::int32_t number);
  void note(BitsView rows, std::int32_t label, Cost cost);

  const Graph& graph_;
  Inside inside_;
  std::vector<Outside> outside_;  // per node
  std::size_t n_classes_;
  std::vector<Cost> least_;
  // Per class and word of rows: the greatest of their least costs.
  std::vector<Cost> worst_;
};

}  // namespace treeproof::near
