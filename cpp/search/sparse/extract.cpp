#include "search/sparse/extract.hpp"

#include "core/index.hpp"
#include "search/sparse/small_trees.hpp"

namespace treeproof::sparse {
namespace {

class Extractor {
 public:
  Extractor(const Layout& layout, const Settings& settings, const Known& known)
      : problem_(*layout.problem), layout_(layout),
        small_(problem_, settings.price(), settings.min_samples_leaf), known_(known) {}

  // The memo contains the split of the best known tree. Rows without an entry got their upper bound
  // from pair counts at their parent: a leaf, or the best single split.
  TreeDraft build(const Rows& rows, int depth_left) {
    const Cost leaf = leaf_cost(problem_, rows);
    if (leaf == 0 || depth_left == 0) return {};
    Key key;
    for (const std::int32_t r : rows) key += layout_.row_key(r);
    const Bounds b = known_(rows, key, depth_left);
    if (b.upper >= leaf || b.test < 0) return one_split(rows);
    return split(rows, b.test, depth_left);
  }

 private:
  std::vector<Rows> parts(const Rows& rows, std::int32_t test) const {
    const Test& t = problem_.tests[index(test)];
    std::vector<Rows> out(index(t.n_outcomes));
    for (const std::int32_t r : rows) out[index(problem_.outcome(t, r))].push_back(r);
    return out;
  }

  TreeDraft one_split(const Rows& rows) {
    const std::int32_t test = small_.best(rows).test;
    return test < 0 ? TreeDraft{} : split(rows, test, 1);
  }

  TreeDraft split(const Rows& rows, std::int32_t test, int depth_left) {
    TreeDraft draft{test, {}, {}};
    const auto children = parts(rows, test);
    for (std::size_t v = 0; v < children.size(); ++v) {
      if (children[v].empty()) continue;
      draft.outcomes.push_back(static_cast<std::int32_t>(v));
      draft.children.push_back(
          build(children[v], depth_left >= kUnlimited ? kUnlimited : depth_left - 1));
    }
    return draft;
  }

  const Problem& problem_;
  const Layout& layout_;
  SmallTrees small_;
  const Known& known_;
};

}  // namespace

Tree extract(const Layout& layout, const Settings& settings, const Known& known) {
  const int depth = settings.max_depth < 0 ? kUnlimited : settings.max_depth;
  return flatten(Extractor(layout, settings, known).build(all_rows(*layout.problem), depth));
}

}  // namespace treeproof::sparse
