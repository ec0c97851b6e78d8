// The state of one best-first solve: cuts with their bounds, intervals between them, and the
// queue of those that are still open.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "search/threshold/answer.hpp"
#include "search/threshold/best_first/known_boxes.hpp"
#include "search/threshold/price_bound.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/task.hpp"
#include "search/threshold/threads/gate.hpp"

namespace treeproof::threshold {

// A cut of a feature, and what is known of its two sides.
template <class Value>
struct CutPoint {
  std::uint32_t position;
  Value left;  // lower bounds on the optimal cost left and right of the cut
  Value right;
  std::vector<Value> left_features;   // the same for each feature of the first split of the child;
  std::vector<Value> right_features;  // empty if nothing is known
  bool left_exact = false;            // the bound is the optimal cost
  bool right_exact = false;
  bool solved = false;  // a search has looked at both sides, or one of them
};

// A feature that the first split may test, and how the splits that are left are divided between the
// two sides.
template <class Value>
struct RootFeature {
  std::int32_t feature;
  int left_splits;
  int right_splits;
  SplitWay way;                     // which child is a leaf of a given class
  std::vector<Value> cumulative;    // weight before each position; empty without unit step
  PriceSums priced;                 // of its list
  std::vector<std::size_t> points;  // its cuts so far; see `Search::new_point`
  std::size_t n_seeds = 0;
};

// A piece of open work: an interval of cuts. `a == b` means the single cut `a`, to be solved with
// the true minimum leaf size; for categorical features, `a` is the run of the category.
template <class Value>
struct Item {
  Value bound;
  std::size_t candidate;
  std::size_t a;
  std::size_t b;
  bool operator<(const Item& other) const { return bound > other.bound; }
};

template <class Value>
struct Level {
  RowSubset left, right;
  CutSide cut;  // the cut that made these rows, as its left side
  std::vector<RowSubset> parts;
  std::vector<Value> inherited_left, inherited_right, out_left, out_right;
  std::vector<KnownHalf<Value>> halves_in, halves_out;  // of the side that is being solved
};

// The state of one solve.
template <class Value>
struct Frame {
  Frame(const Task<Value>& of, std::size_t at, Answer<Value> start)
      : task(&of), level(at), depth(of.depth - 1), size(of.rows->size()), best(start.upper),
        answer(std::move(start)) {}

  const Task<Value>* task;
  std::size_t level;
  int depth;  // of the children
  std::uint32_t size;
  Value best;
  Answer<Value> answer;
  std::vector<RootFeature<Value>> candidates;
  std::deque<CutPoint<Value>> points;
  std::priority_queue<Item<Value>> queue;
  std::vector<Value> pieces;          // per feature: the least bound of its pieces of work
  std::vector<std::int32_t> doubled;  // features all of whose splits another feature has as well
  std::optional<KnownBoxes<Value>> boxes;     // boxes that earlier cuts have made of the sides
  std::vector<KnownHalf<Value>> found_parts;  // categories of multiway splits, for the caller

  std::optional<KeyedRows> around;  // the rows, if their parts are solved in two levels

  Gate* gate = nullptr;               // null: one thread
  std::vector<Item<Value>> running;   // pieces that threads are opening
  std::vector<Item<Value>> returned;  // returned by a thread that could not finish them
  bool better = false;                // the tree is better than the last one reported
  Record<Value>* record = nullptr;    // if not null, records what is settled about the sides

  void take_back() {
    for (; !returned.empty(); returned.pop_back()) queue.push(returned.back());
  }
};

}  // namespace treeproof::threshold
