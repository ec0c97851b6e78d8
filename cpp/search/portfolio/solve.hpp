// Finds the best tree of a table with all suitable searches, with a certificate for every depth.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "bounds/prices/price_maker.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "core/steps.hpp"
#include "data/columns.hpp"
#include "data/problem.hpp"
#include "search/portfolio/climb.hpp"
#include "search/sparse/solve.hpp"
#include "search/threshold/solve.hpp"

namespace treeproof::portfolio {

struct Request {
  TreeLimits tree_limits;
  bool climb = true;          // prove one level of depth after the other as well
  bool polish = true;         // look for better trees by local search
  bool levels_first = false;  // for tests: the whole problem waits until all levels are proved
  bool prices = true;         // use prices of rows, which give good bounds on noisy data
  bool price_parts = true;    // also compute prices for parts of the table
  // The gap at which the search may end, as a share of the total and of the tree's own cost.
  double absolute_tolerance = 0.0;
  double relative_tolerance = 0.0;
  threshold::Switches switches;
};

template <class Value>
struct Answer {
  SplitTree tree;
  Outcome<Value> outcome;
  Value split_cost{};
  std::shared_ptr<const prices::Prices> prices;  // the best prices; null if there are none
  // The same for trees of at most this many levels.
  std::map<int, std::shared_ptr<const prices::Prices>> level_prices;
  Cost cost_per_leaf = 0;  // the penalty of a leaf for which the prices are certified
};

// The engines that take part in the search for a classification tree, and their input.
struct LabelEngines {
  const Problem* problem = nullptr;  // for the sparse search; null: it does not take part
  const Columns* columns = nullptr;  // for the threshold search; null: it does not take part
  threshold::Labels labels;          // of the columns' rows
  sparse::Options sparse;            // for the whole problem; levels use what applies to them
  StepListener* listener = nullptr;  // listens to the sparse search of the whole problem
};

Answer<Cost> solve_labels(const LabelEngines& engines, const Request& request,
                          std::int64_t total_weight, Cost leaf_cost, Limits& limits,
                          const News<Cost>& news);

Answer<double> solve_targets(const Columns& columns, const threshold::Targets& targets,
                             Criterion criterion, const Request& request, Limits& limits,
                             const News<double>& news);

// The tree that is a single leaf, with the bounds that hold for any table: the answer if a limit is
// reached before a search begins.
Answer<Cost> leaf_of_labels(const Request& request, std::int64_t total_weight, Cost leaf_cost,
                            Limits& limits, const News<Cost>& news);
Answer<double> leaf_of_targets(const threshold::Targets& targets, const Request& request,
                               Limits& limits, const News<double>& news);

}  // namespace treeproof::portfolio
