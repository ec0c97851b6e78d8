#include "search/near/graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/index.hpp"

namespace treeproof::near {
Graph::Graph(const Problem& problem, const RowBits& rows, std::vector<std::int32_t> columns,
             const Leaves& leaves, const GraphLimits& limits)
    : problem_(problem), columns_(std::move(columns)), limits_(limits), rows_(rows),
      tests_of_(tests_by_column(problem, columns_)), leaves_(leaves) {}

bool Graph::build(Cost budget, Knowledge& knowledge, const LowerBound& bound, Limits& limits) {
  known_ = &knowledge;
  spare_ = limits_.price.two_way / 2;
  for (auto& [key, known] : knowledge) known.node = -1;
  waiting_.assign(index(problem_.n_rows()) + 1, {});
  Child root;
  root.bits = rows_.all();
  root.key = rows_.key(root.bits);
  root.known = &look_up(root.key, root.bits, limits_.depth);
  enter(root, limits_.depth, budget);
  for (std::size_t size = waiting_.size(); size-- > 0;) {
    for (std::size_t k = 0; k < waiting_[size].size(); ++k) {
      if (limits_.max_bytes > 0 && bytes() > limits_.max_bytes) limits.memory_exhausted();
      expand(bound, waiting_[size][k], limits);
    }
    order_.insert(order_.end(), waiting_[size].begin(), waiting_[size].end());
  }
  std::ranges::reverse(order_);
  complete_ = limits.reason() == StopReason::none;
  known_ = nullptr;
  return complete_;
}

std::uint64_t Graph::bytes() const {
  constexpr std::size_t kHashNode = sizeof(Key) + sizeof(Known) + 3 * sizeof(void*);
  return bits_.size() * sizeof(std::uint64_t) + nodes_.size() * sizeof(Node) +
         edges_.size() * sizeof(Edge) + 2 * children_.size() * sizeof(std::int32_t) +
         (known_ != nullptr ? known_->size() : 0) * kHashNode;
}

Known& Graph::look_up(const Key& key, BitsView bits, int depth_left) {
  Key full = key;
  full += random_key(~static_cast<std::uint64_t>(depth_left));
  const auto [it, fresh] = known_->try_emplace(full);
  if (fresh) {
    it->second.leaf = leaves_.leaf(bits);
    const Cost leaf = it->second.leaf.cost;
    // A tree is a leaf or pays for at least one split.
    it->second.lower = depth_left == 0 ? leaf : std::min(leaf, limits_.price.two_way);
    it->second.exact = it->second.lower == leaf;
  }
  return it->second;
}

// Raises the lower bound of a child if a higher one may rule it out. With one level left, the best
// split into leaves is computed here; deeper trees are left to the exact search.
void Graph::refine(const LowerBound& bound, Child& child, int depth_left, Cost enough) {
  Known& known = *child.known;
  if (known.lower > enough || known.exact) return;
  if (depth_left > 1) ++n_bounded_;
  const Cost found = depth_left == 1 ? leaves_.best_stump(child.bits)
                                     : bound(rows_.rows(child.bits), depth_left, enough + spare_);
  raise(known, found);
  // The exact search returns the optimum, or a bound above the cost that was asked for.
  known.exact = known.exact || depth_left == 1 || found <= enough + spare_;
}

// The optimum is never above the cost of a leaf. A bound that reaches this cost proves that the
// leaf is optimal.
void Graph::raise(Known& known, Cost lower) {
  known.lower = std::max(known.lower, std::min(lower, known.leaf.cost));
  known.exact = known.exact || known.lower == known.leaf.cost;
}

std::int32_t Graph::enter(const Child& child, int depth_left, Cost budget) {
  Known& known = *child.known;
  if (known.node < 0) {
    known.node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({known.leaf, depth_left, budget, known.lower, bits_.size()});
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
    if (!any(child.bits)) continue;
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

// Whether an earlier test of this column divides the rows of the node into the same groups. Such
// tests count as one.
bool Graph::seen_before() {
  if (!seen_) return false;
  std::vector<Key> groups;
  for (std::size_t k = 0; k < n_parts_; ++k) groups.push_back(parts_[k].key);
  return !seen_->insert(groups);
}

Graph::Sides Graph::try_test(const LowerBound& bound, std::int32_t number, std::int32_t test,
                             const Sides& least) {
  const Node node = nodes_[index(number)];
  if (!make_children(node, test)) return least;
  const int below = levels_below(node);
  raise(*parts_[0].known, least.first);
  raise(*parts_[n_parts_ - 1].known, least.last);
  Cost total = limits_.price(static_cast<std::int64_t>(n_parts_));
  for (std::size_t k = 0; k < n_parts_; ++k) total += parts_[k].known->lower;
  // The larger child is solved first, because its bound is likely to be higher.
  const bool back = parts_[n_parts_ - 1].known->leaf.n_rows > parts_[0].known->leaf.n_rows;
  for (std::size_t k = 0; k < n_parts_ && total <= node.budget; ++k) {
    Child& child = parts_[back ? n_parts_ - 1 - k : k];
    const Cost before_refining = child.known->lower;
    refine(bound, child, below, node.budget - (total - before_refining));
    total += child.known->lower - before_refining;
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
    if (any(part)) out.push_back(v);
  }
  return out;
}

// The thresholds of a feature that divide the node's rows, one for each way to divide them; at the
// end one that has all rows below it.
std::vector<Graph::Cut> Graph::distinct_cuts(const FeatureTests& tests) const {
  const std::size_t n_values = index(tests.n) + 1;
  std::vector<std::int64_t> weight(n_values, -1);  // -1: no row has this value
  for_each_row(here_, [&](std::int32_t r) {
    std::int64_t& own = weight[index(problem_.code(tests.feature, r))];
    own = std::max<std::int64_t>(own, 0) + problem_.weight[index(r)];
  });
  std::vector<Cut> out;
  std::int64_t below = 0;
  for (std::size_t code = 0; code < n_values; ++code) {
    if (weight[code] < 0) continue;
    below += weight[code];
    out.push_back({tests.first + static_cast<std::int32_t>(code), cost_of(below)});
  }
  return out;
}

bool Graph::ruled_out(const Node& node, const Cut& cut, const Beside& before,
                      const Beside& after) const {
  Cost left = before.sides.first, right = after.sides.last;
  if (limits_.unit_step) {
    left = std::max(left, after.sides.first - (after.below - cut.below));
    right = std::max(right, before.sides.last - (cut.below - before.below));
  }
  return limits_.price.two_way + left + right > node.budget;
}

// `before` and `after` are the thresholds next to these on both sides, with their bounds.
void Graph::bisect(const LowerBound& bound, std::int32_t number, std::span<const Cut> cuts,
                   const Beside& before, const Beside& after, Limits& limits) {
  constexpr std::uint32_t kMicroseconds = 20;  // of work for one test
  const std::size_t given = cuts.size();
  const Node node = nodes_[index(number)];
  while (!cuts.empty() && ruled_out(node, cuts.front(), before, after)) cuts = cuts.subspan(1);
  while (!cuts.empty() && ruled_out(node, cuts.back(), before, after))
    cuts = cuts.first(cuts.size() - 1);
  n_skipped_ += static_cast<std::int64_t>(given - cuts.size());
  if (cuts.empty() || limits.stop(kMicroseconds)) return;
  const std::size_t middle = cuts.size() / 2;
  const Sides least{before.sides.first, after.sides.last};
  const Beside here{try_test(bound, number, cuts[middle].test, least), cuts[middle].below};
  bisect(bound, number, cuts.first(middle), before, here, limits);
  bisect(bound, number, cuts.subspan(middle + 1), here, after, limits);
}

void Graph::try_column(const LowerBound& bound, std::int32_t number, const ColumnTests& column,
                       Limits& limits) {
  seen_.reset();
  if (!column.distinct()) seen_.emplace();
  for (const FeatureTests& feature : column.features) {
    if (!feature.ordered) {
      for (std::int32_t t = feature.first; t < feature.first + feature.n; ++t)
        if (!limits.stop(1)) try_test(bound, number, t, {});
      continue;
    }
    const std::vector<Cut> cuts = distinct_cuts(feature);
    const auto own = std::span(cuts).first(cuts.size() - 1);
    const Cost lower = nodes_[index(number)].lower;
    if (limits_.min_samples_leaf == 1) {
      bisect(bound, number, own, {{0, lower}, 0}, {{lower, 0}, cuts.back().below}, limits);
      continue;
    }
    for (const Cut& cut : own)
      if (!limits.stop(1)) try_test(bound, number, cut.test, {});
  }
}

void Graph::expand(const LowerBound& bound, std::int32_t number, Limits& limits) {
  const std::size_t first = edges_.size();
  const Node node = nodes_[index(number)];
  const bool divisible =
      node.depth_left > 0 && !is_last(node) && node.budget >= limits_.price.two_way;
  if (divisible && !limits.stop(1)) {
    const BitsView own = bits(node);
    here_.assign(own.begin(), own.end());
    for (std::size_t c = 0; c < tests_of_.size(); ++c)
      if (may_test(number, static_cast<std::int32_t>(c)))
        try_column(bound, number, tests_of_[c], limits);
  }
  const auto edges = std::span(edges_).subspan(first);
  std::ranges::sort(edges, {}, &Edge::test);
  nodes_[index(number)].first_edge = first;
  nodes_[index(number)].n_edges = static_cast<std::int32_t>(edges.size());
  nodes_[index(number)].open = divisible && limits.reason() != StopReason::none;
}

// An upper bound: t(0) = labels, and t(d) = labels + the sum over all tests of t(d - 1) to the
// power of the number of outcomes.
std::optional<BigCount> Graph::most_trees(const Node& node, std::size_t n_labels) const {
  if (node.depth_left >= limits_.unlimited) return std::nullopt;
  const BigCount leaf = n_labels;
  BigCount most = leaf;
  try {
    for (int level = 0; level < node.depth_left; ++level) {
      BigCount next = leaf;
      for (const Test& test : problem_.tests) {
        const std::int32_t parts = std::min(test.n_outcomes, node.leaf.n_rows);
        BigCount product = 1;
        for (std::int32_t k = 0; k < parts; ++k) product = product * most;
        next += product;
      }
      most = next;
    }
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
  return most;
}

}  // namespace treeproof::near
