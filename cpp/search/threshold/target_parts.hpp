// Constructs the parts of a search for regression trees: the loss (loss/target_losses.hpp), the
// context, and a factory of solvers for the last levels.
//
// `constant` is called if a single leaf has no loss; otherwise `use` is called with the parts. With
// `preparing`, they throw `Stopped` if a limit is reached before everything is constructed.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "loss/target_losses.hpp"
#include "search/threshold/make_settings.hpp"
#include "search/threshold/searches.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof::threshold {

template <class Constant, class Use>
auto with_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                  const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                  bool preparing, Constant constant, Use use) {
  const auto prepare = [&](std::size_t cells) {
    if (preparing) limits.prepare(cells);
  };
  return with_target_loss(criterion, targets, constant, prepare, [&](const auto& loss) {
    using L = std::remove_cvref_t<decltype(loss)>;
    Counters counters;
    const Context<L> context = context_for(columns, loss, tree_limits, switches,
                                           tree_limits.split_penalty, limits, counters);
    if constexpr (requires { typename L::Phi; }) {  // a solver of depth two in lanes, from sums
      const ColumnCodes codes = make_codes(columns, BinTargets{}, preparing ? &limits : nullptr);
      return use(context, [&codes](const auto& theirs, auto& stumps) {
        return std::make_unique<MomentTerminal<typename L::Phi>>(theirs, stumps, codes);
      });
    } else {  // a solver of depth one on sorted lists
      return use(context, [](const auto& theirs, auto& stumps) {
        return std::make_unique<StumpTerminal<L>>(theirs, stumps);
      });
    }
  });
}

}  // namespace treeproof::threshold
