// Finds out what a group of cuts needs to be settled: which of its sides must have a higher bound.
#include <algorithm>

#include "search/threshold/shared_proofs/common_rows_search.hpp"

namespace treeproof::threshold {

// True if nothing has changed for the question that the group asked last.
bool CommonRowsSearch::asks_still(Node& node, CutGroup& group) {
  if (!group.asks || group.version != node.cuts(group).version || group.upper != node.answer.upper)
    return false;
  const int depth = std::min(node.depth, affordable(group.target));
  CostlySets& costly_sets = costly_sets_for(group.target);
  if (costly_sets.prove(group.rows, group.target, depth, group.seen_sets)) return false;
  group.seen_sets = costly_sets.end();
  if (group.alone) return true;
  if (witnesses_.refute(group.rows, group.target, depth, group.seen_witnesses)) return false;
  group.seen_witnesses = witnesses_.end();
  return true;
}

bool CommonRowsSearch::ask(Node& node, CutGroup& group) {
  return group.kind == CutKind::left_leaf || group.kind == CutKind::right_leaf
             ? ask_step(node, group)
             : ask_cut(node, group);
}

// Of the steps first .. last, the last one leaves the fewest rows, and the first one allows the
// highest cost for their tree: if those rows cost at least that much, all of the steps are settled.
bool CommonRowsSearch::ask_step(Node& node, CutGroup& group) {
  const FeatureCuts& cuts = node.cuts(group);
  const bool left = group.kind == CutKind::left_leaf;
  const auto& steps = left ? cuts.left_leaf : cuts.right_leaf;
  const Part rest = left ? Part::right : Part::left;
  const Cost budget = node.answer.upper - penalty();
  for (;; --group.last) {
    const LeafStep& last = steps[group.last];
    const Cost bound = last.leaf + cuts.lower(rest, last.position, true);
    if (bound < budget) break;
    node.close(penalty() + bound);
    if (group.last == group.first) return false;
  }
  const std::uint32_t position = steps[group.last].position;
  const Cost target = budget - steps[group.first].leaf;
  const auto close_all = [&] {
    node.close(penalty() + steps[group.first].leaf + cuts.lower(rest, position, true));
    return false;
  };
  if (cuts.lower(rest, position, true) >= target) return close_all();
  if (!request(node, group, rest, position, target, false)) return close_all();
  if (!group.alone || group.first == group.last) return true;
  halve(node, group);
  return false;
}

// The rows left of every cut of a range include those left of its first cut, and the rows right of
// it those right of its last cut. Splits on both sides are assumed (cuts with a leaf are steps of
// their own), so each side costs at least one penalty.
bool CommonRowsSearch::ask_cut(Node& node, CutGroup& group) {
  const FeatureCuts& cuts = node.cuts(group);
  const bool range = group.kind == CutKind::range;
  const Cost least = range ? penalty() : 0;
  for (;;) {
    const Cost budget = node.answer.upper - penalty();
    const auto position = [&](std::uint32_t k) { return range ? cuts.boundaries[k] : group.first; };
    const auto bound = [&](Part part, std::uint32_t k) {
      return std::max(least, cuts.lower(part, position(k), range));
    };
    const auto closed = [&](std::uint32_t k) {
      const Cost children = bound(Part::left, k) + bound(Part::right, k);
      if (children < budget) return false;
      node.close(penalty() + children);
      return true;
    };
    while (closed(group.first)) {
      if (group.first == group.last || !range) return false;
      ++group.first;
    }
    while (range && group.first < group.last && closed(group.last)) --group.last;
    KnownSide left{position(group.first), Part::left, 0, kInfiniteCost, false};
    KnownSide right{position(group.last), Part::right, 0, kInfiniteCost, false};
    if (const KnownSide* known = cuts.find(Part::left, left.position)) left = *known;
    if (const KnownSide* known = cuts.find(Part::right, right.position)) right = *known;
    left.lower = bound(Part::left, group.first);
    right.lower = bound(Part::right, group.last);
    if (left.lower + right.lower >= budget) {
      node.close(penalty() + left.lower + right.lower);
      return false;
    }
    if (range) {  // a leaf may be used if it costs no more than the split that is counted anyway
      const auto leaf = [&](KnownSide& side, Cost cost) {
        side.upper = std::min(side.upper, cost);
        side.exact = side.exact || cost <= penalty();
      };
      leaf(left, cuts.left_cost[group.first]);
      leaf(right, cuts.right_cost[group.last]);
    }
    if (ask_side(node, group, left, right, least)) return true;
    if (stopped() || node.done()) return true;
    if (!group.asks) continue;  // proved just now, so check again
    if (range && group.first < group.last) {
      halve(node, group);
      return false;
    }
    if (node.gate != nullptr) {  // later, and without the lock
      group.settles = true;
      return true;
    }
    settle(node, group);
    if (stopped() || node.done()) return true;
  }
}

// Requests a bound for one side. Returns false if a costly set already proves it (then the group
// requests nothing), or if both sides are known well enough to see that the ends of the range do
// not settle it.
bool CommonRowsSearch::ask_side(Node& node, CutGroup& group, const KnownSide& left,
                                const KnownSide& right, Cost least) {
  const Cost budget = node.answer.upper - penalty();
  const bool both = left.exact && right.exact;
  if (both || std::max(least, left.upper) + std::max(least, right.upper) < budget) {
    group.asks = true;
    return false;
  }
  if (left.exact || right.exact) {
    const KnownSide& known = left.exact ? left : right;
    const KnownSide& other = left.exact ? right : left;
    return request(node, group, other.part, other.position, budget - known.lower, false) &&
           !group.alone;
  }
  // Request the side with the weaker bound, up to the next penalty.
  const KnownSide& side = left.lower <= right.lower ? left : right;
  const KnownSide& other = left.lower <= right.lower ? right : left;
  const Cost stage =
      std::max((ClassTerminal::kDepth + 1) * penalty(), (side.lower / penalty() + 1) * penalty());
  return request(node, group, side.part, side.position, std::min(budget - other.lower, stage),
                 true);
}

void CommonRowsSearch::halve(Node& node, const CutGroup& group) {
  const std::uint32_t middle = group.first + (group.last - group.first) / 2;
  node.halves.push_back({group.kind, group.feature, group.first, middle});
  node.halves.push_back({group.kind, group.feature, middle + 1, group.last});
}

void CommonRowsSearch::side_mask(const Node& node, const CutGroup& group, Part part,
                                 std::uint32_t position, RowMask& mask) const {
  const RowSubset& rows = *node.rows;
  const std::uint32_t* list = rows.list(group.feature);
  mask = RowMask(static_cast<std::size_t>(context_->columns->n_rows));
  const bool category = group.kind == CutKind::category;
  const std::uint32_t first = category ? group.first : 0;
  const std::uint32_t last = category ? group.last : position;
  for (std::uint32_t k = 0; k < rows.size(); ++k)
    if ((k >= first && k < last) == (part == Part::left)) mask.insert(rows.row(list[k]));
}

// Sets the request of the group. Returns false if a costly set already proves it.
bool CommonRowsSearch::request(Node& node, CutGroup& group, Part part, std::uint32_t position,
                               Cost target, bool exact) {
  const bool same_rows = !group.rows.empty() && group.part == part && group.position == position;
  if (!same_rows) {
    side_mask(node, group, part, position, group.rows);
    context_->limits->stop(node.rows->size() / 200);
  }
  if (!same_rows || group.target != target) {
    group.seen_sets = group.seen_witnesses = 0;
    group.alone = false;
  }
  group.asks = true;
  group.part = part;
  group.position = position;
  group.target = target;
  group.exact = exact;
  const int depth = std::min(node.depth, affordable(target));
  CostlySets& costly_sets = costly_sets_for(target);
  FeatureCuts& cuts = node.cuts(group);
  if (costly_sets.prove(group.rows, target, depth, group.seen_sets)) {
    ++context_->counters->costly_set_prunes;
    KnownSide& side = cuts.side(part, position);
    side.lower = std::max(side.lower, target);
    group.asks = false;
    return false;
  }
  group.seen_sets = costly_sets.end();
  if (!group.alone && witnesses_.refute(group.rows, target, depth, group.seen_witnesses)) {
    ++context_->counters->witness_refutations;
    group.alone = true;
  }
  group.seen_witnesses = witnesses_.end();
  group.version = cuts.version;
  group.upper = node.answer.upper;
  return true;
}

}  // namespace treeproof::threshold
