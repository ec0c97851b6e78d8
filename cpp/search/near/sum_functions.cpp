// Which of the trees that keep constraints are different functions.
#include <algorithm>
#include <set>
#include <utility>

#include "core/index.hpp"
#include "search/near/question_names.hpp"
#include "search/near/sum_counts.hpp"

namespace treeproof::near {
namespace {

// Names trees whose leaves' actions are those of their rows (question_names.hpp). A category that
// no row of a node has gets the cheapest action of the node, as in prediction.
class TreeNames {
 public:
  TreeNames(const Graph& graph, const SumCounts& counts)
      : graph_(graph), counts_(counts), names_(graph) {}

  FieldPair name(const TreeDraft& tree, const std::vector<std::int32_t>& actions) const {
    return below(tree, names_.root(), graph_.rows().all(), actions);
  }

 private:
  FieldPair below(const TreeDraft& tree, const FunctionNames::State& state, const Bits& rows,
                  const std::vector<std::int32_t>& actions) const {
    if (tree.children.empty()) {
      std::int32_t action = 0;
      for_each_row(rows, [&](std::int32_t row) { action = actions[index(row)]; });
      return names_.of_leaf(state, rows, action);
    }
    FieldPair out;
    if (names_.leaves_rest(tree.test))
      out = names_.of_rest(state, tree.test, tree.outcomes, cheapest(rows));
    for (std::size_t k = 0; k < tree.children.size(); ++k) {
      Bits part;
      graph_.rows().part(rows, tree.test, tree.outcomes[k], part);
      out = out + below(tree.children[k], names_.below(state, tree.test, tree.outcomes[k]), part,
                        actions);
    }
    return out;
  }

  std::int32_t cheapest(const Bits& rows) const {
    std::vector<std::int64_t> cost(index(graph_.problem().n_classes), 0);
    for_each_row(rows, [&](std::int32_t row) {
      for (std::size_t a = 0; a < cost.size(); ++a)
        cost[a] += counts_.cost(row, static_cast<std::int32_t>(a));
    });
    return static_cast<std::int32_t>(std::ranges::min_element(cost) - cost.begin());
  }

  const Graph& graph_;
  const SumCounts& counts_;
  const FunctionNames names_;
};

}  // namespace

std::vector<NumberedTree> distinct_functions(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             Limits& limits) {
  constexpr std::uint32_t kMicrosecondsForTree = 100;
  const TreeNames names(graph, counts);
  std::vector<NumberedTree> out;
  std::set<FieldPair> seen;
  std::vector<std::int32_t> actions;
  for (const std::size_t entry : entries)
    for (std::uint64_t k = 0; BigCount(k) < counts.number(entry); ++k) {
      if (limits.stop(kMicrosecondsForTree)) return out;
      const TreeDraft tree = counts.tree(entry, k, actions);
      if (seen.insert(names.name(tree, actions)).second) out.push_back({entry, k});
    }
  return out;
}

}  // namespace treeproof::near
