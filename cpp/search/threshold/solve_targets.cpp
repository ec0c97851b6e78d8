// Regression trees, by the same best-first search with real-valued losses.
//
// Losses that are a convex function of sums have a terminal solver of depth two in lanes. Absolute
// and quantile losses, which need order statistics instead of sums, have a terminal solver of depth
// one on sorted lists.
#include <algorithm>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "search/threshold/chains.hpp"
#include "search/threshold/conclude.hpp"
#include "search/threshold/first_tree/first_tree.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/reporter.hpp"
#include "search/threshold/target_parts.hpp"
#include "search/threshold/threads/crew.hpp"

namespace treeproof::threshold {
namespace {

// `make_terminal` makes one terminal solver for each thread.
template <class L, class MakeTerminal>
Result<double> run(const Context<L>& context, const Switches& switches, const Observer& observer,
                   Record<double>* record, Exchange<double>* exchange, MakeTerminal make_terminal) {
  StumpSolver<L> stumps(*context.columns, *context.loss);
  const auto own = make_terminal(context, stumps);
  auto& terminal = *own;
  using Terminal = std::remove_reference_t<decltype(terminal)>;
  Search<L, Terminal> search(context, terminal, stumps);
  Crew<L, Terminal> crew(context, switches, std::move(make_terminal));
  search.set_crew(&crew);
  const RowSubset rows = RowSubset::whole(*context.columns);
  const Settings<double>& settings = context.settings;
  const Task<double> task{&rows,
                          context.loss->infinite(),
                          settings.max_depth,
                          settings.max_splits,
                          settings.min_leaf,
                          {},
                          {}};
  Reporter<double> tell(observer, *context.limits, *context.counters, context.loss->infinite());
  search.set_progress([&](double lower, double upper, bool better_tree) {
    if (exchange != nullptr) exchange->proved(lower);
    tell(lower, upper, better_tree);
  });
  search.set_exchange(exchange);
  FirstTree<L, Terminal> first(context, terminal, stumps);
  const bool deep = std::min(settings.max_depth, settings.max_splits) > Terminal::kDepth;
  if (deep)
    search.set_incumbent(context.restricted()
                             ? first.best_restricted(task)
                             : starting_tree(first, task, context.loss->infinite(), exchange));
  search.set_record(record);
  Answer<double> answer = search.solve(task);
  if (!deep) improve_by_greedy_tree(context, task, first, answer);
  return conclude(context, std::move(answer), exchange);
}

Result<double> constant_leaf(double split_cost, Exchange<double>* exchange) {
  Result<double> result;
  if (exchange != nullptr) exchange->found(result.tree, result.upper);
  result.split_cost = split_cost;
  result.optimal = true;
  result.statistics = Counters{}.named();
  return result;
}

}  // namespace

Result<double> solve_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                             const TreeLimits& tree_limits, const Switches& switches,
                             Limits& limits, const Observer& observer, Record<double>* record,
                             Exchange<double>* exchange) {
  if (record == nullptr && switches.chains && chains_serve(columns, tree_limits))
    return solve_targets(criterion, without_multiway(columns), targets, tree_limits, switches,
                         limits, observer, record, exchange);
  return with_targets(
      criterion, columns, targets, tree_limits, switches, limits, exchange != nullptr,
      [&] { return constant_leaf(tree_limits.split_penalty, exchange); },
      [&](const auto& context, auto make_terminal) {
        return run(context, switches, observer, record, exchange, make_terminal);
      });
}

}  // namespace treeproof::threshold
