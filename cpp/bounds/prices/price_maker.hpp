// Certified prices, better and better ones.
//
// A price for each point such that for every box B and class k
//
//   sum of the prices in B <= errors of class k on B + one split.                   (feasible)
//
// Lemma. The leaves of a tree on a set S of rows are disjoint boxes that cover S, one more than
// it has splits. Summing (feasible) over them: every tree on S costs at least the sum of the
// prices in S less one split. This holds for every S that a search meets.
//
// A multiway split with c children has to cost c - 1 splits for this to hold: see
// `cost_per_leaf`.
//
// Candidates come from a linear programme over stored boxes, which knows only some constraints.
// Scaled down by a factor, they are certified by complete pricing, one search for each class; the
// factor begins small, where that is easy, and rises as work is spent. If the heaviest box may
// weigh M, more than one split, scaling by split / M makes the prices feasible, so a search that
// is cut short gives prices too.
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
  std::vector<Cost> of_point;  // nonnegative
  Cost total = 0;
};

// A point's price shared out to its rows, in proportion to their weights.
std::vector<Cost> prices_of_rows(const Points& points, const Prices& prices,
                                 std::span<const Weight> weights);

// The same, ready for searches.
std::shared_ptr<const RowPrices> row_prices(const Points& points, const Prices& prices,
                                            std::span<const Weight> weights, Cost split_cost);

// The cost per further leaf of the cheapest way to split: what a two-way split costs where every
// leaf but one pays or no split is wider, else a share of the widest split.
Cost cost_per_leaf(Cost split_cost, std::span<const Feature> features, Penalize penalize);

class PriceMaker {
 public:
  // `split_cost` by `cost_per_leaf`. The prices are feasible for the boxes that `pricer` searches.
  PriceMaker(const Points& points, Cost split_cost, std::unique_ptr<Pricer> pricer);
  PriceMaker(const PriceMaker&) = delete;
  PriceMaker& operator=(const PriceMaker&) = delete;

  // Starts from prices for a larger table, of which `members` are this one's points: what is
  // certified for its boxes is so for the boxes of a part.
  void start_from(const PriceMaker& larger, std::span<const std::int32_t> members);

  // Goes on for about so many steps of the innermost loops (a billion takes about a second).
  // False once there is nothing left to gain.
  bool run(std::int64_t work, Limits& limits);

  // The best certified so far; replaced, never changed.
  std::shared_ptr<const Prices> best() const { return best_; }
  // Every tree on the whole table costs at least this.
  Cost bound() const { return best_->total - split_cost_; }
  // What the programme's best prices would bound if no box is heavier than those known. This is
  // low for a while whenever it takes up new boxes.
  double hoped() const { return hoped_; }
  // The same when the programme had last come to an end.
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
  // Counts the work; true once a limit is reached.
  bool spend_on_programme(std::int64_t work, Limits& limits);

  const Points& points_;
  Cost split_cost_;
  std::unique_ptr<Pricer> pricer_;
  int shift_;           // prices are multiples of 2^shift units of cost
  std::int32_t split_;  // one split in such multiples, rounded down
  Programme programme_;
  Dice dice_{7};
  std::vector<std::int32_t> inside_;

  Stage stage_ = Stage::programme;
  int rounds_left_;
  int news_at_ = 0;  // the last round that raised what the programme hopes for
  // The best of the programme's prices since it learned of boxes from a certification: what they
  // would bound, their shares and the heaviest box found, in splits.
  double hoped_ = 0.0;
  double settled_hope_ = 0.0;  // when a certification last began
  std::vector<double> shares_;
  double violation_ = 1.0;

  double factor_ = 0.4;
  double certified_factor_ = 0.0;
  std::vector<std::int32_t> candidate_;  // being certified, per point
  std::int32_t first_class_ = 0;         // the one where boxes were found last
  std::int32_t n_priced_ = 0;            // classes of the certification going on
  std::int32_t heaviest_ = 0;
  bool cut_short_ = false;
  std::unique_ptr<Pricing> pricing_;
  std::int64_t allowance_ = 0;  // of the certification going on
  std::int64_t used_ = 0;
  std::int64_t found_at_ = 0;    // the work until a box was found that costs most of the gain
  std::int64_t broken_off_ = 0;  // the work of certifications broken off since the last one ended
  int idle_ = 0;                 // certifications at full factor with little left to gain
  int in_vain_ = 0;              // those without a gain

  std::shared_ptr<const Prices> best_;
  std::int64_t n_nodes_ = 0;
  std::int64_t n_certified_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t programme_work_ = 0;
  std::int64_t programme_before_ = 0;  // when a certification last began
  std::int64_t last_programme_ = 0;    // of it, before the certification going on
  std::int64_t certify_work_ = 0;
};

}  // namespace treeproof::prices
