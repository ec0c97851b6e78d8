// DT-Miner, after chapter 3 of Chaouki's thesis ("Optimal Decision Trees via Search",
// 2024): the states are whole trees, an action splits one leaf.
//
// The bound of a tree is what it has paid for its splits plus, for each leaf, the lesser
// of its errors and one more split (Proposition 4: at best one split purifies a leaf). An
// iteration walks from the empty tree along the split of least bound until it meets a tree
// that was never expanded, expands it, and carries the bounds back along the path. The
// memo recognises a tree whatever the order of its splits.
//
// Equation 3.14 would give all splits of a leaf the same bound, and the search would have
// to visit them one by one; the iteration numbers of Table 3.2 are those of a program that
// bounds the tree each split makes (Equation 3.15) when it expands the parent, and so does
// this one. Trees that cannot beat the incumbent are dropped at once; the thesis keeps
// them, but would never select them. BRANCHES, which followed DT-Miner, shares subtrees
// between trees and is far better; this search is kept because its table can be
// reproduced with it, and because it honours a limit on the number of splits.
#include "search/miner/search.hpp"

#include <iterator>
#include <unordered_map>
#include <utility>

namespace treeproof::miner {

Search::Search(const Problem& problem, const TreeLimits& tree_limits, LiteralBits bits,
               Limits& limits)
    : limits_(limits), max_splits_(tree_limits.max_splits),
      book_(problem, tree_limits, std::move(bits), limits) {
  const BranchId root = 0;
  TreeState empty;
  empty.terminal = book_.leaf(root);
  empty.bound = max_splits_ == 0 ? empty.terminal : book_.bound(root);
  empty.lower = empty.bound;
  memo_.insert(TreeMemo::hash_of(root), {&root, 1}, empty);
  upper_ = empty.terminal;
}

void Search::iterate() {
  ++counters_.iterations;
  path_.assign(1, 0);
  if (counters_.iterations == 1) {
    expand(0);
  } else {
    while (step_down(path_.back())) {
    }
  }
  counters_.longest_path =
      std::max(counters_.longest_path, static_cast<std::int64_t>(path_.size()));
  // A tree whose expansion was stopped by a limit has no successors yet: its bound is not valid, so
  // the bounds above it are not updated.
  if (limits_.reason() == StopReason::none) backpropagate();
}

// The tree with one leaf split. An open leaf counts one split in the bound of its tree;
// that split is now paid, so the bound rises by those of the children.
TreeState Search::successor_of(TreeId id, const Step& step) const {
  const TreeState& from = memo_[id];
  TreeState next;
  next.bound = from.bound;
  next.terminal = from.terminal - book_.leaf(step.leaf) + book_.split_cost();
  for (const BranchId child : book_.children(book_.split(step.leaf, step.split))) {
    next.bound += book_.bound(child);
    next.terminal += book_.leaf(child);
  }
  next.n_splits = from.n_splits + 1;
  if (next.n_splits == max_splits_) next.bound = next.terminal;
  next.lower = next.bound;
  next.parent = step.from;
  next.split_leaf = step.leaf;
  next.split_number = step.split;
  return next;
}

void Search::expand(TreeId id) {
  successors_.clear();
  const TreeState& tree = memo_[id];
  for (std::uint32_t position = 0; position < tree.n_leaves; ++position) {
    const BranchId leaf = tree.leaves[position];
    if (!book_.open(leaf)) continue;
    const std::uint32_t n = book_.work_out(leaf);
    if (limits_.stop(1 + n / 100)) return;
    for (std::uint32_t k = 0; k < n; ++k) {
      ++counters_.successors;
      const TreeState next = successor_of(id, {id, leaf, k});
      if (next.terminal < upper_) {
        upper_ = next.terminal;
        best_ = {id, leaf, k};
      }
      successors_.push_back({next.bound, position, k});
    }
  }
  // Successors that cannot become cheaper than the best tree are dropped.
  const auto useless =
      std::ranges::remove_if(successors_, [&](const Successor& s) { return s.lower >= upper_; });
  counters_.pruned += static_cast<std::int64_t>(useless.size());
  successors_.erase(useless.begin(), useless.end());
  memo_.queue(memo_[id], successors_);
}

// Extends the path by the best split of its last tree. Returns false at the end of the path: a new
// tree was expanded, or nothing below this one can be better than the best tree.
bool Search::step_down(TreeId id) {
  while (true) {
    const TreeState& tree = memo_[id];
    if (tree.n_heap == 0 || tree.heap[0].lower >= upper_) return false;
    if (tree.heap[0].split == Successor::kBuilt) {
      path_.push_back(tree.heap[0].where);
      return true;
    }
    if (build_top(id)) {
      path_.push_back(memo_[id].heap[0].where);
      expand(path_.back());
      return false;
    }
  }
}

// Builds the tree that results from the best split. Returns false if the memo already has this
// tree: the split then gets the bound stored there, and may no longer be the best.
bool Search::build_top(TreeId id) {
  TreeState& tree = memo_[id];
  const BranchId leaf = tree.leaves[tree.heap[0].where];
  const Step step{id, leaf, tree.heap[0].split};
  std::uint64_t hash = tree.hash - TreeMemo::hash_of(leaf);
  leaves_.clear();
  std::ranges::copy_if(memo_.leaves(id), std::back_inserter(leaves_),
                       [&](BranchId other) { return other != leaf; });
  for (const BranchId child : book_.children(book_.split(leaf, step.split))) {
    hash += TreeMemo::hash_of(child);
    leaves_.push_back(child);
  }
  std::ranges::sort(leaves_);
  TreeId built = memo_.find(hash, leaves_);
  if (built != kNoTree) {
    ++counters_.memo_hits;
    memo_.replace_top(tree, {memo_[built].lower, built, Successor::kBuilt});
    return false;
  }
  built = memo_.insert(hash, leaves_, successor_of(id, step));
  memo_.replace_top(tree, {tree.heap[0].lower, built, Successor::kBuilt});
  return true;
}

// The bound of a tree is the minimum of its own cost and the bounds of its successors; successors
// that were dropped could not be better than the best tree at that time.
void Search::backpropagate() {
  for (std::size_t p = path_.size(); p-- > 0;) {
    TreeState& tree = memo_[path_[p]];
    if (p + 1 < path_.size()) {
      const TreeId below = path_[p + 1];
      memo_.replace_top(tree, {memo_[below].lower, below, Successor::kBuilt});
    }
    while (tree.n_heap > 0 && tree.heap[0].lower >= upper_) memo_.pop(tree);
    const Cost best = tree.n_heap > 0 ? tree.heap[0].lower : kInfiniteCost;
    tree.lower = std::min({tree.terminal, best, upper_});
  }
}

// Replays the splits that led to the best tree.
TreeDraft Search::incumbent() {
  std::vector<Step> steps;
  Step step = best_;
  while (step.from != kNoTree) {
    steps.push_back(step);
    const TreeState& from = memo_[step.from];
    step = {from.parent, from.split_leaf, from.split_number};
  }
  TreeDraft root;
  std::unordered_map<BranchId, TreeDraft*> leaf_at{{0, &root}};
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
    const Split& split = book_.split(s->leaf, s->split);
    TreeDraft& node = *leaf_at.at(s->leaf);
    node.test = split.test;
    node.children.resize(static_cast<std::size_t>(split.n_children));
    for (std::size_t c = 0; c < node.children.size(); ++c) {
      node.outcomes.push_back(book_.outcome(split, c));
      leaf_at[book_.children(split)[c]] = &node.children[c];
    }
  }
  return root;
}

}  // namespace treeproof::miner
