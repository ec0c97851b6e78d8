// Finds the heaviest box with a limited number of conditions, by depth-first search over
// conjunctions.
//
// Lemma (prices of a level). Suppose that in every conjunction of at most d conditions the prices
// sum to at most its errors for every class plus one split. Then every tree of depth at most d
// costs at least the sum of the prices minus one split, since its leaves are such conjunctions. A
// set S that is reached by c conditions has the same bound for its trees of depth at most d - c.
//
// Lemma (order). Every conjunction that contains Q consists of Q and further conditions. Order
// these conditions by their loss, which is the positive weight of Q that they exclude, and let l be
// the last one in this order: all others come before it. The box then weighs at most the positive
// weight of Q with l, and at most this plus the negative weight of Q with l, where each of the
// other conditions excludes no more negative weight than it does on all of Q (its gain). Conditions
// that exclude no negative weight can be left out without a loss. Conditions that leave no more
// positive weight than the threshold need not be followed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bounds/prices/literals.hpp"
#include "bounds/prices/pricing.hpp"
#include "core/limits.hpp"

namespace treeproof::prices {

class ShallowPricing final : public Pricing {
 public:
  ShallowPricing(const Literals& literals, int most_conditions, std::vector<std::int32_t> weights,
                 std::int32_t threshold);

  bool run(std::int64_t work, Limits& limits) override;
  std::int32_t most() const override;
  std::int64_t n_nodes() const override { return n_nodes_; }

 private:
  struct Candidate {
    std::int32_t loss;
    std::int32_t gain;
    Literal literal;
    std::int32_t bound;  // on the boxes below with this condition as the last one
  };
  // A conjunction with the conditions that may still be added to it.
  struct Node {
    std::vector<std::int32_t> inside;
    std::vector<Literal> usable;
    std::vector<Candidate> candidates;  // in ascending order of their losses
    std::size_t next = 0;               // candidates from here on have been examined
  };
  void enter(int level);
  void bound_candidates(Node& node, int conditions_left);
  void descend(int level, const Candidate& candidate);

  const Literals& literals_;
  const int most_conditions_;
  std::vector<std::int32_t> weights_;
  const std::int32_t threshold_;
  std::int32_t heaviest_;
  std::vector<Node> path_;
  int level_ = 0;  // of the last conjunction of the path; -1 when finished
  Literals::Sums sums_;
  std::vector<std::int32_t> largest_gains_;
  std::int64_t n_nodes_ = 0;
};

class ShallowPricer final : public Pricer {
 public:
  ShallowPricer(const Points& points, int most_conditions)
      : n_points_(points.size()), literals_(points), most_conditions_(most_conditions) {}

  std::int64_t find(std::span<const std::int32_t> weights, std::span<const std::int32_t> tight,
                    std::int32_t threshold, Dice& dice, std::vector<std::int32_t>& inside) override;
  std::int64_t take_work() override { return std::exchange(work_, 0); }
  std::unique_ptr<Pricing> begin(std::vector<std::int32_t> weights,
                                 std::int32_t threshold) override {
    return std::make_unique<ShallowPricing>(literals_, most_conditions_, std::move(weights),
                                            threshold);
  }

 private:
  void start_around(std::int32_t centre, Dice& dice);
  bool improve(std::span<const std::int32_t> weights, std::size_t slot, std::int64_t& best);

  const std::int32_t n_points_;
  const Literals literals_;
  const int most_conditions_;
  std::vector<Literal> conditions_;     // of the local search; kNone in a free slot
  std::vector<std::int32_t> violated_;  // per point: how many conditions exclude it
  std::vector<std::int32_t> members_;
  Literals::Sums sums_;
  std::int64_t work_ = 0;
};

}  // namespace treeproof::prices
