#include "search/near/graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/index.hpp"

namespace treeproof::near {
namespace {

std::vector<std::int32_t> all_tests(const FeatureTests& tests) {
  std::vector<std::int32_t> out(index(tests.n));
  std::iota(out.begin(), out.end(), tests.first);
  return out;
}

}  // namespace

Graph::Graph(const Problem& problem, std::vector<std::int32_t> columns, const GraphLimits& limits)
    : problem_(problem), columns_(std::move(columns)), limits_(limits), rows_(problem),
      tests_of_(tests_by_column(problem, columns_)),
      stumps_(problem, rows_, tests_of_, limits.price, limits.min_samples_leaf) {}

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
    // A tree is a leaf or pays for at least one split.
    it->second.lower = depth_left == 0 ? leaf : std::min(leaf, limits_.price.two_way);
    it->second.exact = it->second.lower == leaf;
  }
  return it->second;
}

// Raises the lower bound of a child where it does not settle the matter. The best split into
// leaves is found here; deeper trees are left to the exact search.
void Graph::refine(const LowerBound& bound, Child& child, int depth_left, Cost enough) {
  Known& known = *child.known;
  if (known.lower > enough || known.exact) return;
  const Cost found = depth_left == 1 ? stumps_.best(child.bits)
                                     : bound(rows_.rows(child.bits), depth_left, enough);
  known.lower = std::max(known.lower, std::min(found, known.leaf.cost));
  // The exact search returns the optimum, or a bound that is more than enough.
  known.exact = depth_left == 1 || found <= enough || known.lower == known.leaf.cost;
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

// Fills parts_ with the children of a test; false if the test does not divide this node.
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
  if (n_parts_ < 2) return false;
  for (std::size_t k = 0; k < n_parts_; ++k) {
    Child& child = parts_[k];
    child.known = &look_up(child.key, child.bits, below);
    if (child.known->leaf.samples < limits_.min_samples_leaf) return false;
  }
  return true;
}

// Tests of one column that divide the rows of the node into the same groups count as one test.
bool Graph::seen_before() {
  if (!seen_) return false;
  std::vector<Key> groups;
  for (std::size_t k = 0; k < n_parts_; ++k) groups.push_back(parts_[k].key);
  return !seen_->insert(groups);
}

Graph::Sides Graph::try_test(const LowerBound& bound, std::int32_t number, std::int32_t test) {
  const Node node = nodes_[index(number)];
  if (!make_children(node, test)) return {};
  const int below = levels_below(node);
  Cost total = limits_.price(static_cast<std::int64_t>(n_parts_));
  for (std::size_t k = 0; k < n_parts_; ++k) total += parts_[k].known->lower;
  for (std::size_t k = 0; k < n_parts_ && total <= node.budget; ++k) {
    const Cost before_refining = parts_[k].known->lower;
    refine(bound, parts_[k], below, node.budget - (total - before_refining));
    total += parts_[k].known->lower - before_refining;
  }
  const Sides sides{parts_[0].known->lower, parts_[n_parts_ - 1].known->lower};
  // Every tree that starts with this test costs at least `total`.
  if (total > node.budget || seen_before()) return sides;
  edges_.push_back({test, children_.size(), static_cast<std::int32_t>(n_parts_)});
  for (std::size_t k = 0; k < n_parts_; ++k) {
    const Cost spare = node.budget - (total - parts_[k].known->lower);
    children_.push_back(enter(parts_[k], below, spare));
    outcomes_.push_back(parts_[k].outcome);
  }
  return sides;
}

std::vector<std::int32_t> Graph::outcomes_on(const Node& node, std::int32_t test) const {
  std::vector<std::int32_t> out;
  Bits part;
  for (std::int32_t v = 0; v < problem_.tests[index(test)].n_outcomes; ++v) {
    rows_.part(bits(node), test, v, part);
    if (std::ranges::any_of(part, [](std::uint64_t w) { return w != 0; })) out.push_back(v);
  }
  return out;
}

// The thresholds of a feature that part the node's rows, one for each way to part them.
std::vector<std::int32_t> Graph::distinct_cuts(const FeatureTests& tests) const {
  const std::size_t n_values = index(tests.n) + 1;
  std::vector<std::uint8_t> occurs(n_values, 0);
  for (const std::int32_t r : rows_.rows(here_)) occurs[index(problem_.code(tests.feature, r))] = 1;
  std::vector<std::int32_t> out;
  for (std::size_t code = 0; code < n_values; ++code)
    if (occurs[code] != 0) out.push_back(tests.first + static_cast<std::int32_t>(code));
  if (!out.empty()) out.pop_back();  // nothing lies above the highest value
  return out;
}

// `left` bounds the left child of the test before these, `right` the right child of the one after.
void Graph::bisect(const LowerBound& bound, std::int32_t number,
                   std::span<const std::int32_t> tests, Cost left, Cost right, Limits& limits) {
  constexpr std::uint32_t kMicroseconds = 20;  // for a test
  if (tests.empty() || limits.stop(kMicroseconds)) return;
  if (limits_.price.two_way + left + right > nodes_[index(number)].budget) {
    n_skipped_ += static_cast<std::int64_t>(tests.size());
    return;
  }
  const std::size_t middle = tests.size() / 2;
  const Sides sides = try_test(bound, number, tests[middle]);
  bisect(bound, number, tests.first(middle), left, sides.last, limits);
  bisect(bound, number, tests.subspan(middle + 1), sides.first, right, limits);
}

void Graph::try_column(const LowerBound& bound, std::int32_t number, const ColumnTests& column,
                       Limits& limits) {
  seen_.reset();
  if (!column.distinct()) seen_.emplace();
  for (const FeatureTests& feature : column.features) {
    const auto tests = feature.ordered ? distinct_cuts(feature) : all_tests(feature);
    if (feature.ordered && limits_.min_samples_leaf == 1) {
      bisect(bound, number, tests, 0, 0, limits);
      continue;
    }
    for (const std::int32_t t : tests)
      if (!limits.stop(1)) try_test(bound, number, t);
  }
}

void Graph::expand(const LowerBound& bound, std::int32_t number, Limits& limits) {
  const std::size_t first = edges_.size();
  const Node node = nodes_[index(number)];
  if (node.depth_left > 0 && !is_last(node) && node.budget >= limits_.price.two_way) {
    const BitsView own = bits(node);
    here_.assign(own.begin(), own.end());
    for (const ColumnTests& column : tests_of_) try_column(bound, number, column, limits);
  }
  const auto edges = std::span(edges_).subspan(first);
  std::ranges::sort(edges, {}, &Edge::test);
  nodes_[index(number)].first_edge = first;
  nodes_[index(number)].n_edges = static_cast<std::int32_t>(edges.size());
}

}  // namespace treeproof::near
