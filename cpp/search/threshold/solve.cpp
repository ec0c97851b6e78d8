#include "search/threshold/solve.hpp"

#include <algorithm>
#include <memory>

#include "search/threshold/core_search.hpp"
#include "search/threshold/crew.hpp"
#include "search/threshold/first_tree.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/telling.hpp"

namespace treeproof::threshold {

Result<Cost> solve_labels(const Columns& columns, const Labels& labels,
                          const TreeLimits& tree_limits, const Switches& switches,
                          Limits& limits, const Observer& observer, Record<Cost>* record) {
  const Misclassification loss(labels.labels, labels.weights, labels.n_classes);
  Counters counters;
  const Context<Misclassification> context =
      context_for(columns, loss, tree_limits, switches,
                  split_cost(tree_limits.split_penalty, labels.total_weight), limits, counters);
  const Settings<Cost>& settings = context.settings;
  const BinTargets targets{labels.labels, labels.weights, labels.n_classes,
                           static_cast<double>(labels.total_weight) /
                               std::max(1.0, static_cast<double>(columns.n_rows))};
  const ColumnCodes codes = make_codes(columns, targets);
  StumpSolver<Misclassification> stumps(columns, loss);
  ClassTerminal terminal(context, stumps, codes, targets, labels.total_weight);
  Search<Misclassification, ClassTerminal> search(context, terminal, stumps);
  const RowSubset rows = RowSubset::whole(columns);
  const Task<Cost> task{&rows, kInfiniteCost, settings.max_depth, settings.max_splits,
                        settings.min_leaf, {}, {}};
  Telling<Cost> tell(observer, limits, counters, kInfiniteCost);
  // Bounds proved for depth three only hold up to the cost of deeper trees.
  Cost most_lower = kInfiniteCost;
  const auto progress = [&](Cost lower, Cost upper, bool better_tree) {
    tell(std::min(lower, most_lower), upper, better_tree);
  };
  search.set_progress(progress);
  Crew<Misclassification, ClassTerminal> crew(
      context, switches, [&](const auto& theirs, auto& own_stumps) {
        return std::make_unique<ClassTerminal>(theirs, own_stumps, codes, targets,
                                               labels.total_weight);
      });
  search.set_crew(&crew);
  FirstTree<Misclassification, ClassTerminal> first(context, terminal, stumps);
  const bool deep = std::min(settings.max_depth, settings.max_splits) > ClassTerminal::kDepth;
  Cost shallow_lower = 0;
  Answer<Cost> answer;
  if (deep) {
    Answer<Cost> incumbent = first.best(task);
    constexpr int kShallow = 3;
    if (settings.split_cost > 0 && std::min(settings.max_depth, settings.max_splits) > kShallow) {
      // The best tree of depth three takes moments where deeper ones take minutes, and is
      // often the best of all. Deeper trees have four splits at least.
      Task<Cost> shallow = task;
      shallow.depth = kShallow;
      shallow.cutoff = incumbent.upper;
      most_lower = (kShallow + 1) * settings.split_cost;
      Answer<Cost> three = search.solve(shallow);
      shallow_lower = std::min(three.lower, most_lower);
      most_lower = kInfiniteCost;
      if (three.found && three.upper < incumbent.upper) incumbent = std::move(three);
    }
    if (!CoreSearch::suits(context, task, incumbent.upper)) {
      search.set_incumbent(std::move(incumbent));
      search.set_record(record);
      answer = search.solve(task);
    } else {
      CoreSearch cores(context, terminal, stumps, labels.weights);
      cores.set_crew(&crew);
      cores.set_progress(progress);
      answer = cores.solve(task, std::move(incumbent));
    }
  } else {
    search.set_record(record);
    answer = search.solve(task);
  }
  answer.lower = std::max(answer.lower, std::min(answer.upper, shallow_lower));
  if (!deep && answer.lower < answer.upper) {
    // Stopped within the first sweeps: CART's tree may be better than what they have seen.
    Answer<Cost> greedy = first.greedy(task);
    if (greedy.upper < answer.upper) {
      answer.upper = greedy.upper;
      answer.tree = std::move(greedy.tree);
    }
  }
  Result<Cost> result;
  result.tree = std::move(answer.tree);
  result.lower = answer.lower;
  result.upper = answer.upper;
  result.split_cost = settings.split_cost;
  result.optimal = result.lower == result.upper;
  result.stop = limits.reason();
  result.statistics = counters.named();
  return result;
}

}  // namespace treeproof::threshold
