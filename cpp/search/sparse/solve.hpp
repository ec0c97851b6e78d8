// The exact search for sparse trees on binary and categorical tests.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "core/steps.hpp"
#include "search/exchange.hpp"
#include "search/result.hpp"
#include "search/sparse/checkpoint.hpp"
#include "search/sparse/settings.hpp"
#include "search/sparse/warm_start.hpp"

namespace treeproof::sparse {

struct Options {
  Switches switches;
  std::string kernel;  // empty: the best this machine has
  int n_threads = 1;   // the optimum does not depend on it
  bool helpers_at_once = false;  // for tests
  Fault fault = Fault::none;
  // The search may stop once its lower bound is this high. Not for limits on splits.
  Cost cutoff = kInfiniteCost;
  // A file that is written now and then (empty: none), and what it held. Not for limits on
  // splits.
  std::string checkpoint;
  const Checkpoint* resumed = nullptr;
  double checkpoint_pause = 0.5;
  // The memo of other searches of parts of one table, their rows named alike. Not for limits
  // on splits.
  Memo* shared_memo = nullptr;
  // Other searches of the same question. Trees found there are taken over where their depth
  // allows it, and what this search finds is told.
  Exchange<Cost>* exchange = nullptr;
  // Prices of the problem's rows, which may get better while the search runs.
  const prices::PriceBoard* prices = nullptr;
  // They do not, and the proof that is written has them.
  bool cites_prices = false;
};

// `warm` is used by searches without a limit on splits.
SearchResult solve(const Problem& problem, const TreeLimits& tree_limits,
                   const Options& options, Limits& limits, const Observer& observer,
                   StepListener* listener = nullptr, WarmStart* warm = nullptr);

}  // namespace treeproof::sparse
