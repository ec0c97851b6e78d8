// A fit by levels, from the rows of a table as they were given to the answer.
//
// What happens before the search is decided here: which columns can be left out, whether equal rows
// are merged, and what the engines that take part get to see. What happens after it, too: the tree
// is translated back to the given columns, and chains of splits are folded.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "core/steps.hpp"
#include "data/columns.hpp"
#include "data/problem.hpp"
#include "loss/targets.hpp"
#include "search/portfolio/reduced_table.hpp"
#include "search/portfolio/solve.hpp"

namespace treeproof::portfolio {

struct LabelledRows {
  std::vector<Feature> features;
  std::span<const std::int32_t> codes;  // column-major
  std::span<const std::int32_t> labels;
  std::int32_t n_classes;
  std::span<const double> weights;
};

// Which engines take part in a fit.
struct LabelFitOptions {
  bool sparse = true;
  bool threshold = true;
  bool for_proof = false;  // a proof refers to every column and to the rows as they were given
  sparse::Options engine;
};

class LabelFit {
 public:
  // Called once the problem of the sparse search is known: may choose its keys, continue from a
  // checkpoint, and return a listener for the steps of the search (null: none).
  using OpenFiles = std::function<StepListener*(Problem& problem, sparse::Options& engine)>;

  LabelFit(LabelledRows rows, Request request, LabelFitOptions options);
  LabelFit(const LabelFit&) = delete;
  LabelFit& operator=(const LabelFit&) = delete;

  // If a limit is reached before the table is ready for a search, the answer is a single leaf.
  Answer<Cost> run(const OpenFiles& open_files, Limits& limits, const News<Cost>& news);

  // The number of cost units that stands for a cost of 1.0. From here on: valid during `news` and
  // after `run`.
  Cost unit() const { return cost_of(totals_.weight); }
  // A tree of the table that is searched, as a tree of the given table.
  SplitTree restore(const SplitTree& tree) const { return reduced_.restore(tree); }
  std::int64_t n_rows() const { return n_rows_; }  // of the table that was searched
  // What was found out before the search began.
  Statistics statistics() const;

 private:
  // The weight of all rows, and the cost of a single leaf.
  struct Totals {
    std::int64_t weight = 0;
    Cost leaf = 0;
  };

  Totals totals_of(const std::vector<Weight>& weights) const;
  void prepare(Limits& limits);
  LabelEngines make_engines(Limits& limits);

  const LabelledRows rows_;
  Request request_;
  const LabelFitOptions options_;
  ReducedTable reduced_;
  // The threshold search gets the rows as they were given instead of the merged ones.
  bool every_row_;
  std::span<const double> weights_;  // those of the rows as they were given, perhaps rounded
  std::vector<Weight> rounded_;
  std::vector<double> as_doubles_;
  Problem problem_;
  Columns columns_;
  std::vector<Weight> swings_, pair_gains_;
  Totals totals_;
  std::int64_t n_rows_ = 0;
  std::int64_t forced_ = 0;  // weight that every tree gets wrong
};

// The same for regression. Equal rows are not merged: their targets differ.
class TargetFit {
 public:
  TargetFit(std::vector<Feature> features, std::span<const std::int32_t> codes, Targets targets,
            Criterion criterion, Request request)
      : features_(std::move(features)), codes_(codes), targets_(targets), criterion_(criterion),
        request_(std::move(request)) {}

  Answer<double> run(Limits& limits, const News<double>& news) const;

  double unit() const { return 1.0; }
  SplitTree restore(const SplitTree& tree) const { return tree; }
  std::int64_t n_rows() const { return static_cast<std::int64_t>(targets_.weights.size()); }
  Statistics statistics() const { return {}; }

 private:
  const std::vector<Feature> features_;
  const std::span<const std::int32_t> codes_;
  const Targets targets_;
  const Criterion criterion_;
  const Request request_;
};

// The bound that prices prove for the trees of a fit, in units of cost.
Cost bound_of(const Answer<Cost>& answer, const prices::Prices& prices);

}  // namespace treeproof::portfolio
