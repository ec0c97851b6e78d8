// Computes certified prices and improves them as long as it is given time.
//
// Every point gets a price such that for every box B and every class k
//
//   sum of the prices in B <= errors of class k on B + one split.                   (feasible)
//
// Lemma. The leaves of a tree on a set S of rows are disjoint boxes that cover S, and there is one
// leaf more than there are splits. Summing (feasible) over the leaves: every tree on S costs at
// least the sum of the prices in S minus one split. This holds for every set S that a search meets.
//
// The lemma needs a multiway split with c children to cost at least c - 1 splits; `cost_per_leaf`
// sees to that.
//
// Candidates come from a linear programme over a list of stored boxes, that is, with some of the
// constraints only. Scaled down by a factor, they are certified by complete searches for the
// heaviest box, one for each class. The factor is small at first, which makes these searches easy,
// and rises as more work is spent. If the heaviest box may weigh M, more than one split, then
// scaling the prices by split / M makes them feasible, so that a search that is cut short yields
// certified prices as well.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bounds/prices/points.hpp"
#include "bounds/prices/price_board.hpp"
#include "bounds/prices/pricing.hpp"
#include "bounds/prices/programme.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"

namespace treeproof::prices {

struct Prices {
  std::vector<Cost> of_point;  // none is negative
  Cost total = 0;
};

// Divides the price of each point among its rows, in proportion to their weights.
std::vector<Cost> prices_of_rows(const Points& points, const Prices& prices,
                                 std::span<const Weight> weights);

// Does the same and returns the prices in the form that searches use.
std::shared_ptr<const RowPrices> row_prices(const Points& points, const Prices& prices,
                                            std::span<const Weight> weights, Cost split_cost);

// Returns the least cost of a further leaf: the cost of a two-way split, if penalties are charged
// by leaves or no split has more than two outcomes; otherwise that cost divided by the additional
// leaves of the widest split.
Cost cost_per_leaf(Cost split_cost, std::span<const Feature> features, Penalize penalize);

class PriceMaker {
 public:
  // `split_cost` is given by `cost_per_leaf`. The prices are feasible for all boxes that `pricer`
  // searches.
  PriceMaker(const Points& points, Cost split_cost, std::unique_ptr<Pricer> pricer);
  PriceMaker(const PriceMaker&) = delete;
  PriceMaker& operator=(const PriceMaker&) = delete;

  // Starts from the prices of a larger table, whose points `members` are the points of this one.
  // Prices that are feasible for its boxes are feasible for boxes of a part.
  void start_from(const PriceMaker& larger, std::span<const std::int32_t> members);

  // Goes on for about `work` steps of the innermost loops, of which a second has about a billion.
  // False once nothing is left to gain.
  bool run(std::int64_t work, Limits& limits);

  // The best prices certified so far. They are replaced by better ones, never changed in place.
  std::shared_ptr<const Prices> best() const { return best_; }
  // Every tree on the whole table costs at least this much.
  Cost bound() const { return best_->total - split_cost_; }
  // The bound that the best prices of the linear programme would give if no box were heavier than
  // those known. It falls for a while whenever the programme learns of new boxes.
  double hoped() const { return hoped_; }
  // The same value at the time when the last certification began.
  double settled_hope() const { return settled_hope_ > 0.0 ? settled_hope_ : hoped_; }
  double factor() const { return factor_; }
  std::int64_t n_nodes() const { return n_nodes_; }
  std::int64_t n_certified() const { return n_certified_; }
  std::int64_t work() const { return spent_; }

 private:
  enum class Stage { programme, certify, done };

  void programme_round(Limits& limits);
  double search_boxes(Limits& limits);
  bool enough_rounds() const;
  void begin_certifying();
  bool certify(std::int64_t work, Limits& limits);
  void begin_class();
  bool learn_boxes();
  void end_certifying();
  std::vector<std::int32_t> weights_for(std::int32_t k) const;
  // Counts work of the linear programme; true once a limit is reached.
  bool spend_on_programme(std::int64_t work, Limits& limits);

  const Points& points_;
  Cost split_cost_;
  std::unique_ptr<Pricer> pricer_;
  int shift_;           // prices are multiples of 2^shift units of cost
  std::int32_t split_;  // the cost of a split in such multiples, rounded down
  Programme programme_;
  Dice dice_{7};
  std::vector<std::int32_t> inside_;

  Stage stage_ = Stage::programme;
  int rounds_left_;
  int last_gain_round_ = 0;  // the last round that raised `hoped_`
  // The best prices of the programme since a certification last added boxes to it: the bound that
  // they would give, the prices themselves as shares of the weights, and the heaviest box found, in
  // splits.
  double hoped_ = 0.0;
  double settled_hope_ = 0.0;  // `hoped_` when a certification last began
  std::vector<double> shares_;
  double violation_ = 1.0;

  double factor_ = 0.4;
  double certified_factor_ = 0.0;
  std::vector<std::int32_t> candidate_;  // the prices to certify, per point
  std::int32_t first_class_ = 0;         // the class to search first: boxes were found there last
  std::int32_t n_priced_ = 0;            // classes that the current certification has finished
  std::int32_t heaviest_ = 0;
  bool cut_short_ = false;
  std::unique_ptr<Pricing> pricing_;
  std::int64_t allowance_ = 0;  // of work, for the current certification
  std::int64_t used_ = 0;
  std::int64_t work_until_found_ = 0;  // the work until a box was found that costs most of the gain
  std::int64_t broken_off_work_ = 0;   // by certifications since the last one that ended
  int near_hope_ = 0;                  // certifications at full factor with little left to gain
  int without_gain_ = 0;               // successive certifications at full factor without a gain

  std::shared_ptr<const Prices> best_;
  std::int64_t n_nodes_ = 0;
  std::int64_t n_certified_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t programme_work_ = 0;
  std::int64_t programme_before_ = 0;  // `programme_work_` when the last certification began
  std::int64_t last_programme_ = 0;    // the programme's work between the last two certifications
  std::int64_t certify_work_ = 0;
};

}  // namespace treeproof::prices
