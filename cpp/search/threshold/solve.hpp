// The exact search for trees over every threshold of numeric features, together with binary and
// categorical features.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bounds/prices/price_board.hpp"
#include "core/events.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/columns.hpp"
#include "loss/targets.hpp"
#include "search/exchange.hpp"
#include "search/result.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::threshold {

template <class Value>
class Record;  // record.hpp

struct Labels {
  std::span<const std::int32_t> labels;
  std::int32_t n_classes;
  std::span<const Weight> weights;
  std::int64_t total_weight;
  // See loss/misclassification.hpp; empty if no equal rows have different classes. With swings, the
  // costs of a search leave out the errors that every tree makes.
  std::span<const Weight> swings = {};
  std::span<const Weight> pair_gains = {};  // data/problem.hpp; empty if not known
  // The order of predictions along each feature (Misclassification::direction); empty if free.
  std::span<const std::int32_t> directions = {};

  // The cost of the errors that every tree makes.
  Cost forced() const {
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < swings.size(); ++r) sum += weights[r] - swings[r];
    return cost_of(sum);
  }
};

template <class Value>
using Result = SplitResult<Value>;

// Options that cannot change the optimum: the number of threads, and switches for tests.
struct Switches {
  int n_threads = 1;
  bool helpers_first = false;  // wait until all threads have started
  bool unit_step = true;
  bool inheritance = true;
  bool partitions = true;
  bool common_rows_search = true;
  bool costly_sets = true;
  bool common_rows = true;
  bool two_splits = true;
  bool leaf_gain = true;
  bool boxes = true;
  bool sets = true;
  bool leave_out = true;
  bool chains = true;
  bool pairs = true;
  bool counts = true;
  bool portable_kernels = false;
  int coarse_cuts = 24;
  int fine_bins_from = 4'096;
  int most_bins = 128;
  // Prices of the rows of the table, which may improve while the search runs; for labels only.
  const prices::PriceBoard* prices = nullptr;
};

// If a record is given, it is filled for a prover. With an exchange, the search starts from the
// best tree known there, adopts cheaper trees while it runs, and reports its own.
Result<Cost> solve_labels(const Columns& columns, const Labels& labels,
                          const TreeLimits& tree_limits, const Switches& switches, Limits& limits,
                          const Observer& observer, Record<Cost>* record = nullptr,
                          Exchange<Cost>* exchange = nullptr);

using treeproof::Criterion;
using treeproof::Targets;

// Costs are fractions of the loss of a single leaf; bounds hold within a relative 1e-9
// (loss/tolerance.hpp).
Result<double> solve_targets(Criterion criterion, const Columns& columns, const Targets& targets,
                             const TreeLimits& tree_limits, const Switches& switches,
                             Limits& limits, const Observer& observer,
                             Record<double>* record = nullptr,
                             Exchange<double>* exchange = nullptr);

}  // namespace treeproof::threshold
