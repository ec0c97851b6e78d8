#include "search/threshold/bounder.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "data/row_mask.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"

namespace treeproof::threshold {

struct Bounder::Parts {
  Parts(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits, Limits& limits)
      : columns(sort_columns(problem.features, problem.codes, problem.n_rows())),
        loss(problem.label, problem.weight, problem.n_classes, {}, {}),
        context(context_for(columns, loss, tree_limits, Switches{}, split_cost, limits, counters)),
        targets{problem.label, problem.weight, problem.n_classes,
                static_cast<double>(problem.total_weight) /
                    std::max(1.0, static_cast<double>(columns.n_rows))},
        codes(make_codes(columns, targets, nullptr)), stumps(columns, loss),
        terminal(context, stumps, codes, targets, problem.total_weight),
        search(context, terminal, stumps), whole(RowSubset::whole(columns)) {}

  const Columns columns;
  const Misclassification loss;
  Counters counters;
  const Context<Misclassification> context;
  const BinTargets targets;
  const ColumnCodes codes;
  StumpSolver<Misclassification> stumps;
  ClassTerminal terminal;
  Search<Misclassification, ClassTerminal> search;
  const RowSubset whole;
  Partitioner partitioner;
  RowSubset part;
};

Bounder::Bounder(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits,
                 Limits& limits) {
  // Rows of the problem are merged, so the size of a leaf cannot be told here. Trees with leaves
  // of any size include those asked for: their optimum is a lower bound.
  TreeLimits any_leaf = tree_limits;
  any_leaf.min_samples_leaf = 1;
  parts_ = std::make_unique<Parts>(problem, split_cost, any_leaf, limits);
}

Bounder::~Bounder() = default;

int Bounder::depth() const { return parts_->context.settings.max_depth; }

Cost Bounder::lower(const std::vector<std::int32_t>& rows, int depth, Cost enough) {
  Parts& p = *parts_;
  RowMask mask(index(p.columns.n_rows));
  for (const std::int32_t r : rows) mask.insert(static_cast<std::uint32_t>(r));
  p.partitioner.keep(p.whole, mask, p.part);
  const Task<Cost> task{&p.part,
                        enough + 1,
                        std::min(depth, p.context.settings.max_depth),
                        p.context.settings.max_splits,
                        1,
                        {},
                        {}};
  return p.search.solve(task).lower;
}

}  // namespace treeproof::threshold
