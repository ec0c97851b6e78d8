#include "search/portfolio/fit_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bounds/rounding.hpp"
#include "data/weights.hpp"
#include "tree/fold_chains.hpp"

namespace treeproof::portfolio {
namespace {

// With more classes, computing the gains of every pair of classes takes more time than it saves.
constexpr int kMostPaired = 4;

}  // namespace

LabelFit::LabelFit(LabelledRows rows, Request request, LabelFitOptions options)
    : rows_(std::move(rows)), request_(std::move(request)), options_(std::move(options)),
      reduced_(rows_.features, rows_.codes),
      every_row_(options_.threshold && request_.tree_limits.min_samples_leaf > 1),
      weights_(rows_.weights) {
  request_.prices = options_.engine.switches.prices;
  request_.price_parts = !options_.for_proof;
}

Answer<Cost> LabelFit::run(const OpenFiles& open_files, Limits& limits, const News<Cost>& news) {
  Answer<Cost> answer;
  try {
    prepare(limits);
    LabelEngines engines = make_engines(limits);
    if (options_.sparse) engines.listener = open_files(problem_, engines.sparse);
    answer = solve_labels(engines, request_, totals_.weight, totals_.leaf, limits, news);
  } catch (const Stopped&) {
    // A limit was reached before the table was ready for a search.
    totals_ = totals_of(whole_weights(weights_, false));
    n_rows_ = 0;
    answer = leaf_of_labels(request_, totals_.weight, totals_.leaf, limits, news);
  }
  const auto restore = [&](SplitTree& tree) {
    tree = reduced_.restore(std::move(tree));
    if (request_.tree_limits.penalize == Penalize::leaves)
      fold_chains(tree, rows_.features, rows_.codes);
  };
  restore(answer.tree);
  for (auto& level : answer.outcome.certificates) restore(level.tree);
  return answer;
}

Statistics LabelFit::statistics() const {
  return {{"idle_columns", static_cast<std::int64_t>(reduced_.n_idle())},
          {"forced_weight", forced_}};
}

LabelFit::Totals LabelFit::totals_of(const std::vector<Weight>& weights) const {
  std::vector<std::int64_t> of_class(static_cast<std::size_t>(rows_.n_classes), 0);
  for (std::size_t r = 0; r < weights.size(); ++r)
    of_class[static_cast<std::size_t>(rows_.labels[r])] += weights[r];
  const auto total = std::accumulate(of_class.begin(), of_class.end(), std::int64_t{0});
  return {total, cost_of(total - std::ranges::max(of_class))};
}

// Equal rows are merged, and their weights rounded, once for all engines. The threshold search
// needs every single row only if leaves have a minimum size. It also takes the rows as they are if
// no rows are equal, so that large tables are not copied.
void LabelFit::prepare(Limits& limits) {
  if (every_row_) {
    rounded_ = whole_weights(weights_, false);
    as_doubles_.assign(rounded_.begin(), rounded_.end());
    weights_ = as_doubles_;
  }
  if (!options_.for_proof) reduced_.reduce(weights_, rows_.n_classes, request_.tree_limits);
  if (!every_row_ && !options_.sparse && !options_.for_proof &&
      all_rows_differ(reduced_.features(), reduced_.codes(), rows_.labels.size())) {
    every_row_ = true;
    rounded_ = whole_weights(weights_, false);
  }
  if (options_.sparse || !every_row_) {
    const auto merge = options_.sparse ? make_problem : merge_rows;
    problem_ = merge(reduced_.features(), reduced_.codes(), rows_.labels, rows_.n_classes, weights_,
                     {}, &limits);
    totals_ = {problem_.total_weight, evaluate(problem_, flatten({}), 0)};
    n_rows_ = problem_.n_rows();
  } else {
    totals_ = totals_of(rounded_);
    n_rows_ = static_cast<std::int64_t>(rows_.labels.size());
  }
}

LabelEngines LabelFit::make_engines(Limits& limits) {
  LabelEngines engines;
  engines.sparse = options_.engine;
  if (options_.sparse) engines.problem = &problem_;
  if (!options_.threshold) return engines;
  const auto n_rows =
      every_row_ ? static_cast<std::int32_t>(rows_.labels.size()) : problem_.n_rows();
  columns_ = every_row_ ? sort_borrowed(reduced_.features(), reduced_.codes(), n_rows, &limits)
                        : sort_borrowed(problem_.features, problem_.codes, n_rows, &limits);
  engines.columns = &columns_;
  if (!every_row_) swings_ = find_swings(problem_);
  if (!swings_.empty() && 2 < rows_.n_classes && rows_.n_classes <= kMostPaired)
    pair_gains_ = find_pair_gains(problem_, swings_);
  engines.labels = {
      every_row_ ? rows_.labels : std::span<const std::int32_t>(problem_.label), rows_.n_classes,
      every_row_ ? std::span<const Weight>(rounded_) : std::span<const Weight>(problem_.weight),
      totals_.weight};
  engines.labels.swings = swings_;
  engines.labels.pair_gains = pair_gains_;
  forced_ = engines.labels.forced() >> kCostBits;
  return engines;
}

Answer<double> TargetFit::run(Limits& limits, const News<double>& news) const {
  Answer<double> answer;
  try {
    const Columns columns =
        sort_columns(features_, codes_, static_cast<std::int32_t>(n_rows()), &limits);
    answer = solve_targets(columns, targets_, criterion_, request_, limits, news);
  } catch (const Stopped&) {
    answer = leaf_of_targets(targets_, request_, limits, news);
  }
  if (request_.tree_limits.penalize == Penalize::leaves) {
    fold_chains(answer.tree, features_, codes_);
    for (auto& level : answer.outcome.certificates) fold_chains(level.tree, features_, codes_);
  }
  return answer;
}

Cost bound_of(const Answer<Cost>& answer, const prices::Prices& prices) {
  return bounds::rounding(answer.split_cost, 0, prices.total - answer.cost_per_leaf, 0);
}

}  // namespace treeproof::portfolio
