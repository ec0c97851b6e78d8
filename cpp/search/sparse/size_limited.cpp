#include "search/sparse/size_limited.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"
#include "core/memory.hpp"

namespace treeproof::sparse {
namespace {

std::uint64_t bytes_of(const TreeDraft& tree) {
  std::uint64_t sum = capacity_bytes(tree.outcomes, tree.children);
  for (const TreeDraft& child : tree.children) sum += bytes_of(child);
  return sum;
}

}  // namespace

template <class Word>
void SizeLimited<Word>::remember(const Key& key, const Answer& answer) {
  constexpr std::uint64_t kEntry = sizeof(Key) + sizeof(Answer) + 3 * sizeof(void*);
  const std::uint64_t bytes = kEntry + bytes_of(answer.tree);
  if (max_bytes_ > 0 && bytes_ + bytes > max_bytes_) {
    evictions_ += static_cast<std::int64_t>(memo_.size());
    memo_.clear();
    bytes_ = 0;
  }
  memo_[key] = answer;
  bytes_ += bytes;  // an answer that replaces another is counted twice until all are dropped
}

template <class Word>
typename SizeLimited<Word>::Answer SizeLimited<Word>::solve(int max_splits, Cost budget) {
  return solve(0, search_.depth_limit(), max_splits, budget);
}

// The lowest cost of a child with this many splits, as far as the expansion shows.
template <class Word>
Cost SizeLimited<Word>::child_lower(const Frame<Word>& frame, const Expansion<Word>& e,
                                    std::int32_t child, int splits, int below) const {
  const Cost leaf = cost_of(frame.child_total(child) - frame.child_most(child));
  if (splits == 0 || below == 0) return leaf;
  if (splits == 1 && e.has_pairs) {
    const std::int64_t right = e.best_right[frame.side(child)];
    Cost one = search_.split_cost() + cost_of(frame.child_total(child) - right);
    if (!e.best_wide.empty()) one = std::min(one, e.best_wide[index(child)]);
    return std::min(leaf, one);
  }
  return e.lower[index(child)];
}

template <class Word>
Key SizeLimited<Word>::key_at(std::size_t depth, int depth_left, int splits) {
  Key key = search_.key_at(search_.level(depth).frame.key, depth_left);
  key += random_key(0xabcdef0000ULL + static_cast<std::uint64_t>(splits));
  return key;
}

template <class Word>
typename SizeLimited<Word>::Answer SizeLimited<Word>::solve(std::size_t depth, int depth_left,
                                                            int splits, Cost budget) {
  auto& here = search_.level(depth);
  const Key key = key_at(depth, depth_left, splits);
  Answer node;
  if (const auto found = memo_.find(key); found != memo_.end()) {
    node = found->second;
    if (node.lower >= std::min(budget, node.upper)) return node;
  }
  if (limits_.stop(2) || !search_.expander().expand(here.frame, depth_left, here.expansion))
    return node;
  const Expansion<Word>& e = here.expansion;
  if (e.leaf < node.upper) node = {node.lower, e.leaf, {}};
  const int below = search_.child_depth(depth_left);

  // A lower bound on the cost of each split: each of its children may use all splits that are left.
  std::vector<std::pair<Cost, std::size_t>> order;
  if (splits > 0) {
    for (std::size_t a = 0; a < e.candidates.size(); ++a) {
      Cost at_least = search_.price()(e.candidates[a].n_children);
      for (std::int32_t k = 0; k < e.candidates[a].n_children; ++k)
        at_least += child_lower(here.frame, e, e.candidates[a].child(k), splits - 1, below);
      order.emplace_back(at_least, a);
    }
  }
  std::ranges::sort(order);
  Cost rest = kInfiniteCost;
  StepListener* const listener = search_.listener();
  here.uses.clear();
  for (const auto& [at_least, a] : order) {
    if (at_least >= std::min(budget, node.upper) || limits_.stop(1)) {
      rest = std::min(rest, at_least);
      break;
    }
    const Candidate candidate = e.candidates[a];
    if (listener != nullptr)
      here.uses.push_back(
          {candidate.test, layout_.problem->tests[index(candidate.test)].n_outcomes, {}});
    std::vector<TreeDraft> trees(index(candidate.n_children));
    const Cost found = share(depth, below, candidate, 0, splits - 1,
                             search_.price()(candidate.n_children), node, budget, trees);
    rest = std::min(rest, std::max(found, at_least));
  }
  const Cost proved = std::min(rest, node.upper);
  if (proved > node.lower) {
    node.lower = proved;
    if (listener != nullptr)
      listener->step({key, depth_left >= kUnlimited ? -1 : depth_left, splits, proved,
                      &search_.branch(), &here.uses});
  }
  remember(key, node);
  return node;
}

template <class Word>
Cost SizeLimited<Word>::share(std::size_t depth, int below, const Candidate& candidate,
                              std::int32_t k, int left, Cost fixed, Answer& node, Cost budget,
                              std::vector<TreeDraft>& trees) {
  auto& here = search_.level(depth);
  const Expansion<Word>& e = here.expansion;
  if (k == candidate.n_children) {
    if (fixed < node.upper) {
      TreeDraft draft{candidate.test, {}, trees};
      for (std::int32_t v = 0; v < candidate.n_children; ++v)
        draft.outcomes.push_back(search_.outcome(here, candidate, v));
      node.upper = fixed;
      node.tree = std::move(draft);
    }
    return fixed;
  }
  const std::int32_t child = candidate.child(k);
  const bool last = k + 1 == candidate.n_children;
  Cost least = kInfiniteCost;
  for (int given = last ? left : 0; given <= left; ++given) {
    Cost others = fixed;  // lower bound on the cost of everything but this child
    for (std::int32_t v = k + 1; v < candidate.n_children; ++v)
      others += child_lower(here.frame, e, candidate.child(v), left - given, below);
    const Cost at_least = others + child_lower(here.frame, e, child, given, below);
    if (at_least >= std::min(budget, node.upper)) {
      least = std::min(least, at_least);
      continue;
    }
    search_.level(depth + 1).frame.build_child(here.frame, child, search_.kernel());
    const bool heard = search_.listener() != nullptr;
    if (heard) search_.branch().push_back({candidate.test, search_.outcome(here, candidate, k)});
    const Answer answer = solve(depth + 1, below, given, std::min(budget, node.upper) - others);
    if (heard) {
      search_.branch().pop_back();
      if (answer.lower > 0)
        here.uses.back().citations.push_back({search_.outcome(here, candidate, k), false,
                                              key_at(depth + 1, below, given), answer.lower});
    }
    if (answer.lower < answer.upper) {  // too expensive, or stopped
      least = std::min(least, std::max(at_least, others + answer.lower));
      if (limits_.stop(1)) return std::min(least, at_least);
      continue;
    }
    trees[index(k)] = answer.tree;
    least = std::min(least, share(depth, below, candidate, k + 1, left - given,
                                  fixed + answer.upper, node, budget, trees));
  }
  return least;
}

template class SizeLimited<std::uint16_t>;
template class SizeLimited<std::uint32_t>;

}  // namespace treeproof::sparse
