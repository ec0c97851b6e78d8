#include "stream/branch_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/index.hpp"

namespace treeproof::stream {
namespace {

struct Purity {
  Cost total = 0;
  Cost errors = 0;
};

Purity purity(std::span<const Cost> classes) {
  Purity p;
  Cost most = 0;
  for (const Cost w : classes) {
    p.total += w;
    most = std::max(most, w);
  }
  p.errors = p.total - most;
  return p;
}

// The heap's order: least lower bound first, then the best tree found, then the column.
bool worse(const Action& a, const Action& b) {
  if (a.lower != b.lower) return a.lower > b.lower;
  if (a.upper != b.upper) return a.upper > b.upper;
  if (a.split.column != b.split.column) return a.split.column > b.split.column;
  return a.split.cut > b.split.cut;
}

}  // namespace

void BranchSearch::start(const Window& window, std::int32_t rows) {
  memo_.clear();
  counters_ = {};
  rows_ = rows;
  complete_ = false;
  const Bits support = window.first(rows);
  weigh_root(window, support);
  root_ = expand(window, Branch{}, support);
  complete_ = memo_[root_].complete;
}

void BranchSearch::weigh_root(const Window& window, const Bits& support) {
  window.class_weights(support, weights_);
  total_ = std::accumulate(weights_.begin(), weights_.end(), Cost{0});
  split_cost_ = std::llround(split_penalty_ * static_cast<double>(total_));
}

// The bounds of a child: the memo's if it was expanded, else the purification bound.
BranchSearch::Child BranchSearch::child_of(const BranchNode& parent, const Literal& literal,
                                           Cost support, Cost errors) {
  const std::int32_t known = memo_.find_child(parent.branch, literal);
  if (known == BranchMemo::kAbsent) {
    // With errors <= penalty no split can pay for itself: the leaf is optimal.
    const bool closed = errors <= split_cost_;
    counters_.closed_by_purification += closed;
    return {literal, support, std::min(errors, split_cost_), errors, closed};
  }
  ++counters_.memo_hits;
  const BranchNode& node = memo_[known];
  if (node.complete && !node.best.exists()) return {literal, support, errors, errors, true};
  return {literal, support, std::min(node.lower, errors), std::min(node.upper, errors),
          node.complete};
}

void BranchSearch::children_of(const Window& window, const BranchNode& node, const Split& split,
                               const Bits& support, std::vector<Child>& out) {
  out.clear();
  const auto n_classes = index(window.schema().n_classes);
  window.column_weights(support, split.column, weights_);
  outcomes_of(node.branch, split, window.schema(), outcomes_);
  std::vector<Cost> sum(n_classes);
  for (const Literal& literal : outcomes_) {
    std::ranges::fill(sum, 0);
    for (std::size_t code = literal.lo; code <= literal.hi; ++code)
      for (std::size_t k = 0; k < n_classes; ++k) sum[k] += weights_[code * n_classes + k];
    const Purity p = purity(sum);
    if (p.total > 0) out.push_back(child_of(node, literal, p.total, p.errors));
  }
}

// Adds a split to the branch's heap unless it is useless.
void BranchSearch::price(BranchNode& node, const Split& split, const std::vector<Child>& children) {
  if (children.size() < 2) return;
  Action action{split_cost_, split_cost_, split, true};
  for (const Child& child : children) {
    action.lower += child.lower;
    action.upper += child.upper;
    action.complete = action.complete && child.complete;
  }
  // No tree that begins with this split costs less than action.lower, and a leaf costs node.leaf,
  // so that the split can be dropped.
  if (action.lower >= node.leaf) {
    ++counters_.pruned_splits;
    return;
  }
  node.actions.push_back(action);
}

std::int32_t BranchSearch::expand(const Window& window, const Branch& branch, const Bits& support) {
  const Schema& schema = window.schema();
  const auto n_classes = index(schema.n_classes);
  ++counters_.expansions;
  BranchNode node;
  node.branch = branch;
  window.class_weights(support, weights_);
  const Purity whole = purity(weights_);
  node.support = whole.total;
  node.leaf = node.upper = whole.errors;
  std::vector<Cost> table;
  if (node.leaf > split_cost_) window.all_weights(support, table);
  std::vector<Cost> sums(n_classes * 2);
  for (std::int32_t c = 0; !table.empty() && c < static_cast<std::int32_t>(schema.columns.size());
       ++c) {
    const Cost* cells = table.data() + window.offset(c) * n_classes;
    const Literal range = branch.range(c, schema);
    const auto child = [&](const Literal& literal, std::span<const Cost> classes) {
      const Purity p = purity(classes);
      if (p.total > 0) children_.push_back(child_of(node, literal, p.total, p.errors));
    };
    if (schema.columns[index(c)].kind == ColumnKind::multiway) {
      if (branch.on(c) != nullptr) continue;
      children_.clear();
      for (int code = range.lo; code <= range.hi; ++code)
        child({c, static_cast<Code>(code), static_cast<Code>(code)},
              {cells + static_cast<std::size_t>(code) * n_classes, n_classes});
      price(node, {c, -1}, children_);
      continue;
    }
    // Cuts from left to right: the classes move from the second half of `sums` to the first.
    std::ranges::fill(sums, 0);
    for (std::size_t code = range.lo; code <= range.hi; ++code)
      for (std::size_t k = 0; k < n_classes; ++k)
        sums[n_classes + k] += cells[code * n_classes + k];
    for (int cut = range.lo; cut < range.hi; ++cut) {
      for (std::size_t k = 0; k < n_classes; ++k) {
        const Cost moved = cells[static_cast<std::size_t>(cut) * n_classes + k];
        sums[k] += moved;
        sums[n_classes + k] -= moved;
      }
      children_.clear();
      child({c, range.lo, static_cast<Code>(cut)}, {sums.data(), n_classes});
      child({c, static_cast<Code>(cut + 1), range.hi}, {sums.data() + n_classes, n_classes});
      price(node, {c, cut}, children_);
    }
  }
  std::ranges::make_heap(node.actions, worse);
  conclude(node);
  return memo_.add(std::move(node));
}

// Computes the bounds and the best tree of a branch from its leaf and its splits, and closes the
// branch if its cheapest split is completely known.
void BranchSearch::conclude(BranchNode& node) {
  node.lower = node.upper = node.leaf;
  node.best = {};
  for (const Action& action : node.actions) {
    if (action.upper < node.upper) {
      node.upper = action.upper;
      node.best = action.split;
    }
  }
  if (!node.actions.empty()) {
    const Action& top = node.actions.front();
    if (top.lower < node.leaf) {
      node.lower = top.lower;
      if (!top.complete) return;
      node.upper = top.lower;
      node.best = top.split;
    } else {
      node.upper = node.leaf;
      node.best = {};
    }
  }
  // Every other split costs at least top.lower, and a leaf costs node.leaf, so that the branch is
  // complete.
  node.complete = true;
  node.actions.clear();
  node.actions.shrink_to_fit();
}

bool BranchSearch::propagate(const Window& window, std::int32_t at, const Bits& support) {
  BranchNode& node = memo_[at];
  const std::size_t before = node.bytes();
  const Split best_before = node.best;
  window.class_weights(support, weights_);
  const Purity whole = purity(weights_);
  node.support = whole.total;
  node.leaf = whole.errors;
  std::ranges::pop_heap(node.actions, worse);
  Action& action = node.actions.back();
  children_of(window, node, action.split, support, children_);
  action.lower = action.upper = split_cost_;
  action.complete = true;
  for (const Child& child : children_) {
    action.lower += child.lower;
    action.upper += child.upper;
    action.complete = action.complete && child.complete;
  }
  std::ranges::push_heap(node.actions, worse);
  conclude(node);
  memo_.account(before, node.bytes());
  return node.complete || node.best != best_before;
}

bool BranchSearch::step(const Window& window) {
  if (complete_) return false;
  ++counters_.iterations;
  if (memory_limit_ > 0 && memo_.bytes() > memory_limit_) {
    memo_.evict(memory_limit_ / 2);
    root_ = memo_.find(Branch{});
  }
  std::vector<std::int32_t> path;
  if (supports_.empty()) supports_.resize(1);
  supports_[0] = window.first(rows_);
  weigh_root(window, supports_[0]);
  bool changed = false;
  std::int32_t at = root_;
  for (;;) {
    const BranchNode& node = memo_[at];
    if (node.complete) break;
    const std::size_t depth = path.size();
    path.push_back(at);
    children_of(window, node, node.actions.front().split, supports_[depth], children_);
    const Child* open = nullptr;
    for (const Child& child : children_) {
      if (child.complete) continue;
      if (open == nullptr || child.support - child.upper < open->support - open->upper)
        open = &child;
    }
    if (open == nullptr) break;  // the window has moved, and this split is now closed
    if (supports_.size() < depth + 2) supports_.resize(depth + 2);
    window.restrict(supports_[depth], open->literal, supports_[depth + 1]);
    const std::int32_t child = memo_.find_child(node.branch, open->literal);
    if (child == BranchMemo::kAbsent) {
      const Branch branch = node.branch.with(open->literal);
      const std::int32_t added = expand(window, branch, supports_[depth + 1]);
      changed = memo_[added].best.exists();
      break;
    }
    at = child;
  }
  for (std::size_t k = path.size(); k-- > 0;)
    changed = propagate(window, path[k], supports_[k]) || changed;
  complete_ = memo_[root_].complete;
  return changed;
}

StreamTreeDraft BranchSearch::best_tree(const Window& window) const {
  return draft(window, Branch{}, window.first(rows_));
}

StreamTreeDraft BranchSearch::draft(const Window& window, const Branch& branch,
                                    const Bits& support) const {
  StreamTreeDraft tree;
  std::vector<Cost> weights;
  window.class_weights(support, weights);
  for (const Cost w : weights)
    tree.weight.push_back(static_cast<double>(w) / static_cast<double>(kUnitCost));
  const std::int32_t at = memo_.find(branch);
  if (at == BranchMemo::kAbsent || !memo_[at].best.exists()) return tree;
  const Split split = memo_[at].best;
  std::vector<Literal> outcomes;
  outcomes_of(branch, split, window.schema(), outcomes);
  Bits part;
  for (const Literal& literal : outcomes) {
    window.restrict(support, literal, part);
    if (Window::count(part) == 0) continue;
    tree.literal.push_back(literal);
    tree.children.push_back(draft(window, branch.with(literal), part));
  }
  if (tree.children.size() > 1) {
    tree.split = split;
  } else {
    tree.literal.clear();
    tree.children.clear();
  }
  return tree;
}

}  // namespace treeproof::stream
