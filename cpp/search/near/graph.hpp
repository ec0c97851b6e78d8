// All subproblems of trees within a budget: which sets of rows can occur in such a tree, which
// tests can be used there, and how much can be spent on each.
//
// A tree that costs at most the budget spends on a set S at most what is left if everything beside
// S costs as little as possible. Parents have more rows than their children, so the sets are
// processed in the order of decreasing size: when a set is processed, the largest budget that any
// of its parents gives it is known, and it is expanded once. What cannot be part of a tree within
// the budget is pruned by lower bounds from an exact search; weaker bounds would make the graph
// larger, but the counts would stay correct. This is the idea of TreeFARMS (Xin, Zhong, Chen,
// Takagi, Seltzer, Rudin: "Exploring the whole Rashomon set of sparse decision trees", NeurIPS
// 2022), with a budget for each set of rows instead of one for the whole problem.
//
// Thresholds of a column of numbers are tried by bisection. Let a < t < b be three of them, and
// let every leaf size be allowed. The left child of t holds that of a, its right child that of b.
// A tree on more rows, cut down to fewer, costs no more, so that every tree which splits at t
// costs at least the price of the split, a bound of a's left child and one of b's right child. If
// that is above the budget, no threshold between a and b has to be looked at. Where costs are
// weights of misclassified rows and no split has three children or more, there is a second bound:
// a tree for fewer rows, used for more, misclassifies at most the rows in between. So the right
// child of t costs at least that of a less the weight between a and t, and the left child at least
// that of b less the weight between t and b.
//
// What is known of sets of rows outlives a graph, so that the graph of a larger budget takes only
// as long as the sets that are new.
//
// If a limit stops the construction, some nodes stay open, which means that some of their splits
// may be missing. All trees that the graph contains are within the budget even then, but there may
// be others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/index.hpp"
#include "core/limits.hpp"
#include "search/near/big_count.hpp"
#include "search/near/leaves.hpp"
#include "search/near/row_bits.hpp"
#include "search/near/tests_of_columns.hpp"

namespace treeproof::near {

// A lower bound on the cost of every tree on these rows with this many levels left; it need not be
// computed beyond `enough`.
using LowerBound =
    std::function<Cost(const std::vector<std::int32_t>& rows, int depth_left, Cost enough)>;

struct GraphLimits {
  SplitPrice<Cost> price;
  int depth = 0;      // levels below the root
  int unlimited = 0;  // the value of `depth` that means any number of levels
  std::int64_t min_samples_leaf = 1;
  std::uint64_t max_bytes = 0;  // 0: no limit
  // Whether splits into leaves are edges as well, for callers that choose the labels of the leaves
  // themselves.
  bool expand_last = false;
  std::int32_t root_column = -1;  // the column that the root must test; -1: no such rule
  bool unit_step = false;         // whether the second bound for thresholds holds, see above
};

struct Edge {
  std::int32_t test;
  std::size_t first_child;  // in Graph::children
  std::int32_t n_children;
};

// A node with one level left has no edges: see `Graph::for_each_stump`.
struct Node {
  Leaf leaf;
  int depth_left;
  Cost budget;
  Cost lower;        // no tree on these rows costs less
  std::size_t bits;  // the position of its rows in `Graph::bits_`
  std::size_t first_edge = 0;
  std::int32_t n_edges = 0;
  bool open = true;  // some of its edges may be missing
};

// The bounds of sets of rows, whether they are part of a graph or not.
struct Known {
  Leaf leaf;
  Cost lower = 0;
  bool exact = false;      // `lower` is the optimum: nothing can raise it
  std::int32_t node = -1;  // of the graph that is being built
};
using Knowledge = std::unordered_map<Key, Known, KeyHash>;

class Graph {
 public:
  // `columns`: the column of the table that each feature of the problem stands for. Features of
  // one column follow each other.
  Graph(const Problem& problem, const RowBits& rows, std::vector<std::int32_t> columns,
        const Leaves& leaves, const GraphLimits& limits);

  // Finds all trees that cost at most the budget; to be called once. Returns false if a limit was
  // reached; some nodes are open then.
  bool build(Cost budget, Knowledge& knowledge, const LowerBound& bound, Limits& limits);

  const Problem& problem() const { return problem_; }
  std::int32_t n_columns() const { return columns_.empty() ? 0 : columns_.back() + 1; }
  std::int32_t column_of_feature(std::int32_t feature) const { return columns_[index(feature)]; }
  std::int32_t column(std::int32_t test) const {
    return column_of_feature(problem_.tests[index(test)].feature);
  }
  Cost price(const Edge& edge) const { return limits_.price(edge.n_children); }
  const std::vector<Node>& nodes() const { return nodes_; }  // nodes()[0] is the root
  std::span<const Edge> edges(const Node& node) const {
    return {edges_.data() + node.first_edge, static_cast<std::size_t>(node.n_edges)};
  }
  std::span<const std::int32_t> children(const Edge& edge) const {
    return {children_.data() + edge.first_child, static_cast<std::size_t>(edge.n_children)};
  }
  std::span<const std::int32_t> outcomes(const Edge& edge) const {
    return {outcomes_.data() + edge.first_child, static_cast<std::size_t>(edge.n_children)};
  }
  // Whether a node has one level left, so that it has no edges and its splits have leaves for
  // children.
  bool is_last(const Node& node) const { return node.depth_left == 1 && !limits_.expand_last; }
  void for_each_stump(const Node& node, const Leaves::Visit& visit) const {
    leaves_.for_each_stump(bits(node), visit);
  }
  // Whether a node may be a leaf, and whether it may be split by tests of a column.
  bool may_end(std::int32_t node) const { return node != 0 || limits_.root_column < 0; }
  bool may_test(std::int32_t node, std::int32_t column) const {
    return node != 0 || limits_.root_column < 0 || limits_.root_column == column;
  }
  bool complete() const { return complete_; }
  const RowBits& rows() const { return rows_; }
  const Leaves& leaves() const { return leaves_; }
  // An upper bound on the number of trees that a node with this many levels left can have; nothing
  // if there is none, or if it is too large. A leaf counts once for each label that it may have.
  std::optional<BigCount> most_trees(const Node& node, std::size_t n_labels = 1) const;
  BitsView bits(const Node& node) const { return {bits_.data() + node.bits, rows_.n_words()}; }
  // The outcomes that a test has on at least one row of a node.
  std::vector<std::int32_t> outcomes_on(const Node& node, std::int32_t test) const;
  // Nodes from the fewest rows to the most.
  const std::vector<std::int32_t>& order() const { return order_; }
  std::uint64_t bytes() const;
  std::uint64_t max_bytes() const { return limits_.max_bytes; }
  std::int64_t n_edges() const { return static_cast<std::int64_t>(edges_.size()); }
  // The number of tests that were ruled out by bounds of the thresholds on both sides of them.
  std::int64_t n_skipped() const { return n_skipped_; }
  // The number of subproblems that were given to the exact search.
  std::int64_t n_bounded() const { return n_bounded_; }

 private:
  struct Child {
    Bits bits;
    Key key;
    std::int32_t outcome = 0;
    Known* known = nullptr;
  };

  Known& look_up(const Key& key, BitsView bits, int depth_left);
  static void raise(Known& known, Cost lower);
  void refine(const LowerBound& bound, Child& child, int depth_left, Cost enough);
  int levels_below(const Node& node) const {
    return node.depth_left >= limits_.unlimited ? node.depth_left : node.depth_left - 1;
  }
  bool make_children(const Node& node, std::int32_t test);
  bool seen_before();
  // Lower bounds for the first and the last child of a test.
  struct Sides {
    Cost first = 0;
    Cost last = 0;
  };
  // `least`: bounds for these children that are known from other thresholds.
  Sides try_test(const LowerBound& bound, std::int32_t node, std::int32_t test, const Sides& least);
  // A threshold, and the cost of misclassifying all rows below it.
  struct Cut {
    std::int32_t test;
    Cost below;
  };
  // A threshold that has been bounded, next to others that have not.
  struct Beside {
    Sides sides;
    Cost below = 0;
  };
  std::vector<Cut> distinct_cuts(const FeatureTests& tests) const;
  void try_column(const LowerBound& bound, std::int32_t node, const ColumnTests& column,
                  Limits& limits);
  void bisect(const LowerBound& bound, std::int32_t node, std::span<const Cut> cuts,
              const Beside& before, const Beside& after, Limits& limits);
  bool ruled_out(const Node& node, const Cut& cut, const Beside& before, const Beside& after) const;
  std::int32_t enter(const Child& child, int depth_left, Cost budget);
  void expand(const LowerBound& bound, std::int32_t node, Limits& limits);

  const Problem& problem_;
  std::vector<std::int32_t> columns_;
  GraphLimits limits_;
  const RowBits& rows_;
  std::vector<ColumnTests> tests_of_;  // per column of the table
  const Leaves& leaves_;
  bool complete_ = false;
  Knowledge* known_ = nullptr;  // while the graph is built
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> children_;              // numbers of nodes
  std::vector<std::int32_t> outcomes_;              // one outcome for each child
  std::vector<std::uint64_t> bits_;                 // the rows of all nodes
  std::vector<std::vector<std::int32_t>> waiting_;  // nodes to be expanded, by their number of rows
  std::vector<std::int32_t> order_;
  std::int64_t n_skipped_ = 0;
  std::int64_t n_bounded_ = 0;
  // Exact searches continue until the bound exceeds what is needed by this amount, because a graph
  // with a larger budget may be built later.
  Cost spare_ = 0;

  // Scratch memory: the rows of the node being expanded, the children of the test being tried, and
  // the ways in which earlier tests of its column divide the rows. `seen_` is empty if all tests of
  // the column are known to divide the rows in different ways.
  Bits here_;
  std::vector<Child> parts_;
  std::size_t n_parts_ = 0;
  std::optional<SeenPartitions> seen_;
};

}  // namespace treeproof::near
