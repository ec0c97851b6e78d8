// BRANCHES, after Chaouki, Read and Bifet ("BRANCHES: Efficiently Seeking Optimal Sparse
// Decision Trees via AO*"; chapter 4 of Chaouki's thesis "Optimal Decision Trees via
// Search", 2024).
//
// A branch is a set of literals. Each branch has a lower bound on the cost of its best
// subtree and a heap of its splits, least bound first. An iteration walks from the root
// along the best split of each branch, in it to the child whose best known subtree is of
// least value, until it meets a branch that was never expanded; expands it; and carries
// the new bounds back along that path only. The search ends when the root is complete,
// that is, when its bound is the cost of a tree.
//
// This follows the published program: the papers maximise accuracy - penalty * splits,
// here costs are minimised, in exact integers; a value V of the papers is weight - cost.
// Splits that leave all rows in one child are dropped, as no optimal tree needs them.
//
// Table 4.3 was made with two programs, and its iteration numbers tell them apart. The
// one for binary features expands both children of the last split in one iteration, and
// while backpropagating refreshes whatever action comes to the top (the text of Section
// 4.5.2); the one for categories does neither (the pseudo-code of Section 4.12). Here the
// first is followed where all tests are two-way, the second otherwise.
#include "search/branches/search.hpp"

#include <algorithm>
#include <utility>

namespace treeproof::branches {
namespace {

// Heap order: least bound first; among equals the largest value of complete children, so
// that a complete split, which settles its branch, comes before all others; then the
// first test.
struct Worse {
  const Graph& graph;

  bool operator()(const Action& a, const Action& b) const {
    if (a.lower != b.lower) return a.lower > b.lower;
    if (a.complete_value != b.complete_value) return a.complete_value < b.complete_value;
    return graph.test_of(a) > graph.test_of(b);
  }
};

// Replaces the top of a heap and restores its order.
void sift_down(Action* heap, std::size_t n, const Action& action, const Worse& worse) {
  std::size_t hole = 0;
  for (std::size_t child = 1; child < n; child = 2 * hole + 1) {
    if (child + 1 < n && worse(heap[child], heap[child + 1])) ++child;
    if (!worse(action, heap[child])) break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = action;
}

std::int32_t whole_units(Cost value) { return static_cast<std::int32_t>(value >> kCostBits); }

}  // namespace

Search::Search(Splitter& splitter, Limits& limits, Counters& counters)
    : splitter_(splitter), limits_(limits), split_cost_(splitter.split_cost()),
      all_two_way_(std::ranges::all_of(splitter.problem().tests,
                                       [](const Test& test) { return test.n_outcomes == 2; })),
      graph_(splitter.bits().n_literals()), counters_(counters) {
  load_rows(0);
  const Evaluation value = splitter.evaluate(whole_, 0);
  counters_.evaluations = 1;
  counters_.purified = value.purified ? 1 : 0;
  graph_.append(fresh_node(value));
}

Node Search::fresh_node(const Evaluation& value) {
  Node node;
  node.lower = value.lower;
  node.upper = node.leaf = value.leaf;
  node.weight = value.weight;
  node.complete = value.complete;
  return node;
}

void Search::iterate() {
  ++counters_.iterations;
  const BranchId chosen = select();
  if (!graph_[chosen].complete) expand(chosen);
  if (all_two_way_ && path_.size() > 1) expand_sibling(path_[path_.size() - 2]);
  backpropagate();
  counters_.longest_path =
      std::max(counters_.longest_path, static_cast<std::int64_t>(path_.size()));
}

BranchId Search::select() {
  path_.clear();
  BranchId id = 0;
  path_.push_back(id);
  while (graph_[id].expanded && !graph_[id].complete) {
    if (!graph_[id].heap[0].open()) open_top(id);
    const OpenAction& action = graph_.open_action(graph_[id].heap[0].record());
    // The child whose best known subtree has the lowest value, among those not complete; if all
    // have been completed along other paths, backpropagation will notice.
    BranchId worst = action.incomplete[0];
    Cost least = kInfiniteCost;
    for (std::int32_t c = 0; c < action.n_incomplete; ++c) {
      const Node& child = graph_[action.incomplete[c]];
      const Cost value = cost_of(child.weight) - child.upper;
      if (!child.complete && value < least) {
        least = value;
        worst = action.incomplete[c];
      }
    }
    id = worst;
    path_.push_back(id);
  }
  return id;
}

void Search::load_rows(BranchId id) {
  if (id == loaded_) return;
  loaded_ = id;
  const BranchIndex& index = graph_.index();
  splitter_.bits().intersect(index.literals(id), rows_);
  splitter_.bits().count(rows_, whole_);
  hash_ = index.hash(id);
}

// Appends the outcomes of a test on the loaded rows to `children_`; false if the test does not
// split them.
bool Search::split(BranchId id, std::int32_t test) {
  const std::size_t before = children_.size();
  if (!splitter_.split(rows_, whole_, test, graph_.index().depth(id), children_)) return false;
  for (std::size_t c = before; c < children_.size(); ++c)
    if (!children_[c].value.complete)
      graph_.index().prefetch(child_hash(test, children_[c].outcome));
  return true;
}

// Fills `candidates_` with the tests that split the loaded rows. Returns false if a limit was
// reached meanwhile, since with very many tests one expansion takes long.
bool Search::split_by_all(BranchId id) {
  children_.clear();
  candidates_.clear();
  std::uint64_t words = 0;
  for (std::int32_t t = 0; t < splitter_.n_tests(); ++t) {
    words += rows_.index.size() + 20;  // a thousand take about a microsecond
    if (words > 100'000) {
      if (limits_.stop(static_cast<std::uint32_t>(words / 1000))) return false;
      words = 0;
    }
    if (split(id, t)) candidates_.push_back({t, children_.size()});
  }
  return !limits_.stop(static_cast<std::uint32_t>(words / 1000));
}

// Looks up the children of a test in the graph.
void Search::recall(BranchId id, std::int32_t test, std::span<Child> children) {
  for (Child& child : children) {
    if (child.value.complete) continue;
    child.node = graph_.index().find(child_hash(test, child.outcome), id,
                                     splitter_.bits().literal(test, child.outcome));
    if (child.node != kNoBranch) ++counters_.memo_hits;
  }
}

void Search::expand(BranchId id) {
  load_rows(id);
  // All tests are counted before the first look-up, so that the slots of the index are prefetched
  // meanwhile.
  if (!split_by_all(id)) return;
  ++counters_.expansions;
  Node& node = graph_[id];
  actions_.clear();
  std::size_t first = 0;
  for (const Candidate& candidate : candidates_) {
    const std::span<Child> children(children_.data() + first, candidate.end - first);
    first = candidate.end;
    recall(id, candidate.test, children);
    Cost lower = split_cost_;
    Cost greedy = split_cost_;
    Cost complete_value = 0;
    bool all_complete = true;
    counters_.evaluations += static_cast<std::int64_t>(children.size());
    for (const Child& child : children) {
      if (child.value.purified) ++counters_.purified;
      const Node* const known = child.node == kNoBranch ? nullptr : &graph_[child.node];
      const Cost bound = known ? known->lower : child.value.lower;
      lower += bound;
      greedy += known ? known->upper : child.value.leaf;
      if (known ? known->complete : child.value.complete) {
        complete_value += cost_of(child.value.weight) - bound;
      } else {
        all_complete = false;
      }
    }
    if (greedy < node.upper) {
      node.upper = greedy;
      node.greedy_test = candidate.test;
    }
    // A split that cannot be cheaper than the leaf never matters: once it were on top,
    // the branch would be complete as a leaf.
    if (lower >= node.leaf) continue;
    actions_.push_back({lower, all_complete ? kAllComplete : whole_units(complete_value),
                        static_cast<std::uint32_t>(candidate.test)});
  }
  std::ranges::make_heap(actions_, Worse{graph_});
  node.heap = graph_.allocate_heap(actions_.size());
  node.n_actions = node.n_allocated = static_cast<std::uint32_t>(actions_.size());
  std::ranges::copy(actions_, node.heap);
  node.expanded = true;
  settle(id);
}

// Gives the best action of a branch a record of its children, each with its node.
void Search::open_top(BranchId id) {
  Action top = graph_[id].heap[0];
  const auto test = static_cast<std::int32_t>(top.where);
  load_rows(id);
  children_.clear();
  split(id, test);
  recall(id, test, children_);
  const auto incomplete =
      std::ranges::count_if(children_, [](const Child& child) { return !child.value.complete; });
  const std::uint32_t number = graph_.open(test, static_cast<std::int32_t>(incomplete));
  for (Child& child : children_) {
    if (child.value.complete) {
      graph_.open_action(number).complete_cost += child.value.leaf;
      graph_.open_action(number).complete_weight += child.value.weight;
      continue;
    }
    if (child.node == kNoBranch) {
      child.node = graph_.index().insert(child_hash(test, child.outcome), id,
                                         splitter_.bits().literal(test, child.outcome));
      graph_.append(fresh_node(child.value));
    }
    OpenAction& record = graph_.open_action(number);
    record.incomplete[record.n_incomplete++] = child.node;
  }
  top.where = Action::kOpen | number;
  graph_[id].heap[0] = top;
}

// The other child of the last split is expanded along with the chosen one.
void Search::expand_sibling(BranchId parent) {
  const Node& node = graph_[parent];
  const OpenAction& action = graph_.open_action(node.heap[0].record());
  for (std::int32_t c = 0; c < action.n_incomplete; ++c) {
    const BranchId child = action.incomplete[c];
    if (!graph_[child].expanded && !graph_[child].complete) expand(child);
  }
}

void Search::backpropagate() {
  for (std::size_t p = path_.size() - 1; p-- > 0;) {
    const BranchId id = path_[p];
    refreshed_.assign(1, graph_[id].heap[0].where);
    refresh_top(id);
    // Whatever comes to the top in its place may have been improved along other paths.
    while (all_two_way_ && is_stale(id)) {
      refreshed_.push_back(graph_[id].heap[0].where);
      refresh_top(id);
    }
    settle(id);
  }
}

// Whether the action on top of the heap was not refreshed by this backpropagation.
bool Search::is_stale(BranchId id) {
  if (!graph_[id].heap[0].open()) open_top(id);
  return std::ranges::find(refreshed_, graph_[id].heap[0].where) == refreshed_.end();
}

// Brings the best action of a branch up to date with its children, and the branch's best
// known subtree with the action.
void Search::refresh_top(BranchId id) {
  ++counters_.refreshes;
  Node& node = graph_[id];
  Action action = node.heap[0];
  OpenAction& record = graph_.open_action(action.record());
  Cost incomplete_lower = 0;
  Cost incomplete_upper = 0;
  std::int32_t kept = 0;
  for (std::int32_t c = 0; c < record.n_incomplete; ++c) {
    const Node& child = graph_[record.incomplete[c]];
    if (child.complete) {
      record.complete_cost += child.lower;
      record.complete_weight += child.weight;
    } else {
      incomplete_lower += child.lower;
      incomplete_upper += child.upper;
      record.incomplete[kept++] = record.incomplete[c];
    }
  }
  record.n_incomplete = kept;
  action.lower = split_cost_ + record.complete_cost + incomplete_lower;
  action.complete_value = kept == 0
                              ? kAllComplete
                              : whole_units(cost_of(record.complete_weight) - record.complete_cost);
  const Cost greedy = split_cost_ + record.complete_cost + incomplete_upper;
  if (greedy < node.upper) {
    node.upper = greedy;
    node.greedy_test = record.test;
  }
  sift_down(node.heap, node.n_actions, action, Worse{graph_});
}

// The bound of a branch from the top of its heap. It is complete when a leaf is as good as
// the best split can be, or when all children of the best split are complete: then its
// bound is the cost of a subtree, and no other split can be cheaper.
void Search::settle(BranchId id) {
  Node& node = graph_[id];
  const Cost best_split = node.n_actions > 0 ? node.heap[0].lower : kInfiniteCost;
  node.lower = std::min(node.leaf, best_split);
  if (best_split >= node.leaf || node.heap[0].complete_value == kAllComplete) {
    node.complete = true;
    graph_.release_heap(node);
  }
}

// Follows the greedy tests; a branch that is not in the graph is a leaf.
TreeDraft Search::draft(BranchId id) {
  TreeDraft tree;
  if (id == kNoBranch || graph_[id].greedy_test < 0) return tree;
  tree.test = graph_[id].greedy_test;
  load_rows(id);
  children_.clear();
  split(id, tree.test);
  recall(id, tree.test, children_);
  const std::vector<Child> children = children_;
  for (const Child& child : children) {
    tree.outcomes.push_back(child.outcome);
    tree.children.push_back(draft(child.node));
  }
  return tree;
}

}  // namespace treeproof::branches
