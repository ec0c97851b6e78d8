// Splits of the best-first search with one child for each category.
//
// The children are independent: their bounds add up, and each child is solved with what the others
// leave of the budget. Each child after the second may cost something (`price`). If the number of
// splits is limited, a table of the optimum of every child for every number of splits covers all
// ways to distribute the splits among the children.
#pragma once

#include "search/threshold/best_first/search.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
bool Search<L, Terminal>::open_multiway(Frame& frame, const Item& item) {
  const RootFeature& c = frame.candidates[item.candidate];
  const FeatureView view(*context_->columns, *frame.task->rows, c.feature);
  const std::vector<std::uint32_t> starts = view.runs();
  Level& level = levels_[frame.level];
  ++context_->counters->partitions;
  apart(frame, [&] { partitioner_.cut_runs(*frame.task->rows, c.feature, starts, level.parts); });
  for (std::size_t k = 0; k < starts.size(); ++k)
    if (level.parts[k].size() < frame.task->min_leaf) return true;
  return splits_matter(frame)
             ? multiway_bounded(frame, item, c, starts.size(), frame.task->splits - 1)
             : multiway_free(frame, item, c, starts.size());
}

template <Loss L, class Terminal>
bool Search<L, Terminal>::multiway_free(Frame& frame, const Item& item, const RootFeature& c,
                                        std::size_t n_parts) {
  std::vector<Value> lower(n_parts, Value{});
  std::vector<Answer<Value>> answers(n_parts);
  bool all_found = true;
  const std::vector<Value> weights = part_weights(levels_[frame.level], n_parts);
  const auto total = [&](const std::vector<Value>& costs) {
    MultiwayCost<Value> sum = settings().multiway();
    for (std::size_t k = 0; k < n_parts; ++k) sum.add(costs[k], weights[k]);
    return sum.total();
  };
  const auto half = [&](std::size_t k) -> Half {
    const CutSide part = part_of(levels_[frame.level], c.feature, k);
    return half_of(*frame.task->rows, part, true);
  };
  for (std::size_t k = 0; k < n_parts; ++k) lower[k] = known_half(frame, half(k));
  Value least = total(lower);
  // Returns the cost of part k from which on the whole split is no better than the best tree.
  const auto cutoff = [&](std::size_t k) {
    std::vector<Value> costs = lower;
    costs[k] += frame.best - least;
    return settings().leave_out && total(costs) < frame.best ? infinite() : costs[k];
  };
  for (std::size_t k = 0; k < n_parts; ++k) {
    Level& level = levels_[frame.level];
    level.inherited_left.assign(n_features(), Value{});
    level.cut = part_of(level, c.feature, k);
    answers[k] = child(frame, level.parts[k], c.left_splits, frame.task->min_leaf, cutoff(k),
                       level.inherited_left, level.out_left);
    lower[k] = std::max(answers[k].lower, lower[k]);
    least = total(lower);
    if (frame.task->halves_out != nullptr) frame.found_parts.push_back({half(k), lower[k]});
    all_found = all_found && answers[k].found;
    if (context_->limits->reason() != StopReason::none) return false;
    if (closes(least, frame.best)) break;
  }
  if (all_found && !closes(least, frame.best)) {
    SplitTree tree = stumps_->node(*frame.task->rows, c.feature, TestKind::multiway, 0, frame.size);
    std::vector<Value> costs(n_parts);
    for (std::size_t k = 0; k < n_parts; ++k) {
      complete(frame, levels_[frame.level].parts[k], c.left_splits, answers[k]);
      costs[k] = answers[k].upper;
      tree.children[k] = std::move(answers[k].tree);
    }
    improve(frame, total(costs), std::move(tree));
  }
  piece(frame, item.candidate, std::max(item.bound, least));
  return true;
}

// Returns the weights of the parts, for problems in which categories may be left out.
template <Loss L, class Terminal>
auto Search<L, Terminal>::part_weights(const Level& level, std::size_t n_parts) const
    -> std::vector<Value> {
  std::vector<Value> weights(n_parts, Value{});
  if (settings().leave_out)
    for (std::size_t k = 0; k < n_parts; ++k)
      for (std::uint32_t r = 0; r < level.parts[k].size(); ++r)
        weights[k] += context_->loss->weight(level.parts[k].row(r));
  return weights;
}

// Solves every child for every number of splits, then finds the best distribution of the splits.
template <Loss L, class Terminal>
bool Search<L, Terminal>::multiway_bounded(Frame& frame, const Item& item, const RootFeature& c,
                                           std::size_t n_parts, int splits) {
  const auto width = static_cast<std::size_t>(splits) + 1;
  std::vector<std::vector<Answer<Value>>> table(n_parts);
  std::vector<Value> share(width, Value{});  // best cost of the parts so far with k splits
  std::vector<std::vector<std::size_t>> given(n_parts, std::vector<std::size_t>(width));
  for (std::size_t part = 0; part < n_parts; ++part) {
    for (std::size_t k = 0; k < width; ++k) {
      Level& level = levels_[frame.level];
      level.inherited_left.assign(n_features(), Value{});
      level.cut = part_of(level, c.feature, part);
      table[part].push_back(child(frame, level.parts[part], static_cast<int>(k),
                                  frame.task->min_leaf, infinite(), level.inherited_left,
                                  level.out_left));
      if (context_->limits->reason() != StopReason::none) return false;
    }
    std::vector<Value> next(width, infinite());
    for (std::size_t k = 0; k < width; ++k)
      for (std::size_t mine = 0; mine <= k; ++mine)
        if (const Value cost = share[k - mine] + table[part][mine].upper; cost < next[k]) {
          next[k] = cost;
          given[part][k] = mine;
        }
    share = std::move(next);
  }
  const Value cost = price(n_parts) + share[width - 1];
  if (cost < frame.best) {
    SplitTree tree = stumps_->node(*frame.task->rows, c.feature, TestKind::multiway, 0, frame.size);
    std::size_t left = width - 1;
    for (std::size_t part = n_parts; part-- > 0;) {
      const std::size_t mine = given[part][left];
      complete(frame, levels_[frame.level].parts[part], static_cast<int>(mine), table[part][mine]);
      tree.children[part] = std::move(table[part][mine].tree);
      left -= mine;
    }
    improve(frame, cost, std::move(tree));
  }
  piece(frame, item.candidate, cost);
  return true;
}

}  // namespace treeproof::threshold
