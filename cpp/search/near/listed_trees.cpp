#include "search/near/listed_trees.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/index.hpp"
#include "search/near/question_names.hpp"
#include "search/near/question_reliance.hpp"

namespace treeproof::near {
namespace {

// Visits all trees of some entries, in order. Returns false if a limit was reached.
template <class Visit>
bool for_each_tree(const SumCounts& counts, const std::vector<std::size_t>& entries, Limits& limits,
                   const Visit& visit) {
  constexpr std::uint32_t kMicrosecondsForTree = 100;
  std::vector<std::int32_t> actions;
  for (const std::size_t entry : entries)
    for (std::uint64_t k = 0; BigCount(k) < counts.number(entry); ++k) {
      if (limits.stop(kMicrosecondsForTree)) return false;
      const TreeDraft tree = counts.tree(entry, k, actions);
      visit(tree, actions, NumberedTree{entry, k, 0});
    }
  return true;
}

// Follows rows through a tree. The action of a leaf is that of its rows. A row with a category that
// no training row of a node has stays at this node and gets the cheapest action of the node, as in
// prediction.
class Walk {
 public:
  Walk(const Graph& graph, const SumCounts& counts) : graph_(graph), counts_(counts) {}

  std::int32_t action(const Bits& rows, const std::vector<std::int32_t>& actions) const {
    std::int32_t out = 0;
    for_each_row(rows, [&](std::int32_t row) { out = actions[index(row)]; });
    return out;
  }
  std::int32_t cheapest(const Bits& rows) const {
    const auto n_actions = static_cast<std::int32_t>(graph_.problem().n_classes);
    std::int32_t best = 0;
    for (std::int32_t a = 1; a < n_actions; ++a)
      if (cost(rows, a) < cost(rows, best)) best = a;
    return best;
  }
  std::int64_t cost(const Bits& rows, std::int32_t action) const {
    std::int64_t out = 0;
    for_each_row(rows, [&](std::int32_t row) { out += counts_.cost(row, action); });
    return out;
  }
  Bits part(const Bits& rows, const TreeDraft& tree, std::size_t child) const {
    Bits out;
    graph_.rows().part(rows, tree.test, tree.outcomes[child], out);
    return out;
  }

 private:
  const Graph& graph_;
  const SumCounts& counts_;
};

class TreeNames {
 public:
  TreeNames(const Graph& graph, const SumCounts& counts) : walk_(graph, counts), names_(graph) {}

  FieldPair root(const TreeDraft& tree, const Bits& rows,
                 const std::vector<std::int32_t>& actions) const {
    return below(tree, names_.root(), rows, actions);
  }

 private:
  FieldPair below(const TreeDraft& tree, const FunctionNames::State& state, const Bits& rows,
                  const std::vector<std::int32_t>& actions) const {
    if (tree.children.empty()) return names_.of_leaf(state, rows, walk_.action(rows, actions));
    FieldPair out;
    if (names_.leaves_rest(tree.test))
      out = names_.of_rest(state, tree.test, tree.outcomes, walk_.cheapest(rows));
    for (std::size_t k = 0; k < tree.children.size(); ++k)
      out = out + below(tree.children[k], names_.below(state, tree.test, tree.outcomes[k]),
                        walk_.part(rows, tree, k), actions);
    return out;
  }

  const Walk walk_;
  const FunctionNames names_;
};

class TreeReliance {
 public:
  TreeReliance(const Graph& graph, const SumCounts& counts, std::int32_t column,
               const std::vector<std::int64_t>& weights)
      : walk_(graph, counts), question_(graph, column, weights, 1) {}

  std::int64_t root(const TreeDraft& tree, const Bits& rows,
                    const std::vector<std::int32_t>& actions) const {
    return below(tree, question_.root(), rows, actions);
  }

 private:
  std::int64_t paid(const RelianceQuestion::State& state, std::int32_t action) const {
    return question_.weight(state.values) * (walk_.cost(state.rows, action) / cost_of(1));
  }
  std::int64_t below(const TreeDraft& tree, const RelianceQuestion::State& state, const Bits& rows,
                     const std::vector<std::int32_t>& actions) const {
    if (tree.children.empty()) return paid(state, walk_.action(rows, actions));
    std::int64_t out = 0;
    if (question_.leaves_rest(tree.test))
      out = paid(question_.rest(state, tree.test, tree.outcomes), walk_.cheapest(rows));
    for (std::size_t k = 0; k < tree.children.size(); ++k)
      out += below(tree.children[k], question_.below(state, tree.test, tree.outcomes[k]),
                   walk_.part(rows, tree, k), actions);
    return out;
  }

  const Walk walk_;
  const RelianceQuestion question_;
};

class TreeAsking {
 public:
  TreeAsking(const Graph& graph, const SumCounts& counts, const ColumnPrices& prices)
      : graph_(graph), walk_(graph, counts), prices_(prices) {}

  std::int64_t root(const TreeDraft& tree, const Bits& rows,
                    const std::vector<std::int32_t>&) const {
    return below(tree, 0, rows);
  }

 private:
  std::int64_t below(const TreeDraft& tree, std::int32_t state, const Bits& rows) const {
    if (tree.children.empty()) return 0;
    const std::size_t cell = index(state) * prices_.n_columns + index(graph_.column(tree.test));
    std::int64_t paying = 0;
    for_each_row(rows, [&](std::int32_t row) { paying += prices_.pays[index(row)]; });
    std::int64_t out = prices_.prices[cell] * paying;
    for (std::size_t k = 0; k < tree.children.size(); ++k)
      out += below(tree.children[k], prices_.next[cell], walk_.part(rows, tree, k));
    return out;
  }

  const Graph& graph_;
  const Walk walk_;
  const ColumnPrices& prices_;
};

// The first tree with the least value of a question, or with the greatest.
template <class Question>
std::optional<NumberedTree> extreme(const Graph& graph, const SumCounts& counts,
                                    const std::vector<std::size_t>& entries,
                                    const Question& question, bool greatest, Limits& limits) {
  const Bits rows = graph.rows().all();
  std::optional<NumberedTree> best;
  const bool whole =
      for_each_tree(counts, entries, limits, [&](const auto& tree, const auto& actions, auto own) {
        own.value = question.root(tree, rows, actions);
        if (!best || (greatest ? own.value > best->value : own.value < best->value)) best = own;
      });
  return whole ? best : std::nullopt;
}

}  // namespace

std::vector<NumberedTree> distinct_functions(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             Limits& limits) {
  const TreeNames names(graph, counts);
  const Bits rows = graph.rows().all();
  std::vector<NumberedTree> out;
  std::set<FieldPair> seen;
  for_each_tree(counts, entries, limits,
                [&](const auto& tree, const auto& actions, const NumberedTree& own) {
                  if (seen.insert(names.root(tree, rows, actions)).second) out.push_back(own);
                });
  return out;
}

std::optional<NumberedTree> extreme_reliance(const Graph& graph, const SumCounts& counts,
                                             const std::vector<std::size_t>& entries,
                                             std::int32_t column,
                                             const std::vector<std::int64_t>& weights,
                                             bool greatest, Limits& limits) {
  const TreeReliance question(graph, counts, column, weights);
  return extreme(graph, counts, entries, question, greatest, limits);
}

std::optional<NumberedTree> least_asking(const Graph& graph, const SumCounts& counts,
                                         const std::vector<std::size_t>& entries,
                                         const ColumnPrices& prices, Limits& limits) {
  return extreme(graph, counts, entries, TreeAsking(graph, counts, prices), false, limits);
}

}  // namespace treeproof::near
