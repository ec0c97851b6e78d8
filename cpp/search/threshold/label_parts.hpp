// The parts of a search for classification trees, constructed in the right order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"

namespace treeproof::threshold {

struct LabelParts {
  // `split`: what a split costs. `preparing`: throw `Stopped` if a limit is reached before
  // everything is constructed.
  LabelParts(const Columns& columns, const Labels& given, const TreeLimits& tree_limits, Cost split,
             const Switches& switches, Limits& limits, bool preparing)
      : labels(given), loss(given.labels, given.weights, given.n_classes, given.swings,
                            given.pair_gains, given.directions),
        context(context_for(columns, loss, tree_limits, switches, split, limits, counters)),
        targets{given.labels, given.weights, given.n_classes,
                static_cast<double>(given.total_weight) /
                    std::max(1.0, static_cast<double>(columns.n_rows))},
        codes(make_codes(columns, targets, preparing ? &limits : nullptr)), stumps(columns, loss),
        terminal(context, stumps, codes, targets, given.total_weight),
        rows(RowSubset::whole(columns)) {}
  LabelParts(const LabelParts&) = delete;
  LabelParts& operator=(const LabelParts&) = delete;

  // The whole table as a subproblem.
  Task<Cost> task() const {
    const Settings<Cost>& settings = context.settings;
    return {&rows, kInfiniteCost, settings.max_depth, settings.max_splits, settings.min_leaf, {},
            {}};
  }
  // A solver of the last levels for another thread.
  std::unique_ptr<ClassTerminal> make_terminal(const Context<Misclassification>& theirs,
                                               StumpSolver<Misclassification>& own) const {
    return std::make_unique<ClassTerminal>(theirs, own, codes, targets, labels.total_weight);
  }

  const Labels labels;
  const Misclassification loss;
  Counters counters;
  const Context<Misclassification> context;
  const BinTargets targets;
  const ColumnCodes codes;
  StumpSolver<Misclassification> stumps;
  ClassTerminal terminal;
  const RowSubset rows;
};

}  // namespace treeproof::threshold
