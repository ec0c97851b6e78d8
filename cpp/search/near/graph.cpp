#include "search/near/graph.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"

namespace treeproof::near {

Graph::Graph(const Problem& problem, std::vector<std::int32_t> columns, const GraphLimits& limits)
    : problem_(problem), columns_(std::move(columns)), limits_(limits), rows_(problem) {}

bool Graph::build(const LowerBound& bound, Limits& limits) {
  waiting_.assign(index(problem_.n_rows()) + 1, {});
  Child root;
  root.bits = rows_.all();
  root.key = rows_.key(root.bits);
  root.known = &look_up(root.key, root.bits, limits_.depth);
  enter(root, limits_.depth, limits_.budget);
  for (std::size_t size = waiting_.size(); size-- > 0;) {
    for (std::size_t k = 0; k < waiting_[size].size(); ++k) {
      if (limits.stop(1)) return false;
      if (limits_.max_bytes > 0 && bytes() > limits_.max_bytes) {
        limits.memory_exhausted();
        return false;
      }
      expand(bound, waiting_[size][k], limits);
    }
    order_.insert(order_.end(), waiting_[size].begin(), waiting_[size].end());
  }
  std::ranges::reverse(order_);
  return limits.reason() == StopReason::none;
}

std::uint64_t Graph::bytes() const {
  constexpr std::size_t kHashNode = sizeof(Key) + sizeof(Known) + 3 * sizeof(void*);
  return bits_.size() * sizeof(std::uint64_t) + nodes_.size() * sizeof(Node) +
         edges_.size() * sizeof(Edge) + 2 * children_.size() * sizeof(std::int32_t) +
         known_.size() * kHashNode;
}

Graph::Known& Graph::look_up(const Key& key, BitsView bits, int depth_left) {
  Key full = key;
  full += random_key(~static_cast<std::uint64_t>(depth_left));
  const auto [it, fresh] = known_.try_emplace(full);
  if (fresh) {
    it->second.leaf = rows_.leaf(bits);
    const Cost leaf = it->second.leaf.cost;
    // A tree is a leaf or pays for a split.
    it->second.lower = depth_left == 0 ? leaf : std::min(leaf, limits_.price.two_way);
  }
  return it->second;
}

// Asks the exact search, where the bound at hand does not settle the matter.
void Graph::refine(const LowerBound& bound, Child& child, int depth_left, Cost enough) {
  Known& known = *child.known;
  if (known.lower > enough || known.lower >= known.leaf.cost) return;
  const Cost found = bound(rows_.rows(child.bits), depth_left, enough);
  known.lower = std::max(known.lower, std::min(found, known.leaf.cost));
}

std::int32_t Graph::enter(const Child& child, int depth_left, Cost budget) {
  Known& known = *child.known;
  if (known.node < 0) {
    known.node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({known.leaf, depth_left, budget, bits_.size()});
    bits_.insert(bits_.end(), child.bits.begin(), child.bits.end());
    waiting_[index(known.leaf.n_rows)].push_back(known.node);
  }
  Node& node = nodes_[index(known.node)];
  node.budget = std::max(node.budget, budget);
  return known.node;
}

// Fills parts_ with the children of a test; false if it is none for this node.
bool Graph::make_children(const Node& node, std::int32_t test) {
  const Test& t = problem_.tests[index(test)];
  const int below = levels_below(node);
  n_parts_ = 0;
  for (std::int32_t outcome = 0; outcome < t.n_outcomes; ++outcome) {
    if (parts_.size() == n_parts_) parts_.emplace_back();
    Child& child = parts_[n_parts_];
    rows_.part(here_, test, outcome, child.bits);
    if (std::ranges::all_of(child.bits, [](std::uint64_t w) { return w == 0; })) continue;
    child.key = rows_.key(child.bits);
    child.outcome = outcome;
    ++n_parts_;
  }
  if (n_parts_ < 2 || seen_before(column(test))) return false;
  for (std::size_t k = 0; k < n_parts_; ++k) {
    Child& child = parts_[k];
    child.known = &look_up(child.key, child.bits, below);
    if (child.known->leaf.samples < limits_.min_samples_leaf) return false;
  }
  return true;
}

// Tests of one column that part the node's rows into the same groups are one test.
bool Graph::seen_before(std::int32_t column) {
  if (column != column_) seen_.clear();
  column_ = column;
  std::vector<Key> groups;
  for (std::size_t k = 0; k < n_parts_; ++k) groups.push_back(parts_[k].key);
  std::ranges::sort(groups);
  if (std::ranges::find(seen_, groups) != seen_.end()) return true;
  seen_.push_back(std::move(groups));
  return false;
}

void Graph::try_test(const LowerBound& bound, std::int32_t number, std::int32_t test) {
  const Node node = nodes_[index(number)];
  if (!make_children(node, test)) return;
  const int below = levels_below(node);
  Cost total = limits_.price(static_cast<std::int64_t>(n_parts_));
  for (std::size_t k = 0; k < n_parts_; ++k) total += parts_[k].known->lower;
  for (std::size_t k = 0; k < n_parts_ && total <= node.budget; ++k) {
    const Cost before_refining = parts_[k].known->lower;
    refine(bound, parts_[k], below, node.budget - (total - before_refining));
    total += parts_[k].known->lower - before_refining;
  }
  // Every tree that starts with this test costs at least `total`.
  if (total > node.budget) return;
  edges_.push_back({test, children_.size(), static_cast<std::int32_t>(n_parts_)});
  for (std::size_t k = 0; k < n_parts_; ++k) {
    const Cost spare = node.budget - (total - parts_[k].known->lower);
    children_.push_back(enter(parts_[k], below, spare));
    outcomes_.push_back(parts_[k].outcome);
  }
}

void Graph::expand(const LowerBound& bound, std::int32_t number, Limits& limits) {
  const std::size_t first = edges_.size();
  const Node& node = nodes_[index(number)];
  if (node.depth_left > 0 && node.budget >= limits_.price.two_way) {
    here_.assign(bits_.begin() + static_cast<std::ptrdiff_t>(node.bits),
                 bits_.begin() + static_cast<std::ptrdiff_t>(node.bits + rows_.n_words()));
    column_ = -1;
    for (std::size_t t = 0; t < problem_.tests.size() && !limits.stop(1); ++t)
      try_test(bound, number, static_cast<std::int32_t>(t));
  }
  nodes_[index(number)].first_edge = first;
  nodes_[index(number)].n_edges = static_cast<std::int32_t>(edges_.size() - first);
}

}  // namespace treeproof::near
