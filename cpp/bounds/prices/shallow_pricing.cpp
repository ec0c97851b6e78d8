#include "bounds/prices/shallow_pricing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/index.hpp"

namespace treeproof::prices {

ShallowPricing::ShallowPricing(const Literals& literals, int most_conditions,
                               std::vector<std::int32_t> weights, std::int32_t threshold)
    : literals_(literals), most_conditions_(most_conditions), weights_(std::move(weights)),
      threshold_(threshold), heaviest_(threshold) {
  path_.resize(index(std::max(1, most_conditions)));
  std::int64_t positive = 0;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    positive += std::max(0, weights_[i]);
    total += weights_[i];
    // Points of weight zero may lie in a box, but they do not change its weight.
    path_[0].inside.push_back(static_cast<std::int32_t>(i));
  }
  if (total > heaviest_) {
    heaviest_ = static_cast<std::int32_t>(total);
    keep_found(heaviest_, path_[0].inside);
  }
  if (positive <= heaviest_ || most_conditions < 1) {
    level_ = -1;
    return;
  }
  path_[0].usable = literals.all();
  enter(0);
}

std::int32_t ShallowPricing::most() const {
  std::int32_t most = heaviest_;
  for (int level = 0; level <= level_; ++level) {
    const Node& node = path_[index(level)];
    for (std::size_t at = 0; at < node.next; ++at) most = std::max(most, node.candidates[at].bound);
  }
  return most;
}

bool ShallowPricing::run(std::int64_t work, Limits& limits) {
  const std::int64_t until = work_ + work;
  std::int64_t told = work_;
  while (level_ >= 0) {
    if (work_ >= until) return false;
    Node& node = path_[index(level_)];
    if (node.next == 0) {
      --level_;
      continue;
    }
    const Candidate candidate = node.candidates[--node.next];
    if (candidate.bound <= heaviest_) continue;
    descend(level_, candidate);
    const std::int64_t done = std::exchange(told, work_);
    if (limits.stop(static_cast<std::uint32_t>(1 + (work_ - done) / kStepsPerMicrosecond)))
      return false;
  }
  return true;
}

// Adds a condition to the conjunction of a level, and examines the longer conjunction.
void ShallowPricing::descend(int level, const Candidate& candidate) {
  const Node& node = path_[index(level)];
  Node& child = path_[index(level + 1)];
  child.inside.clear();
  for (const std::int32_t i : node.inside)
    if (literals_.holds(candidate.literal, i)) child.inside.push_back(i);
  child.usable.clear();
  for (std::size_t at = 0; at < node.next; ++at)
    child.usable.push_back(node.candidates[at].literal);
  level_ = level + 1;
  enter(level_);
}

// Weighs the conjunction with each further condition, and lists the conditions that may lead to a
// box above the threshold.
void ShallowPricing::enter(int level) {
  Node& node = path_[index(level)];
  ++n_nodes_;
  work_ += 1 + literals_.add_up(node.inside, weights_, sums_);
  node.candidates.clear();
  std::int32_t best = heaviest_;
  Literal best_literal = -1;
  for (const Literal literal : node.usable) {
    const std::int32_t positive = sums_.positive_with(literal);
    const std::int32_t gain = sums_.negative_with(literal) - sums_.all_negative;
    if (gain == 0 || positive <= threshold_) continue;
    const std::int32_t weight = positive + sums_.negative_with(literal);
    if (weight > best) {
      best = weight;
      best_literal = literal;
    }
    node.candidates.push_back({sums_.all_positive - positive, gain, literal, 0});
  }
  if (best_literal >= 0) {
    heaviest_ = best;
    std::vector<std::int32_t> inside;
    for (const std::int32_t i : node.inside)
      if (literals_.holds(best_literal, i)) inside.push_back(i);
    keep_found(best, std::move(inside));
  }
  bound_candidates(node, most_conditions_ - level);
}

// Computes the bounds of Lemma (order) in the header. `conditions_left` includes the candidate.
void ShallowPricing::bound_candidates(Node& node, int conditions_left) {
  node.next = 0;
  if (conditions_left < 2) {
    node.candidates.clear();
    return;
  }
  std::ranges::sort(node.candidates, [](const Candidate& a, const Candidate& b) {
    return a.loss != b.loss ? a.loss < b.loss : a.literal < b.literal;
  });
  largest_gains_.assign(index(conditions_left - 1), 0);  // in descending order
  std::int64_t others = 0;                               // the sum of these gains
  for (Candidate& candidate : node.candidates) {
    const std::int64_t negative =
        std::min<std::int64_t>(0, sums_.all_negative + candidate.gain + others);
    candidate.bound = static_cast<std::int32_t>(sums_.all_positive - candidate.loss + negative);
    if (candidate.gain > largest_gains_.back()) {
      others += candidate.gain - largest_gains_.back();
      largest_gains_.back() = candidate.gain;
      std::ranges::sort(largest_gains_, std::greater<>());
    }
  }
  node.next = node.candidates.size();
}

namespace {
constexpr Literal kNone = -1;
}

// Starts with conditions that a given point satisfies.
void ShallowPricer::start_around(std::int32_t centre, Dice& dice) {
  conditions_.assign(index(most_conditions_), kNone);
  const std::vector<Literal>& all = literals_.all();
  for (Literal& condition : conditions_) {
    constexpr int kTries = 8;
    for (int t = 0; t < kTries && condition == kNone; ++t) {
      const Literal literal = all[dice.below(all.size())];
      if (literals_.holds(literal, centre)) condition = literal;
    }
  }
  violated_.assign(index(n_points_), 0);
  for (const Literal condition : conditions_)
    for (std::int32_t i = 0; condition != kNone && i < n_points_; ++i)
      violated_[index(i)] += literals_.holds(condition, i) ? 0 : 1;
}

// Replaces the condition in one slot by the best one, with all other conditions as they are; true
// if the box becomes heavier.
bool ShallowPricer::improve(std::span<const std::int32_t> weights, std::size_t slot,
                            std::int64_t& best) {
  const Literal old = conditions_[slot];
  members_.clear();
  for (std::int32_t i = 0; i < n_points_; ++i) {
    const std::int32_t by_this = old != kNone && !literals_.holds(old, i) ? 1 : 0;
    if (violated_[index(i)] == by_this) members_.push_back(i);
  }
  work_ += n_points_ + literals_.add_up(members_, weights, sums_);
  Literal chosen = old;
  const std::int64_t without = std::int64_t{sums_.all_positive} + sums_.all_negative;
  if (without > best) {
    best = without;
    chosen = kNone;
  }
  for (const Literal literal : literals_.all()) {
    const std::int64_t weight =
        std::int64_t{sums_.positive_with(literal)} + sums_.negative_with(literal);
    if (weight <= best) continue;
    best = weight;
    chosen = literal;
  }
  if (chosen == old) return false;
  for (std::int32_t i = 0; i < n_points_; ++i) {
    if (old != kNone && !literals_.holds(old, i)) --violated_[index(i)];
    if (chosen != kNone && !literals_.holds(chosen, i)) ++violated_[index(i)];
  }
  conditions_[slot] = chosen;
  return true;
}

std::int64_t ShallowPricer::find(std::span<const std::int32_t> weights,
                                 std::span<const std::int32_t> tight, std::int32_t threshold,
                                 Dice& dice, std::vector<std::int32_t>& inside) {
  std::size_t centre = dice.below(weights.size());
  if (tight.empty()) {
    constexpr int kTries = 50;
    for (int t = 0; t < kTries && weights[centre] <= 0; ++t) centre = dice.below(weights.size());
  } else {
    centre = index(tight[dice.below(tight.size())]);
  }
  start_around(static_cast<std::int32_t>(centre), dice);
  std::int64_t best = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) best += violated_[i] == 0 ? weights[i] : 0;
  constexpr int kSweeps = 10;
  bool better = true;
  for (int sweep = 0; sweep < kSweeps && better; ++sweep) {
    better = false;
    for (std::size_t slot = 0; slot < conditions_.size(); ++slot)
      better |= improve(weights, slot, best);
  }
  if (best <= threshold) return best;
  inside.clear();
  for (std::int32_t i = 0; i < n_points_; ++i)
    if (violated_[index(i)] == 0) inside.push_back(i);
  return best;
}

}  // namespace treeproof::prices
