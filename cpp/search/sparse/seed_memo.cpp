#include "search/sparse/seed_memo.hpp"

#include "core/index.hpp"
#include "search/sparse/small_trees.hpp"

namespace treeproof::sparse {
namespace {

Key key_of(const Layout& layout, const Rows& rows) {
  Key key;
  for (const std::int32_t r : rows) key += layout.row_key(r);
  return key;
}

template <class Word>
class MemoSeeder {
 public:
  MemoSeeder(Search<Word>& search, const Layout& layout, const Tree& tree,
             std::int64_t min_samples_leaf)
      : search_(search), layout_(layout), problem_(*layout.problem), tree_(tree),
        small_(problem_, search.price(), min_samples_leaf) {}

  // If a tree with one split costs no more than the subtree, it is stored instead: `extract`
  // assumes that a stored test leads to a tree that is at least as good.
  Cost seed_memo(std::int32_t node, const Rows& rows, int depth_left) {
    const TreeNode& t = tree_.nodes[index(node)];
    SmallTrees::Best best{leaf_cost(problem_, rows), -1};
    if (t.test >= 0 && best.cost > 0) {
      best = small_.best(rows);
      const Cost cost = split_cost_below(t, rows, depth_left);
      if (cost < best.cost) best = {cost, t.test};
    }
    const Key key = search_.key_at(key_of(layout_, rows), depth_left);
    search_.memo().update(key, 1, {0, best.cost, best.test});
    return best.cost;
  }

 private:
  Cost split_cost_below(const TreeNode& t, const Rows& rows, int depth_left) {
    const Test& test = problem_.tests[index(t.test)];
    Cost cost = search_.price()(t.n_children);
    for (std::int32_t k = 0; k < t.n_children; ++k) {
      const std::size_t slot = index(t.first_child + k);
      const Rows part = rows_with(problem_, rows, test, tree_.child_outcome[slot]);
      cost += seed_memo(tree_.children[slot], part, search_.child_depth(depth_left));
    }
    return cost;
  }

  Search<Word>& search_;
  const Layout& layout_;
  const Problem& problem_;
  const Tree& tree_;
  SmallTrees small_;
};

}  // namespace

template <class Word>
void seed_memo(Search<Word>& search, const Layout& layout, std::int64_t min_samples_leaf,
               const WarmStart& warm) {
  for (const Fact& fact : warm.facts)
    search.memo().update(fact.key, fact.effort, {fact.lower, kInfiniteCost, -1});
  const Rows rows = all_rows(*layout.problem);
  const int depth = search.depth_limit();
  for (const Tree& tree : warm.trees)
    MemoSeeder<Word>(search, layout, tree, min_samples_leaf).seed_memo(0, rows, depth);
  if (warm.root_lower > 0)
    search.memo().update(search.key_at(key_of(layout, rows), depth), 1,
                         {warm.root_lower, kInfiniteCost, -1});
}

template <class Word>
void gather(const Search<Word>& search, WarmStart& warm) {
  warm.learned.clear();
  search.memo().for_each([&](const Key& key, std::uint32_t effort, const Bounds& bounds) {
    if (bounds.lower > 0) warm.learned.push_back({key, effort, bounds.lower});
  });
}

template void seed_memo(Search<std::uint16_t>&, const Layout&, std::int64_t, const WarmStart&);
template void seed_memo(Search<std::uint32_t>&, const Layout&, std::int64_t, const WarmStart&);
template void gather(const Search<std::uint16_t>&, WarmStart&);
template void gather(const Search<std::uint32_t>&, WarmStart&);

}  // namespace treeproof::sparse
