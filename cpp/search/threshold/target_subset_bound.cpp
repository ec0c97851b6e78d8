#include "search/threshold/target_subset_bound.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"
#include "data/row_mask.hpp"
#include "loss/target_losses.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"

namespace treeproof::threshold {
namespace {

template <class Phi>
class MomentSubsetBound final : public TargetSubsetBound {
 public:
  MomentSubsetBound(const Problem& problem, CentredTargets targets, std::int32_t n_outputs,
                    double split_penalty, const TreeLimits& tree_limits, Limits& limits)
      : columns_(sort_columns(problem.features, problem.codes, problem.n_rows())),
        targets_(std::move(targets)), loss_(targets_, n_outputs, Tolerance::relative_to(1.0)),
        context_(context_for(columns_, loss_, tree_limits, Switches{}, split_penalty, limits,
                             counters_)),
        codes_(make_codes(columns_, BinTargets{}, nullptr)), stumps_(columns_, loss_),
        terminal_(context_, stumps_, codes_), search_(context_, terminal_, stumps_),
        whole_(RowSubset::whole(columns_)) {}

  double lower(const std::vector<std::int32_t>& rows, int depth, double enough) override {
    RowMask mask(index(columns_.n_rows));
    for (const std::int32_t r : rows) mask.insert(static_cast<std::uint32_t>(r));
    partitioner_.keep(whole_, mask, part_);
    const Task<double> task{&part_,
                            enough,
                            std::min(depth, context_.settings.max_depth),
                            context_.settings.max_splits,
                            1,
                            {},
                            {}};
    return search_.solve(task).lower;
  }

 private:
  using Loss = MomentLoss<Phi>;
  const Columns columns_;
  const CentredTargets targets_;
  const Loss loss_;
  Counters counters_;
  const Context<Loss> context_;
  const ColumnCodes codes_;
  StumpSolver<Loss> stumps_;
  MomentTerminal<Phi> terminal_;
  Search<Loss, MomentTerminal<Phi>> search_;
  const RowSubset whole_;
  Partitioner partitioner_;
  RowSubset part_;
};

}  // namespace

std::unique_ptr<TargetSubsetBound> make_target_subset_bound(
    const Problem& problem, Criterion criterion, const Targets& targets, double split_penalty,
    const TreeLimits& tree_limits, Limits& limits) {
  TreeLimits any = tree_limits;  // leaves of any size, and any number of them
  any.min_samples_leaf = 1;
  any.max_splits = -1;
  if (criterion == Criterion::poisson)
    return std::make_unique<MomentSubsetBound<Logs>>(problem, CentredTargets::for_poisson(targets),
                                                     targets.n_outputs, split_penalty, any, limits);
  return std::make_unique<MomentSubsetBound<Squares>>(
      problem, CentredTargets::for_squared_error(targets), targets.n_outputs, split_penalty, any,
      limits);
}

}  // namespace treeproof::threshold
