#include "proof/derive.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "proof/prover.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/target_parts.hpp"

namespace treeproof::proof {
namespace {

using threshold::Context;
using threshold::Search;
using threshold::StumpSolver;

// The solvers of a search. They are created when they are first needed, because in most cases the
// record of the search contains all that a proof needs.
template <class L, class Terminal>
class Solvers {
 public:
  using MakeTerminal = std::function<std::unique_ptr<Terminal>(StumpSolver<L>&)>;

  Solvers(const Context<L>& context, MakeTerminal make_terminal)
      : context_(&context), make_terminal_(std::move(make_terminal)),
        stumps_(*context.columns, *context.loss) {}

  Terminal& terminal() {
    if (!terminal_) terminal_ = make_terminal_(stumps_);
    return *terminal_;
  }
  Search<L, Terminal>& search() {
    if (!search_) search_.emplace(*context_, terminal(), stumps_);
    return *search_;
  }

 private:
  const Context<L>* context_;
  MakeTerminal make_terminal_;
  StumpSolver<L> stumps_;
  std::unique_ptr<Terminal> terminal_;
  std::optional<Search<L, Terminal>> search_;
};

// Uses the search as an oracle for the optima of sets of rows.
template <class L, class Terminal>
typename Prover<L>::Optimum optimum_of(Solvers<L, Terminal>& solvers, std::uint32_t min_leaf) {
  using Value = typename L::Value;
  return [&solvers, min_leaf](const RowSubset& rows, TreeBudget budget, Value cutoff,
                              threshold::Record<Value>& record) {
    const threshold::Task<Value> task{
        &rows, cutoff, threshold::finite(budget.depth), threshold::finite(budget.splits), min_leaf,
        {},    {}};
    solvers.search().set_record(&record);
    return solvers.search().solve(task).lower;
  };
}

// The solver for trees of two levels, if the loss has one and the rule *order* may be used.
template <class L, class Terminal>
typename Prover<L>::TwoLevels two_levels_of(Solvers<L, Terminal>& solvers, std::uint32_t min_leaf) {
  using Value = typename L::Value;
  if (Terminal::kDepth < 2 || min_leaf > 1) return {};
  return [&solvers](const RowSubset& rows, int splits, Value cutoff,
                    std::vector<threshold::CountedCut<Value>>& counted_cuts) {
    const threshold::Task<Value> task{&rows, cutoff,       2, threshold::finite(splits), 1, {}, {},
                                      {},    &counted_cuts};
    return solvers.terminal().solve(task).lower;
  };
}

// Drops a limit on the splits that no tree of the allowed depth can reach.
TreeBudget budget_of(const TreeLimits& limits, bool has_multiway) {
  const bool reached = limits.max_depth < 0 || limits.max_depth >= 30 || has_multiway ||
                       limits.max_splits < (1 << limits.max_depth) - 1;
  return {limits.max_depth, reached ? limits.max_splits : -1};
}

template <class L, class Terminal>
Derived<typename L::Value> derive(const Context<L>& context, Solvers<L, Terminal>& solvers,
                                  const TreeLimits& tree_limits, typename L::Value bound,
                                  typename L::Value unit,
                                  const threshold::Record<typename L::Value>& record,
                                  const std::string& steps) {
  StepText text(steps);
  const auto min_leaf = context.settings.min_leaf;
  Prover<L> prover(context, unit, optimum_of(solvers, min_leaf), two_levels_of(solvers, min_leaf),
                   record, text);
  const auto proved = prover.prove(budget_of(tree_limits, context.has_multiway), bound);
  const bool complete = text.finish();
  return {text.n_steps(), proved.step, proved.bound, complete};
}

}  // namespace

Derived<Cost> derive_labels(const Columns& columns, const threshold::Labels& labels,
                            const TreeLimits& tree_limits, Cost bound,
                            const threshold::Record<Cost>& record,
                            const std::shared_ptr<const prices::RowPrices>& prices, Limits& limits,
                            const std::string& steps) {
  const Misclassification loss(labels.labels, labels.weights, labels.n_classes, {}, {},
                               labels.directions);
  threshold::Counters counters;
  prices::PriceBoard board;
  threshold::Switches switches;
  if (prices != nullptr) {
    board.post(prices);
    switches.prices = &board;
  }
  const Context<Misclassification> context =
      context_for(columns, loss, tree_limits, switches,
                  split_cost(tree_limits.split_penalty, labels.total_weight), limits, counters);
  const threshold::BinTargets targets{labels.labels, labels.weights, labels.n_classes,
                                      static_cast<double>(labels.total_weight) /
                                          std::max(1.0, static_cast<double>(columns.n_rows))};
  std::optional<threshold::ColumnCodes> codes;
  Solvers<Misclassification, threshold::ClassTerminal> solvers(context, [&](auto& stumps) {
    codes = make_codes(columns, targets);
    return std::make_unique<threshold::ClassTerminal>(context, stumps, *codes, targets,
                                                      labels.total_weight);
  });
  return derive(context, solvers, tree_limits, bound, Cost{1}, record, steps);
}

Derived<double> derive_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                               const TreeLimits& tree_limits, double bound, double unit,
                               const threshold::Record<double>& record, Limits& limits,
                               const std::string& steps) {
  return threshold::with_targets(
      criterion, columns, targets, tree_limits, threshold::Switches{}, limits, false,
      [] { return Derived<double>{}; },
      [&]<class L>(const Context<L>& context, auto make_terminal) {
        using Terminal = typename decltype(make_terminal(
            context, std::declval<StumpSolver<L>&>()))::element_type;
        Solvers<L, Terminal> solvers(context,
                                     [&](auto& stumps) { return make_terminal(context, stumps); });
        return derive(context, solvers, tree_limits, bound, unit, record, steps);
      });
}

}  // namespace treeproof::proof
