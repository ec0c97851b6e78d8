// A lower bound from the problem in which multiway splits may leave out categories
// (multiway_cost.hpp). The unit step holds for this problem, but not for the true one where each
// child is paid for, so that it is solved many times faster. Its optimum is usually the true one;
// where it is lower, the search for the true optimum starts from this bound.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "search/exchange.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/first_tree/prune_to.hpp"
#include "search/threshold/label_parts.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/threads/crew.hpp"

namespace treeproof::threshold {

// Keeps the trees of the relaxed search, pruned for their true costs.
class TrueTrees final : public Exchange<Cost> {
 public:
  TrueTrees(const LabelParts& parts, StumpSolver<Misclassification>& stumps, Answer<Cost>& best,
            Exchange<Cost>* others)
      : rows_(parts.rows), pruner_(parts.context, stumps), best_(best), others_(others) {}

  Cost upper() const override {
    return others_ == nullptr ? best_.upper : std::min(best_.upper, others_->upper());
  }
  std::optional<CostedTree<Cost>> better_than(Cost cost) const override {
    std::optional<CostedTree<Cost>> theirs;
    if (others_ != nullptr) theirs = others_->better_than(std::min(cost, best_.upper));
    if (theirs || best_.upper >= cost) return theirs;
    return CostedTree<Cost>{best_.tree, best_.upper};
  }
  void found(const SplitTree& tree, Cost) override {
    Answer<Cost> pruned = pruner_.prune(rows_, tree, 1 << 30);
    if (pruned.upper >= best_.upper) return;
    best_ = std::move(pruned);
    if (others_ != nullptr) others_->found(best_.tree, best_.upper);
  }
  void proved(Cost lower) override {
    if (others_ != nullptr) others_->proved(lower);
  }

 private:
  const RowSubset& rows_;
  TreePruner<Misclassification> pruner_;
  Answer<Cost>& best_;
  Exchange<Cost>* others_;
};

// Whether the relaxed problem has bounds that the true one lacks. With a minimum leaf size or a
// maximum number of splits, the lemma would need other arguments. Without a maximum depth, prices
// of rows help more than the unit step.
inline bool leaving_out_helps(const Context<Misclassification>& context) {
  const Settings<Cost>& settings = context.settings;
  return settings.use_leave_out && settings.use_unit_step && settings.further_child > 0 &&
         settings.min_leaf == 1 && settings.max_depth < 1 << 30 && settings.max_splits >= 1 << 30 &&
         !context.restricted();
}

// Returns a lower bound for the task and may replace `best`, a known tree, by a better one. Prices
// of rows are not used: a row that is left out pays its weight, which may be less than its price.
template <class Progress>
Cost bound_by_leaving_out(const LabelParts& parts, const Task<Cost>& task, const Switches& switches,
                          Answer<Cost>& best, Exchange<Cost>* exchange, const Progress& progress) {
  Context<Misclassification> context = parts.context;
  context.settings.leave_out = true;
  context.settings.prices = nullptr;
  StumpSolver<Misclassification> stumps(*context.columns, *context.loss);
  const std::unique_ptr<ClassTerminal> terminal = parts.make_terminal(context, stumps);
  Search<Misclassification, ClassTerminal> search(context, *terminal, stumps);
  Crew<Misclassification, ClassTerminal> crew(
      context, switches,
      [&](const auto& theirs, auto& own) { return parts.make_terminal(theirs, own); });
  StumpSolver<Misclassification> own_stumps(*context.columns, *context.loss);
  TrueTrees trees(parts, own_stumps, best, exchange);
  search.set_crew(&crew);
  search.set_exchange(&trees);
  search.set_progress([&](Cost lower, Cost, bool) { progress(lower, best.upper, false); });
  search.set_incumbent(best);
  const Answer<Cost> answer = search.solve(task);
  if (std::optional<CostedTree<Cost>> known = trees.better_than(best.upper))
    best = {Cost{}, known->cost, true, std::move(known->tree)};
  const Cost lower = std::min(answer.lower, best.upper);
  if (lower >= best.upper) ++context.counters->left_out_proofs;
  return lower;
}

}  // namespace treeproof::threshold
