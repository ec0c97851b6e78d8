#include "search/rules/improve.hpp"

#include <algorithm>
#include <bit>

namespace treeproof::rules {
namespace {

// A node of a draft with the rows that reach it.
struct Place {
  Draft* node;
  Mask rows;
  int level;
};

void side_of(const RuleTable& table, const Draft& node, const Mask& rows, bool positive,
             Mask& out) {
  const Word* side = table.positive(static_cast<std::size_t>(node.rule));
  out.resize(rows.size());
  for (std::size_t w = 0; w < rows.size(); ++w) out[w] = rows[w] & (positive ? side[w] : ~side[w]);
}

void list_places(const RuleTable& table, Draft& node, Mask rows, int level,
                 std::vector<Place>& places) {
  if (!node.is_leaf()) {
    Mask part;
    for (const bool positive : {true, false}) {
      side_of(table, node, rows, positive, part);
      list_places(table, node.sides[positive ? 0 : 1], part, level + 1, places);
    }
  }
  places.push_back({&node, std::move(rows), level});
}

std::size_t majority(const RowLayout& layout, const Mask& rows) {
  std::vector<std::int64_t> weights(layout.n_classes());
  layout.class_weights(rows.data(), weights.data());
  return static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
}

// The rows of `all` that a subtree predicts right, its leaves labelled by `rows`.
void mark_right(const RuleTable& table, const Draft& node, const Mask& rows, const Mask& all,
                Mask& right) {
  if (!node.is_leaf()) {
    Mask some, every;
    for (const bool positive : {true, false}) {
      side_of(table, node, rows, positive, some);
      side_of(table, node, all, positive, every);
      mark_right(table, node.sides[positive ? 0 : 1], some, every, right);
    }
    return;
  }
  const RowLayout& layout = table.rows();
  const std::size_t label = majority(layout, rows);
  for (std::size_t w = layout.first_word(label); w < layout.first_word(label + 1); ++w)
    right[w] |= all[w];
}

// The rule that sends the least weight to the wrong side, of those looked at in time.
std::int32_t best_router(const RuleTable& table, const Mask& prefer_positive,
                         const Mask& prefer_negative, Worker& worker) {
  const std::size_t n = table.n_words();
  Mask disappointed(n);
  std::int64_t least = INT64_MAX;
  std::int32_t best = -1;
  for (std::size_t rule = 0; rule < table.n_rules(); ++rule) {
    const Word* side = table.positive(rule);
    for (std::size_t w = 0; w < n; ++w)
      disappointed[w] = (side[w] & prefer_negative[w]) | (~side[w] & prefer_positive[w]);
    const std::int64_t weight = table.rows().size(disappointed.data()).weight;
    if (weight < least) {
      least = weight;
      best = static_cast<std::int32_t>(rule);
    }
    if (rule % 64 == 63 && worker.stop(static_cast<std::uint32_t>(1 + n / 4))) break;
  }
  return best;
}

bool leaves_are_large(const RuleTable& table, const Draft& node, const Mask& rows,
                      const LeafSize& least) {
  if (node.is_leaf()) return least.allows(table.rows().size(rows.data()));
  Mask part;
  for (const bool positive : {true, false}) {
    side_of(table, node, rows, positive, part);
    if (!leaves_are_large(table, node.sides[positive ? 0 : 1], part, least)) return false;
  }
  return true;
}

Cost cost_below(const RuleTable& table, const Draft& node, const Mask& rows, Cost split_cost) {
  if (node.is_leaf()) return cost_of(table.rows().leaf_loss(rows.data()));
  Mask part;
  Cost cost = split_cost;
  for (const bool positive : {true, false}) {
    side_of(table, node, rows, positive, part);
    cost += cost_below(table, node.sides[positive ? 0 : 1], part, split_cost);
  }
  return cost;
}

// Chooses the rule of one node again; the row set it gets stays the same.
void choose_again(const RuleTable& table, const Settings& settings, const Place& place,
                  Worker& worker) {
  Draft& node = *place.node;
  if (node.sides[0].is_leaf() && node.sides[1].is_leaf()) {
    const BestSplit best = table.best_split(place.rows.data(), settings.least_leaf);
    worker.stop(scan_work(table.n_rules(), table.n_words()));
    if (best.found()) node.rule = best.rule;
    return;
  }
  const std::size_t n = table.n_words();
  Mask right[2], part;
  for (const bool positive : {true, false}) {
    side_of(table, node, place.rows, positive, part);
    Mask& marks = right[positive ? 0 : 1];
    marks.assign(n, 0);
    mark_right(table, node.sides[positive ? 0 : 1], part, place.rows, marks);
  }
  Mask prefer_positive(n), prefer_negative(n);
  for (std::size_t w = 0; w < n; ++w) {
    prefer_positive[w] = right[0][w] & ~right[1][w];
    prefer_negative[w] = right[1][w] & ~right[0][w];
  }
  const std::int32_t best = best_router(table, prefer_positive, prefer_negative, worker);
  if (best >= 0) node.rule = best;
}

}  // namespace

Cost cost_of_draft(const RuleTable& table, const Draft& draft, Cost split_cost) {
  return cost_below(table, draft, table.rows().all(), split_cost);
}

void improve(const RuleTable& table, const Settings& settings, Answer& answer, Worker& worker) {
  bool better = true;
  while (better && !worker.control.stopped()) {
    better = false;
    Draft trial = answer.draft;
    std::vector<Place> places;
    list_places(table, trial, table.rows().all(), 0, places);
    const std::size_t n_places = places.size();
    // Bottom up and top down: the last place is the root.
    for (std::size_t i = 0; i < n_places && !worker.control.stopped(); ++i) {
      trial = answer.draft;
      places.clear();
      list_places(table, trial, table.rows().all(), 0, places);
      if (places[i].node->is_leaf()) continue;
      choose_again(table, settings, places[i], worker);
      const Cost cost = cost_of_draft(table, trial, settings.split_cost);
      if (cost < answer.upper &&
          leaves_are_large(table, trial, table.rows().all(), settings.least_leaf)) {
        answer.upper = cost;
        answer.draft = trial;
        better = true;
      }
    }
  }
}

void split_one_leaf(const RuleTable& table, const Settings& settings, int depth, Answer& answer,
                    Worker& worker) {
  Draft trial = answer.draft;
  std::vector<Place> places;
  list_places(table, trial, table.rows().all(), 0, places);
  std::int64_t most = 0;
  Place* where = nullptr;
  std::int32_t rule = -1;
  for (Place& place : places) {
    if (!place.node->is_leaf() || place.level >= depth || worker.control.stopped()) continue;
    const BestSplit best = table.best_split(place.rows.data(), settings.least_leaf);
    worker.stop(scan_work(table.n_rules(), table.n_words()));
    if (!best.found()) continue;
    const std::int64_t gain = table.rows().leaf_loss(place.rows.data()) - best.loss;
    if (gain > most) {
      most = gain;
      where = &place;
      rule = best.rule;
    }
  }
  if (where == nullptr || cost_of(most) <= settings.split_cost) return;
  where->node->rule = rule;
  where->node->sides.resize(2);
  answer.draft = std::move(trial);
  answer.upper -= cost_of(most) - settings.split_cost;
}

}  // namespace treeproof::rules
