// The exact search for sparse trees on binary and categorical tests.
#pragma once

#include "bounds/prices/first_prices.hpp"
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
  std::string kernel;            // empty: the best kernel for this machine
  int n_threads = 1;             // the optimum does not depend on it
  bool helpers_at_once = false;  // for tests
  Fault fault = Fault::none;
  // The search may stop once its lower bound is this high. Not available with a limit on splits.
  Cost cutoff = kInfiniteCost;
  // A checkpoint file that is written from time to time (empty: none), and its previous content.
  // Not available with a limit on splits.
  std::string checkpoint;
  const Checkpoint* resumed = nullptr;
  double checkpoint_pause = 0.5;
  // A memo that is shared with searches on other subsets of one table, whose rows have the same
  // names. Not available with a limit on splits.
  Memo* shared_memo = nullptr;
  // Other searches for the same problem. Their trees are adopted if their depth is allowed, and the
  // trees of this search are reported to them.
  Exchange<Cost>* exchange = nullptr;
  // Prices of the rows, which may improve while the search runs.
  const prices::PriceBoard* prices = nullptr;
  // The prices do not change, and the proof that is written contains them.
  bool cites_prices = false;
};

// `warm` is used by searches without a limit on splits.
SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, const Options& options,
                   Limits& limits, const Observer& observer, StepListener* listener = nullptr,
                   WarmStart* warm = nullptr);

// The same search with prices of rows that are available before it begins. The proof that it writes
// cites them if they are known from an earlier search.
SearchResult solve_with_prices(const Problem& problem, const TreeLimits& tree_limits,
                               Options options, const prices::FirstPrices& wanted, Limits& limits,
                               const Observer& observer, StepListener* listener = nullptr);

}  // namespace treeproof::sparse
