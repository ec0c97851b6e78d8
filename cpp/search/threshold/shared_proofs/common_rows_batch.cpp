// Answers the requests of groups of cuts: one proof for the rows that several sides have in common,
// or a solve of one side.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "search/threshold/shared_proofs/common_rows_search.hpp"

namespace treeproof::threshold {
namespace {

constexpr int kAnyDepth = std::numeric_limits<int>::max();

}  // namespace

// Marks the groups that a thread works on until the end of the scope.
class CommonRowsSearch::Taken {
 public:
  Taken(CommonRowsSearch& search, Node& node) : search_(search), node_(node) {}
  ~Taken() {
    for (CutGroup& group : node_.groups)
      if (group.taken_by == &search_) group.taken_by = nullptr;
    if (node_.gate != nullptr) search_.gate_hold_->tell_others();
  }
  void take(CutGroup& group) { group.taken_by = &search_; }

 private:
  CommonRowsSearch& search_;
  Node& node_;
};

// The groups to answer now, the most demanding first. Groups that two splits settle come before
// others, and a group that no common proof can help comes before all of them.
std::vector<std::size_t> CommonRowsSearch::choose(const Node& node) const {
  const auto untaken = [](const CutGroup& group) { return group.taken_by == nullptr; };
  const bool any_shallow = std::ranges::any_of(
      node.groups, [&](const CutGroup& group) { return untaken(group) && shallow(group.target); });
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < node.groups.size(); ++k)
    if (untaken(node.groups[k]) && (!any_shallow || shallow(node.groups[k].target)))
      order.push_back(k);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const CutGroup& x = node.groups[a];
    const CutGroup& y = node.groups[b];
    return x.alone != y.alone ? x.alone : x.target > y.target;
  });
  return order;
}

// Adds sides to the first one as long as no witness is cheap on the rows that all have in common;
// for long solves, always the side that leaves the most common rows.
std::vector<std::size_t> CommonRowsSearch::pack(Node& node, std::vector<std::size_t> order,
                                                RowMask& common) {
  const CutGroup& first = node.groups[order[0]];
  std::vector<std::size_t> batch{order[0]};
  common = first.rows;
  if (first.alone || !context_->settings.use_common_rows) return batch;
  const Cost target = first.target;
  const int depth = std::min(node.depth, affordable(target));
  order.erase(order.begin());
  std::erase_if(order, [&](std::size_t k) { return node.groups[k].target + penalty() < target; });
  RowMask attempt;
  while (!order.empty() && batch.size() < node.batch_limit) {
    auto next = order.begin();
    if (!shallow(target))
      next = std::ranges::max_element(order, {}, [&](std::size_t k) {
        return RowMask::count_common(common, node.groups[k].rows);
      });
    const std::size_t k = *next;
    order.erase(next);
    attempt.make_common(common, node.groups[k].rows);
    if (witnesses_.refute(attempt, target, depth)) continue;
    std::swap(common, attempt);
    batch.push_back(k);
  }
  return batch;
}

// Returns false if other threads work on all groups.
bool CommonRowsSearch::run_batch(Node& node) {
  RowMask common;
  std::vector<std::size_t> order = choose(node);
  if (order.empty()) return false;
  const std::vector<std::size_t> batch = pack(node, std::move(order), common);
  Taken taken(*this, node);
  for (const std::size_t k : batch) taken.take(node.groups[k]);
  const CutGroup first = node.groups[batch[0]];
  const Cost target = first.target;
  const bool single = batch.size() == 1;
  const Answer<Cost> answer = solve_rows(node, common, target, !(single && first.exact));
  if (stopped()) return true;
  ++context_->counters->common_rows_batches;
  if (answer.found) {
    ++context_->counters->failed_batches;
    node.batch_limit = std::max<std::size_t>(1, batch.size() / 2);
    if (single) record_tree(node, first, answer);
    return true;
  }
  node.batch_limit = std::max(2 * batch.size(), node.batch_limit);
  context_->counters->shared_proofs += static_cast<std::int64_t>(batch.size()) - 1;
  for (const CutGroup& group : node.groups) {
    if (group.taken_by != this) continue;
    KnownSide& side = node.cuts(group).side(group.part, group.position);
    side.lower = std::max(side.lower, std::min(target, answer.lower));
  }
  return true;
}

// Solves a cut that only an exact solve can settle, if there is one and several threads share the
// node; with one thread, it is solved where it is requested.
bool CommonRowsSearch::settle_one(Node& node) {
  const auto found = std::ranges::find_if(node.groups, [](const CutGroup& group) {
    return group.settles && group.taken_by == nullptr;
  });
  if (found == node.groups.end()) return false;
  Taken taken(*this, node);
  taken.take(*found);
  found->settles = false;
  // A copy: while the node is solved, other threads may add groups.
  const CutGroup group = *found;  // NOLINT(performance-unnecessary-copy-initialization)
  settle(node, group);
  return true;
}

// The solve of a single side has found a tree below its target; stores it for later requests.
void CommonRowsSearch::record_tree(Node& node, const CutGroup& group, const Answer<Cost>& answer) {
  FeatureCuts& cuts = node.cuts(group);
  KnownSide& side = cuts.side(group.part, group.position);
  side.upper = std::min(side.upper, answer.upper);
  if (answer.lower == answer.upper) {
    side.exact = true;
    side.lower = std::max(side.lower, answer.lower);
  }
  const bool left = group.kind == CutKind::left_leaf;
  if ((!left && group.kind != CutKind::right_leaf) || group.first != group.last) return;
  const LeafStep& step = (left ? cuts.left_leaf : cuts.right_leaf)[group.first];
  const Cost cost = penalty() + step.leaf + answer.upper;
  SplitTree tree = stumps_->node(*node.rows, group.feature, TestKind::threshold, 0, step.position);
  tree.children[left ? 1 : 0] = answer.tree;
  improve(node, cost, std::move(tree));
}

// Solves both sides of a single cut exactly, as far as their costs matter.
void CommonRowsSearch::settle(Node& node, const CutGroup& group) {
  FeatureCuts& cuts = node.cuts(group);
  const bool range = group.kind == CutKind::range;
  const std::uint32_t position = range ? cuts.boundaries[group.first] : group.first;
  const Cost budget = node.answer.upper - penalty();
  Answer<Cost> sides[2];
  for (const Part part : {Part::left, Part::right}) {
    const bool left = part == Part::left;
    const Cost other = left ? cuts.lower(Part::right, position, range) : sides[0].upper;
    RowMask mask;
    side_mask(node, group, part, position, mask);
    Answer<Cost>& answer = sides[left ? 0 : 1];
    answer = solve_rows(node, mask, budget - other, false);
    if (stopped()) return;
    KnownSide& side = cuts.side(part, position);
    side.lower = std::max(side.lower, answer.lower);
    if (!answer.found) return;
    side.upper = answer.upper;
    side.exact = answer.lower == answer.upper;
  }
  SplitTree tree =
      stumps_->node(*node.rows, group.feature, range ? TestKind::threshold : TestKind::equals,
                    range ? 0 : group.first, range ? position : group.last);
  tree.children[0] = std::move(sides[0].tree);
  tree.children[1] = std::move(sides[1].tree);
  improve(node, penalty() + sides[0].upper + sides[1].upper, std::move(tree));
}

Answer<Cost> CommonRowsSearch::solve_rows(Node& parent, const RowMask& mask, Cost cutoff,
                                          bool any) {
  Answer<Cost> answer;
  const bool two = apart(parent, [&] { return try_two_splits(parent, mask, cutoff, any, answer); });
  if (!two) {
    answer = apart(parent, [&] {
      RowSubset& rows = levels_[parent.level];
      ++context_->counters->partitions;
      partitioner_.keep(*parent.rows, mask, rows);
      check_memory();
      return solve_node(rows, cutoff, parent.depth, any, parent.level + 1);
    });
  }
  if (stopped()) return answer;
  if (answer.found) {
    add_witness(mask, answer.tree);
  } else if (context_->settings.use_costly_sets && answer.lower >= cutoff) {
    // A depth limit that all affordable trees respect anyway does not restrict them.
    add_costly_set(mask, cutoff, parent.depth >= affordable(cutoff) ? kAnyDepth : parent.depth);
  }
  return answer;
}

void CommonRowsSearch::add_costly_set(RowMask rows, Cost lower, int depth) {
  if (exchange_ != nullptr) exchange_->post({this, false, rows, lower, depth, shallow(lower)});
  costly_sets_for(lower).add(std::move(rows), lower, depth);
}

// Tries trees with at most two splits: all that the cut-off affords, or (`any`) possibly enough.
bool CommonRowsSearch::try_two_splits(const Node& parent, const RowMask& mask, Cost cutoff,
                                      bool any, Answer<Cost>& answer) {
  const int splits = affordable(cutoff);
  const bool all = splits <= 2;
  // If many errors are allowed, there are too many pairs for a quick test.
  if (!context_->settings.use_two_splits || context_->loss->n_classes() != 2 || parent.depth < 2 ||
      !(all || (any && splits <= 3)))
    return false;
  std::optional<Answer<Cost>> found = two_splits_.solve(*parent.rows, mask, cutoff);
  if (stopped()) return true;  // no other search need be tried
  if (!found || !(all || found->found)) return false;
  answer = *std::move(found);
  if (!all) answer.lower = 0;
  return true;
}

// Stores a tree, with the labels that suit `rows` best, as the set of rows of the table that it
// misclassifies.
void CommonRowsSearch::add_witness(const RowMask& rows, const SplitTree& tree) {
  const auto n = static_cast<std::uint32_t>(context_->columns->n_rows);
  RowMask errors(n);
  std::vector<std::uint32_t> everything(n);
  for (std::uint32_t r = 0; r < n; ++r) everything[r] = r;
  const Misclassification& loss = *context_->loss;
  const auto mark = [&](const auto& self, const SplitTree& at,
                        const std::vector<std::uint32_t>& here) -> void {
    if (at.leaf()) {
      auto tally = loss.tally();
      for (const std::uint32_t r : here)
        if (rows.holds(r)) loss.add(tally, r);
      const std::int32_t label = loss.constant(tally);
      for (const std::uint32_t r : here)
        if (loss.label(r) != label) errors.insert(r);
      return;
    }
    const auto rank = context_->columns->rank_of(at.feature);
    const auto code = static_cast<std::uint32_t>(at.code);
    std::vector<std::uint32_t> yes, no;
    for (const std::uint32_t r : here) {
      const bool in = at.kind == TestKind::equals ? rank[r] == code : rank[r] <= code;
      (in ? yes : no).push_back(r);
    }
    self(self, at.children[0], yes);
    self(self, at.children[1], no);
  };
  mark(mark, tree, everything);
  const Cost splits = tree.n_splits() * penalty();
  if (exchange_ != nullptr) exchange_->post({this, true, errors, splits, tree.depth(), false});
  witnesses_.add(std::move(errors), splits, tree.depth());
}

// Counts the memory of the columns, of the sets of all levels and of the masks; the rest is small.
void CommonRowsSearch::check_memory() {
  const std::uint64_t allowance = context_->limits->memory_allowance();
  if (allowance == 0) return;
  const Columns& columns = *context_->columns;
  std::uint64_t own = 0;
  for (const RowSubset& rows : levels_) own += rows.bytes();
  const std::uint64_t masks = deep_sets_.size() + shallow_sets_.size() + witnesses_.size();
  own += masks * (static_cast<std::uint64_t>(columns.n_rows) / 8 + 64);
  const std::uint64_t bytes = columns.bytes() + gate_hold_->counted(own);
  if (bytes > allowance) context_->limits->memory_exhausted();
}

}  // namespace treeproof::threshold
