// Pareto fronts of cost and value: answers to questions about all trees within a budget.
//
// A question assigns a value to every tree: the sum of a number for each leaf and a number for each
// split. Three examples: with 1 for each split, the value is the size of the tree; with 1 for each
// row whose class differs from a given prediction, it is the distance to that prediction; with
// random keys for pairs of a row and a class, it is a fingerprint of the predictions of the tree.
//
// The number of a leaf may depend not only on its rows but also on the path to it: on the columns
// that were tested there, or on the values that a column may still have. What has to be known of a
// path is its *state*. A *place* is a set of rows (a node of the graph) together with a state;
// questions without states have one place for each node.
//
// For every place, the front contains the trees that no other tree dominates. If small values are
// wanted, a tree dominates another one if neither its cost nor its value is higher. The front of a
// parent then consists of trees made of trees of its children's fronts: if the part on a child is
// replaced by a tree that dominates it, neither the cost nor the value of the whole rises. If all
// values are wanted, a tree dominates another one only if it has the same value and costs less, and
// the same argument holds. Trees with different marks (filter.hpp) are never compared. A split
// whose children are all leaves with the same prediction does not count as a tree; therefore leaves
// are kept apart from other trees.
//
// A question is a type with
//   Value, State            values are added and ordered; states are default constructible
//   kPlain                  there are no states
//   kEvery                  all values are wanted, not only small ones
//   root()                  the state of the whole table
//   key(state)              a key of 128 bits for a state
//   below(state, spot, test, outcome)   the state of a child
//   of_leaf(state, rows, label)         what a leaf adds
//   of_split(state, spot, test)         what a split adds
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "search/near/combinations.hpp"
#include "search/near/filter.hpp"
#include "search/near/graph.hpp"
#include "tree/tree.hpp"

namespace treeproof::near {

// The node at which a split is made.
struct Spot {
  const Graph& graph;
  const Node& node;
  BitsView bits;
};

struct NoState {};

template <class Question>
class Fronts {
 public:
  using Value = typename Question::Value;
  using State = typename Question::State;
  struct Point {
    Cost cost = 0;
    Marks marks;
    Value value{};
    bool leaf = false;
    friend bool operator==(const Point&, const Point&) = default;
  };
  using Front = std::vector<Point>;  // sorted by cost

  Fronts(const Graph& graph, const Filter& filter, Question question)
      : graph_(graph), filter_(graph, filter), question_(std::move(question)) {}

  // Returns false if a limit was reached.
  bool build(Limits& limits) {
    if (!find_places(limits)) return false;
    fronts_.assign(places_.size(), {});
    for (const std::int32_t node : graph_.order())
      for (const std::int32_t place : places_of_[index(node)]) {
        if (limits.stop(1)) return false;
        Front& front = fronts_[index(place)];
        front = of_place(place, limits);
        if (limits.reason() != StopReason::none) return false;
        front.shrink_to_fit();
        n_points_ += front.size();
        if (too_large(n_points_ * sizeof(Point), limits)) return false;
      }
    return true;
  }

  // The trees of the whole table that pass the filter, sorted by cost. If all values are wanted,
  // there is one tree for each value.
  Front whole() const {
    Front out;
    for (const Point& p : fronts_[0])
      if (p.marks.columns == filter_.wanted()) out.push_back(p);
    if constexpr (Question::kEvery) {
      std::ranges::stable_sort(out, {}, [](const Point& p) { return std::tuple(p.value, p.cost); });
      const auto again = std::ranges::unique(out, {}, &Point::value);
      out.erase(again.begin(), again.end());
    }
    std::ranges::stable_sort(out, {}, &Point::cost);
    return out;
  }
  TreeDraft tree(const Point& point) const { return draft(0, point); }

  const FilteredTests& filter() const { return filter_; }
  const Front& front(std::int32_t place) const { return fronts_[index(place)]; }

  // Whether all children may be leaves with the same prediction.
  bool alike(const Edge& edge) const {
    const auto children = graph_.children(edge);
    const std::int32_t label = graph_.nodes()[index(children[0])].leaf.label;
    return std::ranges::all_of(children, [&](std::int32_t child) {
      return graph_.nodes()[index(child)].leaf.label == label;
    });
  }

  // All pairs up to a cost. A pair counts as a leaf if both of its parts are leaves.
  Front combine(const Front& a, const Front& b, Cost most, Limits& limits) const {
    constexpr CombinePace kPace{1 << 14, 50, 0};
    const auto join = [&](const Point& x, const Point& y, Front& out) {
      const Point both = joint(x, y);
      if (filter_.fits(both.marks)) out.push_back(both);
    };
    return combine_pairs<&Point::cost>(a, b, most, kPace, limits, join, tidy);
  }

  // The splits into leaves of a node with one level left that are trees within its budget.
  std::vector<Stump> stumps(std::int32_t number) const {
    const Node& node = graph_.nodes()[index(number)];
    std::vector<Stump> out;
    graph_.for_each_stump(node, [&](const Stump& stump) {
      if (!stump.alike && stump.cost <= node.budget && filter_.allowed(number, stump.test) &&
          filter_.fits(filter_.marks(stump.test)))
        out.push_back(stump);
    });
    return out;
  }

 private:
  struct Place {
    std::int32_t node = 0;
    State state{};
    std::size_t shift = 0;  // added to an index into the graph's children to find this place's
  };

  using Numbers = std::unordered_map<Key, std::int32_t, KeyHash>;  // numbers of places by key

  static Point joint(const Point& x, const Point& y) {
    return {x.cost + y.cost, x.marks + y.marks, x.value + y.value, x.leaf && y.leaf};
  }

  // Removes the dominated points. Only points with the same marks are compared, and leaves only
  // with leaves.
  static void tidy(Front& front) {
    const auto kind = [](const Point& p) { return std::tuple(!p.leaf, p.marks); };
    if constexpr (Question::kEvery)
      std::ranges::sort(front, {}, [&](const Point& p) {
        return std::tuple_cat(kind(p), std::tuple(p.value, p.cost));
      });
    else
      std::ranges::sort(front, {}, [&](const Point& p) {
        return std::tuple_cat(kind(p), std::tuple(p.cost, p.value));
      });
    std::size_t n = 0;
    for (std::size_t k = 0; k < front.size(); ++k) {
      bool beaten = n > 0 && kind(front[n - 1]) == kind(front[k]);
      if constexpr (Question::kEvery) beaten = beaten && front[n - 1].value == front[k].value;
      else beaten = beaten && !(front[k].value < front[n - 1].value);
      if (!beaten) front[n++] = front[k];
    }
    front.resize(n);
    std::ranges::stable_sort(front, {}, &Point::cost);
  }

  bool too_large(std::uint64_t bytes, Limits& limits) const {
    if (graph_.max_bytes() == 0 || bytes + place_bytes_ + graph_.bytes() <= graph_.max_bytes())
      return false;
    limits.memory_exhausted();
    return true;
  }

  Spot spot(std::int32_t node) const {
    const Node& own = graph_.nodes()[index(node)];
    return {graph_, own, graph_.bits(own)};
  }

  // Finds all places. Parents have more rows than their children and are visited first, so that all
  // places of a node are known when it is visited.
  bool find_places(Limits& limits) {
    const std::size_t n_nodes = graph_.nodes().size();
    places_of_.assign(n_nodes, {});
    if constexpr (Question::kPlain) {
      for (std::size_t k = 0; k < n_nodes; ++k) {
        places_.push_back({static_cast<std::int32_t>(k)});
        places_of_[k] = {static_cast<std::int32_t>(k)};
      }
      return true;
    } else {
      Numbers numbers;
      enter(0, question_.root(), numbers);
      const std::vector<std::int32_t>& order = graph_.order();
      for (std::size_t k = order.size(); k-- > 0;)
        for (std::size_t p = 0; p < places_of_[index(order[k])].size(); ++p) {
          if (limits.stop(1)) return false;
          enter_children(places_of_[index(order[k])][p], numbers);
          if (too_large(0, limits)) return false;
        }
      return true;
    }
  }

  std::int32_t enter(std::int32_t node, State state, Numbers& numbers) {
    Key key = question_.key(state);
    key += random_key(0x7072u ^ (static_cast<std::uint64_t>(node) << 20));
    const auto next = static_cast<std::int32_t>(places_.size());
    const auto [it, fresh] = numbers.try_emplace(key, next);
    if (fresh) {
      place_bytes_ += sizeof(Place) + question_.bytes(state) + sizeof(Key) + 32;
      places_.push_back({node, std::move(state)});
      places_of_[index(node)].push_back(next);
    }
    return it->second;
  }

  // The graph stores the children of a node next to each other, but not in the order of its edges.
  std::size_t first_child(const Node& node) const {
    std::size_t first = static_cast<std::size_t>(-1);
    for (const Edge& edge : graph_.edges(node)) first = std::min(first, edge.first_child);
    return first;
  }

  void enter_children(std::int32_t place, Numbers& numbers) {
    const std::int32_t node = places_[index(place)].node;
    const std::size_t begin = children_.size();
    const Spot here = spot(node);
    const std::size_t first = first_child(here.node);
    std::size_t n = 0;
    for (const Edge& edge : graph_.edges(here.node)) n += index(edge.n_children);
    children_.resize(begin + n, -1);
    place_bytes_ += n * sizeof(std::int32_t);
    for (const Edge& edge : graph_.edges(here.node)) {
      if (!filter_.allowed(node, edge.test)) continue;
      const auto nodes = graph_.children(edge);
      const auto outcomes = graph_.outcomes(edge);
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        State state = question_.below(places_[index(place)].state, here, edge.test, outcomes[k]);
        children_[begin + edge.first_child - first + k] =
            enter(nodes[k], std::move(state), numbers);
      }
    }
    // Add this to an index into the graph's children to obtain the index into `children_`.
    places_[index(place)].shift = begin - first;
  }

  // The children of a place for one of its edges, as places.
  std::span<const std::int32_t> children(const Place& place, const Edge& edge) const {
    if constexpr (Question::kPlain) return graph_.children(edge);
    else
      return {children_.data() + (edge.first_child + place.shift),
              static_cast<std::size_t>(edge.n_children)};
  }

  Point stump_point(const Place& place, const Stump& stump) const {
    const Spot here = spot(place.node);
    Point point{stump.cost, filter_.marks(stump.test),
                question_.of_split(place.state, here, stump.test), false};
    Bits part;
    for (const std::int32_t outcome : graph_.outcomes_on(here.node, stump.test)) {
      graph_.rows().part(here.bits, stump.test, outcome, part);
      const std::int32_t label = graph_.leaves().leaf(part).label;
      point.value =
          point.value +
          question_.of_leaf(question_.below(place.state, here, stump.test, outcome), part, label);
    }
    return point;
  }

  Front of_place(std::int32_t number, Limits& limits) const {
    constexpr std::uint32_t kMicrosecondsForStumps = 20;
    const Place& place = places_[index(number)];
    const Spot here = spot(place.node);
    const Node& node = here.node;
    Front out;
    if (graph_.may_end(place.node) && node.leaf.cost <= node.budget)
      out.push_back(
          {node.leaf.cost, {}, question_.of_leaf(place.state, here.bits, node.leaf.label), true});
    if (graph_.is_last(node)) {
      for (const Stump& stump : stumps(place.node)) out.push_back(stump_point(place, stump));
      limits.stop(kMicrosecondsForStumps);
    }
    for (const Edge& edge : graph_.edges(node)) {
      if (!filter_.allowed(place.node, edge.test)) continue;
      const Front all = std::move(prefixes(place, edge, limits).back());
      if (limits.reason() != StopReason::none) return out;
      for_each_split(place, edge, all, [&](const Point& split, const Point&) {
        if (filter_.fits(split.marks)) out.push_back(split);
        return false;
      });
    }
    tidy(out);
    return out;
  }

  // Visits the trees that a split makes of combinations of trees of its children, until `visit`
  // returns true.
  template <class Visit>
  void for_each_split(const Place& place, const Edge& edge, const Front& all,
                      const Visit& visit) const {
    const bool useless = alike(edge);
    const Value more = question_.of_split(place.state, spot(place.node), edge.test);
    const Cost price = graph_.price(edge);
    const Marks marks = filter_.marks(edge.test);
    for (const Point& p : all) {
      if (useless && p.leaf) continue;
      if (visit(Point{p.cost + price, p.marks + marks, p.value + more, false}, p)) return;
    }
  }

  // Combinations of the first k children, for each k; `leaf` means that all of them are leaves.
  std::vector<Front> prefixes(const Place& place, const Edge& edge, Limits& limits) const {
    const Cost most = graph_.nodes()[index(place.node)].budget - graph_.price(edge);
    const auto below = children(place, edge);
    std::vector<Front> out{fronts_[index(below[0])]};
    for (std::size_t k = 1; k < below.size(); ++k)
      out.push_back(combine(out.back(), fronts_[index(below[k])], most, limits));
    return out;
  }

  TreeDraft draft(std::int32_t number, const Point& wanted) const {
    const Place& place = places_[index(number)];
    const Node& node = graph_.nodes()[index(place.node)];
    if (wanted.leaf) return {};
    if (graph_.is_last(node))
      for (const Stump& stump : stumps(place.node)) {
        if (stump.cost != wanted.cost || stump_point(place, stump) != wanted) continue;
        TreeDraft out{stump.test, graph_.outcomes_on(node, stump.test), {}};
        out.children.resize(out.outcomes.size());
        return out;
      }
    for (const Edge& edge : graph_.edges(node)) {
      if (!filter_.allowed(place.node, edge.test)) continue;
      Limits no_limits;
      const std::vector<Front> prefix = prefixes(place, edge, no_limits);
      std::optional<Point> found;
      for_each_split(place, edge, prefix.back(), [&](const Point& split, const Point& parts) {
        if (split == wanted) found = parts;
        return found.has_value();
      });
      if (found) return draft_split(place, edge, prefix, *found);
    }
    throw std::logic_error("a tree that was found is not there");
  }

  TreeDraft draft_split(const Place& place, const Edge& edge, const std::vector<Front>& prefix,
                        Point wanted) const {
    const auto below = children(place, edge);
    const auto outcomes = graph_.outcomes(edge);
    TreeDraft out{edge.test, {outcomes.begin(), outcomes.end()}, {}};
    out.children.resize(below.size());
    const auto parted = [&](std::size_t k) -> std::pair<Point, Point> {
      for (const Point& x : prefix[k - 1])
        for (const Point& y : fronts_[index(below[k])])
          if (joint(x, y) == wanted) return {x, y};
      throw std::logic_error("a combination that was found is not there");
    };
    for (std::size_t k = below.size() - 1; k > 0; --k) {
      const auto [before, own] = parted(k);
      out.children[k] = draft(below[k], own);
      wanted = before;
    }
    out.children[0] = draft(below[0], wanted);
    return out;
  }

  const Graph& graph_;
  const FilteredTests filter_;
  const Question question_;
  std::vector<Place> places_;                         // places_[0] is the whole table
  std::vector<std::vector<std::int32_t>> places_of_;  // the places of each node
  std::vector<std::int32_t> children_;                // the places of children
  std::vector<Front> fronts_;                         // one for each place
  std::uint64_t n_points_ = 0;
  std::uint64_t place_bytes_ = 0;
};

}  // namespace treeproof::near
