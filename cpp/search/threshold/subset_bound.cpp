#include "search/threshold/subset_bound.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "data/row_mask.hpp"
#include "search/threshold/label_parts.hpp"

namespace treeproof::threshold {

struct SubsetBound::Parts {
  Parts(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits, Limits& limits)
      : columns(sort_columns(problem.features, problem.codes, problem.n_rows())),
        labels(columns, {problem.label, problem.n_classes, problem.weight, problem.total_weight},
               tree_limits, split_cost, Switches{}, limits, false),
        search(labels.context, labels.terminal, labels.stumps) {}

  const Columns columns;
  LabelParts labels;
  Search<Misclassification, ClassTerminal> search;
  Partitioner partitioner;
  RowSubset part;
};

SubsetBound::SubsetBound(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits,
                         Limits& limits) {
  // Rows of the problem are merged, so the size of a leaf cannot be known here. The trees whose
  // leaves may have any size include those that were asked for, so their optimum is a lower bound.
  TreeLimits any_leaf = tree_limits;
  any_leaf.min_samples_leaf = 1;
  parts_ = std::make_unique<Parts>(problem, split_cost, any_leaf, limits);
}

SubsetBound::~SubsetBound() = default;

int SubsetBound::depth() const { return parts_->labels.context.settings.max_depth; }

Cost SubsetBound::lower(const std::vector<std::int32_t>& rows, int depth, Cost enough) {
  Parts& p = *parts_;
  RowMask mask(index(p.columns.n_rows));
  for (const std::int32_t r : rows) mask.insert(static_cast<std::uint32_t>(r));
  p.partitioner.keep(p.labels.rows, mask, p.part);
  Task<Cost> task = p.labels.task();
  task.rows = &p.part;
  task.cutoff = enough + 1;
  task.depth = std::min(depth, task.depth);
  return p.search.solve(task).lower;
}

}  // namespace treeproof::threshold
