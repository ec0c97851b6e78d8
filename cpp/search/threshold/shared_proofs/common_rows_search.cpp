#include "search/threshold/shared_proofs/common_rows_search.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace treeproof::threshold {
namespace {

constexpr std::size_t kMostDeepSets = 4096;
constexpr std::size_t kMostShallowSets = 1024;
constexpr std::size_t kMostWitnesses = 64;
constexpr Cost kMostPenalties = 16;

// Returns the number of masks to keep, which is smaller if they are long.
std::size_t room(const Context<Misclassification>& context, std::size_t most) {
  constexpr std::size_t kMostWords = std::size_t{1} << 20;
  const std::size_t words = static_cast<std::size_t>(context.columns->n_rows) / 64 + 1;
  return std::clamp(kMostWords / words, std::size_t{8}, most);
}

}  // namespace

CommonRowsSearch::CommonRowsSearch(const Context<Misclassification>& context,
                                   ClassTerminal& terminal, StumpSolver<Misclassification>& stumps,
                                   std::span<const Weight> weights)
    : context_(&context), terminal_(&terminal), stumps_(&stumps), lister_(context),
      two_splits_(context),
      prices_(context.settings.prices, context.settings.split_cost, *context.loss),
      deep_sets_(RowWeights(weights), room(context, kMostDeepSets), context.settings.use_unit_step),
      shallow_sets_(RowWeights(weights), room(context, kMostShallowSets),
                    context.settings.use_unit_step),
      witnesses_(RowWeights(weights), room(context, kMostWitnesses)), weights_(weights) {}

int CommonRowsSearch::affordable(Cost best) const {
  return best <= 0 ? 0 : static_cast<int>(std::min<Cost>((best - 1) / penalty(), 1 << 30));
}

bool CommonRowsSearch::suits(const Context<Misclassification>& context, const Task<Cost>& task,
                             Cost best) {
  const Cost penalty = context.settings.split_cost;
  return context.settings.use_common_rows_search && penalty > 0 &&
         best <= kMostPenalties * penalty && task.min_leaf == 1 && !context.has_multiway &&
         !context.restricted() && task.depth > ClassTerminal::kDepth &&
         task.splits >= kMostPenalties;
}

Answer<Cost> CommonRowsSearch::solve(const Task<Cost>& task, Answer<Cost> incumbent) {
  Answer<Cost> answer = std::move(incumbent);
  answer.lower = 0;
  Cost cutoff = (ClassTerminal::kDepth + 1) * penalty();
  while (!stopped()) {
    hear_others(answer);
    answer.lower = std::min(answer.lower, answer.upper);
    if (answer.lower == answer.upper) break;
    cutoff += penalty();
    if (answer.upper < cutoff + penalty()) cutoff = answer.upper;
    Answer<Cost> better = solve_node(*task.rows, cutoff, task.depth, false, 0);
    better.lower = std::max(better.lower, answer.lower);
    if (better.found) answer = std::move(better);
    else answer.lower = better.lower;
    check([&] { return stopped() || answer.lower >= std::min(cutoff, answer.upper); },
          "a finished stage proves its cut-off or its tree");
    if (progress_) progress_(answer.lower, answer.upper, false);
  }
  return answer;
}

Cost CommonRowsSearch::prove(const Task<Cost>& task, Cost upper) {
  Cost lower = 0;
  Cost cutoff = (ClassTerminal::kDepth + 1) * penalty();
  while (lower < upper && !stopped()) {
    cutoff += penalty();
    if (upper < cutoff + penalty()) cutoff = upper;
    const Answer<Cost> cheaper = solve_node(*task.rows, cutoff, task.depth, true, 0);
    if (cheaper.found) return lower;
    lower = std::max(lower, cheaper.lower);
    if (progress_) progress_(lower, upper, false);
  }
  return lower;
}

Answer<Cost> CommonRowsSearch::solve_node(const RowSubset& rows, Cost cutoff, int depth, bool any,
                                          std::size_t level) {
  while (levels_.size() <= level) levels_.emplace_back();
  Node node{&rows, depth - 1, any, level, {}, {}, {}, {}};
  const bool shared = level == 0 && crew_ != nullptr && crew_->n_threads() > 1;
  Answer<Cost>& answer = node.answer;
  answer.upper = cutoff;
  const Cost leaf = stumps_->leaf(rows);
  if (leaf < cutoff) {
    answer.upper = leaf;
    answer.found = true;
    if (any) return std::move(node.answer);
  }
  if (prices_(rows) >= answer.upper) {
    ++context_->counters->price_prunes;
    answer.lower = answer.upper;
    return std::move(node.answer);
  }
  const int deepest = std::min(depth, affordable(answer.upper));
  // Trees of more levels than that have at least as many splits.
  const Cost deeper = deepest < depth ? (deepest + 1) * penalty() : kInfiniteCost;
  if (deepest <= 0) {
    answer.lower = std::min({leaf, deeper, answer.upper});
    return std::move(node.answer);
  }
  if (deepest <= ClassTerminal::kDepth) {
    const Task<Cost> task{&rows, cutoff, deepest, 1 << 30, 1, {}, {}};
    Answer<Cost> found = terminal_->solve(task);
    found.lower = std::min({found.lower, deeper, found.upper});
    return found;
  }
  node.proved = deeper;
  look_ahead(node);
  if (!stopped() && !node.done()) {
    if (shared) share(node);
    else if (level == 0) take_turns(node);
    else work(node);
  }
  // Every cut was left out or closed by a bound of at least the best cost of that moment, and
  // the best cost only falls.
  if (node.listed && node.groups.empty() && node.halves.empty())
    answer.lower = std::min(node.proved, answer.upper);
  check([&] { return stopped() || node.done() || answer.lower == answer.upper; },
        "a node without open cuts proves its answer");
  return std::move(node.answer);
}

// The best tree of depth two, and the bounds on cuts that come with it.
void CommonRowsSearch::look_ahead(Node& node) {
  const Task<Cost> task{node.rows, node.answer.upper, ClassTerminal::kDepth, 1 << 30, 1, {}, {}};
  Answer<Cost> ahead = terminal_->solve(task);
  if (ahead.found) improve(node, ahead.upper, std::move(ahead.tree));
  if (stopped() || node.done()) return;
  // What the list leaves out costs the best at least, or no less than a cut that it holds.
  node.proved = std::min(node.proved, node.answer.upper);
  node.features.resize(static_cast<std::size_t>(context_->columns->n_features()));
  for (std::int32_t f = 0; f < context_->columns->n_features(); ++f) {
    if (context_->limits->stop(1 + node.rows->size() / 100)) return;
    price_cuts(*node.rows, f, node.features[static_cast<std::size_t>(f)]);
    lister_.list(*node.rows, f, node.answer.upper, terminal_->cuts(f),
                 node.features[static_cast<std::size_t>(f)], node.groups);
  }
  node.listed = true;
}

// Bounds both sides of every cut by the prices of their rows.
void CommonRowsSearch::price_cuts(const RowSubset& rows, std::int32_t f, FeatureCuts& cuts) {
  if (context_->columns->kind(f) != FeatureKind::ordered) return;
  prices_.sum_along(rows, f, price_sums_);
  cuts.left_priced.clear();
  cuts.right_priced.clear();
  if (price_sums_.empty()) return;
  for (std::uint32_t p = 0; p <= rows.size(); ++p) {
    cuts.left_priced.push_back(prices_.left(price_sums_, p));
    cuts.right_priced.push_back(prices_.right(price_sums_, p));
  }
}

void CommonRowsSearch::improve(Node& node, Cost cost, SplitTree tree) {
  if (cost >= node.answer.upper) return;  // another thread has found a better one
  node.answer.upper = cost;
  node.answer.found = true;
  node.answer.tree = std::move(tree);
  node.better = true;
  if (node.level == 0 && others_ != nullptr) others_->found(node.answer.tree, cost);
  if (node.level == 0 && progress_) tell(node);
}

// Adopts a cheaper tree that another search for the same problem has found.
void CommonRowsSearch::hear_others(Answer<Cost>& answer) const {
  if (others_ == nullptr || others_->upper() >= answer.upper) return;
  std::optional<CostedTree<Cost>> better = others_->better_than(answer.upper);
  if (!better) return;
  answer.upper = better->cost;
  answer.found = true;
  answer.tree = std::move(better->tree);
}

}  // namespace treeproof::threshold
