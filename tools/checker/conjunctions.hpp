// The search for a set of rows that a conjunction of at most so many outcomes of tests describes,
// and that weighs more than a given number: section 9 of docs/proof-format.md.
//
// The search is depth-first. It goes from a set of rows to the subsets that have one more outcome.
// The loss of an outcome is the positive weight that it removes from a set, and its gain is the
// negative weight that it removes. Among the outcomes that are added to a set, let one be the
// outcome with the largest loss (of several such outcomes, the last in a fixed order); all others
// come before it. The rows that remain weigh at most the positive weight that this outcome leaves,
// less the negative weight that is not removed; and the other outcomes remove at most the sum of
// their gains. An outcome without a gain is of no use, and neither is one that leaves no more
// positive weight than the given number.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "problem.hpp"

namespace checker {

class ConjunctionSearch {
 public:
  // `weights` are those of the merged rows.
  ConjunctionSearch(const Problem& problem, std::vector<std::int64_t> weights, std::int64_t most)
      : weights_(std::move(weights)), most_(most) {
    std::size_t n_outcomes = 0;
    for (const Test& test : problem.tests) n_outcomes += test.n_outcomes;
    require(n_outcomes * weights_.size() < std::size_t{1} << 24,
            "there are too many tests for prices of few levels");
    Rows all(weights_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
    std::set<Rows> seen;
    std::vector<Rows> kept;
    for (std::size_t t = 0; t < problem.tests.size(); ++t) {
      for (std::size_t v = 0; v < problem.tests[t].n_outcomes; ++v) {
        Rows rows = problem.restricted(all, t, v);
        if (seen.insert(rows).second) kept.push_back(std::move(rows));
      }
    }
    n_ = kept.size();
    keeps_.assign(all.size() * n_, 0);
    for (std::size_t o = 0; o < n_; ++o) {
      for (const std::uint32_t row : kept[o]) keeps_[row * n_ + o] = -1;
    }
  }

  // `poll` is called often, and may throw.
  template <class Poll>
  bool finds_one(std::int64_t most_outcomes, const Poll& poll) {
    Rows rows;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      sum += weights_[i];
      if (weights_[i] != 0) rows.push_back(static_cast<std::uint32_t>(i));
    }
    std::vector<std::size_t> every(n_);
    for (std::size_t o = 0; o < n_; ++o) every[o] = o;
    return sum > most_ || (most_outcomes > 0 && below(rows, every, most_outcomes, poll));
  }

 private:
  struct Candidate {
    std::int64_t loss, gain;
    std::size_t outcome;
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  // Whether the rows with at least one and at most `left` of these outcomes weigh too much.
  template <class Poll>
  bool below(const Rows& rows, const std::vector<std::size_t>& usable, std::int64_t left,
             const Poll& poll) {
    poll();
    std::vector<Candidate> candidates;
    const auto [positive, negative] = add_up(rows);
    for (const std::size_t o : usable) {
      if (positive_[o] <= most_ || negative_[o] == negative) continue;
      if (positive_[o] + negative_[o] > most_) return true;
      candidates.push_back({positive - positive_[o], negative_[o] - negative, o});
    }
    if (left < 2) return false;
    std::sort(candidates.begin(), candidates.end());
    // The largest gains of the outcomes before, in descending order.
    std::vector<std::int64_t> gains;
    std::int64_t others = 0;  // the sum of these gains
    std::vector<std::size_t> before;
    for (const Candidate& last : candidates) {
      const std::int64_t untaken = std::min<std::int64_t>(0, negative + last.gain + others);
      if (positive - last.loss + untaken > most_ &&
          below(restricted(rows, last.outcome), before, left - 1, poll))
        return true;
      before.push_back(last.outcome);
      gains.insert(std::upper_bound(gains.begin(), gains.end(), last.gain, std::greater<>()),
                   last.gain);
      others += last.gain;
      if (static_cast<std::int64_t>(gains.size()) == left) {
        others -= gains.back();
        gains.pop_back();
      }
    }
    return false;
  }

  // The sums of positive and of negative weights, of all rows and of the rows with each outcome.
  std::pair<std::int64_t, std::int64_t> add_up(const Rows& rows) {
    positive_.assign(n_, 0);
    negative_.assign(n_, 0);
    std::int64_t positive = 0, negative = 0;
    for (const std::uint32_t row : rows) {
      const std::int64_t weight = weights_[row];
      std::int64_t* sums = (weight > 0 ? positive_ : negative_).data();
      const std::int64_t* keeps = keeps_.data() + row * n_;
      for (std::size_t o = 0; o < n_; ++o) sums[o] += weight & keeps[o];
      (weight > 0 ? positive : negative) += weight;
    }
    return {positive, negative};
  }
  Rows restricted(const Rows& rows, std::size_t outcome) const {
    Rows kept;
    for (const std::uint32_t row : rows) {
      if (keeps_[row * n_ + outcome] != 0) kept.push_back(row);
    }
    return kept;
  }

  const std::vector<std::int64_t> weights_;
  const std::int64_t most_;
  std::size_t n_ = 0;  // the number of distinct outcomes
  // [row * n + outcome]: -1 if the row has the outcome, otherwise 0.
  std::vector<std::int64_t> keeps_;
  std::vector<std::int64_t> positive_, negative_;
};

}  // namespace checker
