// The policy of a Monte Carlo search: which split to try next in a tree, and the value of a tree
// given its continuations.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "stream/branch_statistics.hpp"
#include "stream/random.hpp"
#include "stream/search_state.hpp"
#include "stream/working_tree.hpp"

namespace treeproof::stream {

// A move: stop here, follow an edge, or try a split for the first time.
struct Move {
  enum class Kind : std::uint8_t { stop, known, fresh };
  Kind kind = Kind::stop;
  std::size_t edge = 0;
  std::int32_t leaf = -1;  // node of the working tree
  Split split;
};

// A state as a policy sees it, with its current estimates.
//
// In the thesis, the value of a tree that was never expanded is its own accuracy. But splits of
// different leaves are independent of each other, so the gains of the best splits of all leaves add
// up. The `outlook` of a tree is therefore its value plus, for each leaf, the gain of its best
// split beyond the penalty. On XOR, the right first split gains nothing by itself; the outlook
// shows its value as soon as it was tried once.
//
// The largest of many estimated gains is biased upwards. A gain g that was estimated from n rows is
// a difference of two counts and has a standard deviation of about sqrt(g / n). Two corrections are
// made for this. The outlook, which guides the search, is lowered by half a standard deviation
// (median accuracy on random-tree-1: .936 without this, .961 with half of one, .938 with a whole
// one). And a split that was never tried enters the proposed tree only if its gain exceeds
// sqrt(2 log m) standard deviations, about the largest value that m splits without any gain reach
// by chance.
class Situation {
 public:
  Situation(const State& state, const WorkingTree& tree, StatisticsTable& table,
            const std::vector<State>& states, double penalty);

  const State& state;
  Estimate stop;         // of stopping here: the accuracy of the tree
  double outlook = 0.0;  // what splitting every leaf that is worth it would add
  double surely = 0.0;   // the same, but only gains that cannot be explained by chance

  // Such splits: (node of the tree, split).
  const std::vector<std::pair<std::int32_t, Split>>& sure_splits() const { return sure_splits_; }

  Estimate known(std::size_t edge) const;
  std::int64_t visits(std::size_t edge) const;

  // Calls visit(leaf, split index, estimate) for each split not tried yet.
  template <class Visit>
  void for_each_fresh(Visit visit) const {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const auto& splits = statistics(i).splits();
      for (std::size_t s = 0; s < splits.size(); ++s)
        if (splits[s].mean >= 0.0 && !tried(i, s)) visit(leaves_[i], s, fresh(i, splits[s]));
    }
  }
  Split split(std::size_t s) const { return table_.layout().splits[s]; }

  // The best split not tried yet by its mean; none: kind stop.
  Move best_fresh(Estimate& estimate) const;
  std::size_t n_fresh() const { return n_fresh_; }
  // The r-th split not tried yet.
  Move fresh_at(std::size_t r) const;

 private:
  const BranchStatistics& statistics(std::size_t leaf) const;
  bool tried(std::size_t leaf, std::size_t split) const {
    return !tried_.empty() && tried_[leaf * table_.layout().splits.size() + split];
  }
  Estimate fresh(std::size_t leaf, const Estimate& split) const;

  const WorkingTree& tree_;
  StatisticsTable& table_;
  const std::vector<State>& states_;
  double penalty_;
  std::vector<std::int32_t> leaves_;  // nodes of the tree that have tables
  std::vector<double> gain_;          // per such leaf: its part of the outlook
  std::vector<std::pair<std::int32_t, Split>> sure_splits_;
  std::vector<bool> tried_;  // [leaf * splits + split]
  std::size_t n_fresh_ = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual Move choose(const Situation& situation, Random& random) const = 0;
  // The value of a state is folded from its moves, stopping and fresh splits first. The
  // default is the best mean (Eqs. 5.7 and 6.15), with the outlook for fresh splits.
  virtual Estimate stop_and_fresh(const Situation& situation) const;
  virtual Estimate fold(const Estimate& a, const Estimate& b) const;
};

std::unique_ptr<Policy> upper_confidence_policy(double gamma);
std::unique_ptr<Policy> epsilon_greedy_policy(double gamma);
// `clark`: propagate with Clark's approximation of the maximum in place of Eq. 6.15.
std::unique_ptr<Policy> thompson_policy(double gamma, bool clark);

}  // namespace treeproof::stream
