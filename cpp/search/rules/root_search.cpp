#include "search/rules/root_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

namespace treeproof::rules {
namespace {

// Groups with at most this many rules are searched depth first, with lists of candidates.
constexpr std::size_t kDepthFirst = 2048;
constexpr std::size_t kSample = 32;
constexpr std::int64_t kNoSplit = kInfiniteCost >> kCostBits;

Draft split_draft(const RuleTable& table, std::int32_t rule, Draft positive = {},
                  Draft negative = {}) {
  Draft draft{table.origin(static_cast<std::size_t>(rule)), {}};
  draft.sides.push_back(std::move(positive));
  draft.sides.push_back(std::move(negative));
  return draft;
}

}  // namespace

RootSearch::RootSearch(const RuleTable& table, int n_splits, int depth, const Settings& settings,
                       Answer start, Cost budget)
    : table_(table), n_splits_(n_splits), depth_(depth), settings_(settings), any_leaf_(settings),
      split_cost_(settings.split_cost), order_(table.n_rules()),
      upper_(std::min(start.upper, budget)), best_(std::move(start)) {
  any_leaf_.least_leaf = {};
  std::iota(order_.begin(), order_.end(), 0);
}

void RootSearch::offer(Cost cost, Draft draft) {
  const std::lock_guard lock(mutex_);
  if (cost >= upper()) return;
  best_.upper = cost;
  best_.draft = std::move(draft);
  upper_.store(cost, std::memory_order_relaxed);
}

// A range of rules with the rows that are sure for all of them.
RootSearch::Group RootSearch::make_group(std::size_t first, std::size_t last, Cost lower) const {
  const std::size_t n = table_.n_words();
  Group group{first, last, Mask(n, ~Word{0}), Mask(n, ~Word{0}), true, lower};
  for (std::size_t i = first; i < last; ++i) {
    const Word* side = table_.positive(static_cast<std::size_t>(order_[i]));
    for (std::size_t w = 0; w < n; ++w) {
      group.positive[w] &= side[w];
      group.negative[w] &= ~side[w];
    }
  }
  for (std::size_t w = 0; w < n; ++w) {
    const Word all = table_.rows().all()[w];
    group.positive[w] &= all;
    group.negative[w] &= all;
    group.decided = group.decided && (group.positive[w] | group.negative[w]) == all;
  }
  return group;
}

// The row that divides a sample of the group most evenly.
std::size_t RootSearch::dividing_bit(const Group& group) const {
  const std::size_t size = group.last - group.first;
  const std::size_t n_sample = std::min(size, kSample);
  std::size_t best_bit = 0, best_score = 0;
  std::array<std::uint32_t, 64> count;
  for (std::size_t w = 0; w < table_.n_words(); ++w) {
    const Word open = table_.rows().all()[w] & ~(group.positive[w] | group.negative[w]);
    if (open == 0) continue;
    count.fill(0);
    for (std::size_t s = 0; s < n_sample; ++s) {
      const auto rule = static_cast<std::size_t>(order_[group.first + s * size / n_sample]);
      for (Word rest = table_.positive(rule)[w] & open; rest != 0; rest &= rest - 1)
        ++count[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    for (Word rest = open; rest != 0; rest &= rest - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(rest));
      const std::size_t score = std::min<std::size_t>(count[b], n_sample - count[b]) + 1;
      if (score > best_score) {
        best_score = score;
        best_bit = 64 * w + b;
      }
    }
  }
  return best_bit;
}

// Divides a group by the side of one row; both parts inherit its bound.
std::vector<RootSearch::Group> RootSearch::divide(const Group& group, Cost lower) {
  const std::size_t bit = dividing_bit(group);
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(group.first);
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(group.last);
  const auto above = std::partition(begin, end, [&](std::int32_t rule) {
    return (table_.positive(static_cast<std::size_t>(rule))[bit / 64] >> (bit % 64) & 1) != 0;
  });
  const auto middle = static_cast<std::size_t>(above - order_.begin());
  std::vector<Group> parts;
  if (middle > group.first) parts.push_back(make_group(group.first, middle, lower));
  if (middle < group.last) parts.push_back(make_group(middle, group.last, lower));
  return parts;
}

// The bounds of a side before any rule is scanned. The set of sure rows only grows on the way down,
// so bounds that were valid above are valid here.
RootSearch::Known RootSearch::known(const Mask& rows, const Side* from) const {
  const RowLayout& layout = table_.rows();
  Known side;
  side.leaf = cost_of(layout.leaf_loss(rows.data()));
  const Cost floor = cost_of(layout.floor_loss(rows.data(), 2));
  side.one = split_cost_ + std::max(cost_of(from != nullptr ? from->best_loss : 0), floor);
  side.several.resize(static_cast<std::size_t>(n_splits_));
  for (std::size_t s = 2; s < side.several.size(); ++s)
    side.several[s] = 2 * split_cost_ + cost_of(layout.floor_loss(rows.data(), s + 1));
  if (from != nullptr)
    for (std::size_t s = 2; s < from->several.size(); ++s)
      side.several[s] = std::max(side.several[s], from->several[s]);
  return side;
}

// A lower bound on the cost of a side with at most `n_splits` splits.
Cost RootSearch::side_bound(int n_splits, const Known& side) const {
  Cost bound = side.leaf;
  if (n_splits >= 1) bound = std::min(bound, side.one);
  if (n_splits >= 2) bound = std::min(bound, side.several[static_cast<std::size_t>(n_splits)]);
  return bound;
}

Cost RootSearch::group_bound(const Known& p, const Known& n) const {
  Cost bound = kInfiniteCost;
  for (int share = 0; share < n_splits_; ++share)
    bound = std::min(bound, side_bound(share, p) + side_bound(n_splits_ - 1 - share, n));
  return split_cost_ + bound;
}

// Looks for single splits of a side that can still pay off: this side gets one split, the
// other at most n_splits - 2. The loss on sure rows is a lower bound on the loss later, so
// a split that cannot bring the cost below `limit` now never will.
void RootSearch::scan(const Mask& rows, const Side* from, Side& to, Known& here, const Known& other,
                      Cost limit, Worker& worker) const {
  const Cost room = limit - 2 * split_cost_ - side_bound(n_splits_ - 2, other);
  const std::int64_t below = room <= 0 ? 0 : (room + kUnitCost - 1) >> kCostBits;
  const BestSplit best = from == nullptr
                             ? table_.best_split_below(rows.data(), below, to.splits)
                             : table_.best_split_among(rows.data(), from->splits, below, to.splits);
  const std::size_t looked_at = from == nullptr ? table_.n_rules() : from->splits.size();
  worker.counters.dropped_splits += static_cast<std::int64_t>(looked_at - to.splits.size());
  worker.stop(scan_work(looked_at, table_.n_words()));
  // A split that was dropped, here or above, leads to no tree below `limit`.
  to.best_loss = to.splits.empty() ? kNoSplit : best.loss;
  here.one = to.splits.empty() ? kInfiniteCost : split_cost_ + cost_of(best.loss);
}

// Raises the bounds for several splits on a side, where they alone keep the group open: the
// subproblem of the sure rows is solved, if a leaf or a single split, which several splits
// can only improve on, costs too much. Leaves may be of any size there, for those of the
// whole side have more rows.
void RootSearch::solve_several(const Mask& rows, Known& here, const Known& other, Cost limit,
                               Worker& worker) const {
  std::optional<RuleTable> table;
  for (int share = 2; share < n_splits_ && depth_ > 2; ++share) {
    const Cost rest = split_cost_ + side_bound(n_splits_ - 1 - share, other);
    Cost& bound = here.several[static_cast<std::size_t>(share)];
    if (bound + rest >= limit || std::min(here.leaf, here.one) + rest < limit) continue;
    ++worker.counters.solved_for_groups;
    const Answer answer = solve_side(table, rows.data(), share, limit - rest, any_leaf_, worker);
    if (worker.control.stopped()) return;
    bound = std::max(bound, answer.lower);
  }
}

// Bounds a group; false if it can be closed. `from` is what is known of the sides of a group
// it is part of (null: nothing), `to` what is known of its own.
bool RootSearch::refine(const Group& group, const Side* from_p, const Side* from_n, Side& to_p,
                        Side& to_n, Cost& lower, Worker& worker) const {
  const Mask none(settings_.sure_rows ? 0 : table_.n_words(), 0);
  const Mask& positive = settings_.sure_rows ? group.positive : none;
  const Mask& negative = settings_.sure_rows ? group.negative : none;
  Known p = known(positive, from_p), n = known(negative, from_n);
  const Cost limit = upper();
  lower = group_bound(p, n);
  if (lower >= limit) {
    ++worker.counters.cut_by_leaves;
    return false;
  }
  const bool lists = settings_.survivors;
  scan(positive, lists ? from_p : nullptr, to_p, p, n, limit, worker);
  scan(negative, lists ? from_n : nullptr, to_n, n, p, limit, worker);
  lower = group_bound(p, n);
  if (lower >= limit) {
    ++worker.counters.cut_by_splits;
    return false;
  }
  if (settings_.several && n_splits_ > 2 && group.last - group.first > 1) {
    solve_several(positive, p, n, limit, worker);
    solve_several(negative, n, p, limit, worker);
    lower = group_bound(p, n);
    if (lower >= limit) {
      ++worker.counters.cut_by_subproblems;
      return false;
    }
  }
  to_p.several = std::move(p.several);
  to_n.several = std::move(n.several);
  return true;
}

// Processes a group from the queue: small groups completely, large ones by one step. A group that
// is left open, because the search was stopped, is returned to the queue.
void RootSearch::explore(Group group, Worker& worker, std::vector<Group>& open) {
  if (group.lower >= upper()) return;
  if (worker.control.stopped()) {
    open.push_back(std::move(group));
    return;
  }
  Side p, n;
  Cost lower = 0;
  ++worker.counters.groups;
  if (!refine(group, nullptr, nullptr, p, n, lower, worker)) return;
  group.lower = std::max(group.lower, lower);
  if (group.last - group.first > kDepthFirst) {
    open = divide(group, group.lower);
  } else if (!descend(group, p, n, worker)) {
    open.push_back(std::move(group));
  }
}

// Depth first; false if the search was stopped before the group was done.
bool RootSearch::descend(const Group& group, const Side& p, const Side& n, Worker& worker) {
  // Rules that agree on all rows are the same; one of them stands for all.
  if (group.decided) return evaluate(static_cast<std::size_t>(order_[group.first]), worker);
  if (worker.stop(1)) return false;
  for (const Group& part : divide(group, group.lower)) {
    Side part_p, part_n;
    Cost lower = 0;
    ++worker.counters.groups;
    if (refine(part, &p, &n, part_p, part_n, lower, worker) &&
        !descend(part, part_p, part_n, worker))
      return false;
  }
  return true;
}

// Finds the best tree with this rule at the root, if it improves on the best so far; false
// if the search was stopped before that was known.
bool RootSearch::evaluate(std::size_t rule, Worker& worker) {
  // Long: small trees first, then larger ones, all from the leaves and splits of both sides.
  ++worker.counters.roots;
  const RowLayout& rows = table_.rows();
  const std::size_t n_words = table_.n_words();
  Mask positive(n_words), negative(n_words);
  for (std::size_t w = 0; w < n_words; ++w) {
    positive[w] = table_.positive(rule)[w] & rows.all()[w];
    negative[w] = rows.all()[w] & ~positive[w];
  }
  const LeafSize& least = settings_.least_leaf;
  if (!least.allows(rows.size(positive.data())) || !least.allows(rows.size(negative.data())))
    return true;
  const auto root = static_cast<std::int32_t>(rule);
  const Cost leaf_p = cost_of(rows.leaf_loss(positive.data()));
  const Cost leaf_n = cost_of(rows.leaf_loss(negative.data()));
  const BestSplit split_p = table_.best_split(positive.data(), least);
  const BestSplit split_n = table_.best_split(negative.data(), least);
  worker.stop(2 * scan_work(table_.n_rules(), n_words));
  const Cost one_p = split_p.found() ? split_cost_ + cost_of(split_p.loss) : kInfiniteCost;
  const Cost one_n = split_n.found() ? split_cost_ + cost_of(split_n.loss) : kInfiniteCost;
  const auto draft_p = [&] { return split_draft(table_, split_p.rule); };
  const auto draft_n = [&] { return split_draft(table_, split_n.rule); };
  if (split_cost_ + one_p + leaf_n < upper())
    offer(split_cost_ + one_p + leaf_n, split_draft(table_, root, draft_p(), {}));
  if (split_cost_ + leaf_p + one_n < upper())
    offer(split_cost_ + leaf_p + one_n, split_draft(table_, root, {}, draft_n()));
  if (n_splits_ >= 3 && split_cost_ + one_p + one_n < upper())
    offer(split_cost_ + one_p + one_n, split_draft(table_, root, draft_p(), draft_n()));

  // Two splits or more on one side.
  const auto several = [&](bool is_p, int s) {
    const Word* mask = is_p ? positive.data() : negative.data();
    return 2 * split_cost_ + cost_of(rows.floor_loss(mask, static_cast<std::size_t>(s) + 1));
  };
  std::optional<RuleTable> table_p, table_n;
  // The best answer for a side with at most `s` splits, if it is below the budget.
  const auto side = [&](bool is_p, int s, Cost budget) -> Answer {
    const Cost leaf = is_p ? leaf_p : leaf_n;
    const Cost one = is_p ? one_p : one_n;
    Answer answer{leaf, leaf, {}};
    if (s >= 1 && one < answer.upper) answer = {one, one, is_p ? draft_p() : draft_n()};
    const Cost more = several(is_p, s);
    if (s < 2 || answer.upper <= more) return answer;
    Answer found = solve_side(is_p ? table_p : table_n, is_p ? positive.data() : negative.data(), s,
                              std::min(budget, answer.upper), settings_, worker);
    if (found.upper < answer.upper) return found;
    answer.lower = std::min(answer.upper, found.lower);
    return answer;
  };
  for (int share = 2; share < n_splits_ && depth_ > 2; ++share) {
    const int rest = n_splits_ - 1 - share;
    if (share < rest) continue;
    for (const bool larger_is_p : {true, false}) {
      if (share == rest && !larger_is_p) continue;
      const Cost least_larger =
          std::min({larger_is_p ? leaf_p : leaf_n, larger_is_p ? one_p : one_n,
                    several(larger_is_p, share)});
      const Answer small = side(!larger_is_p, rest, upper() - split_cost_ - least_larger);
      if (worker.control.stopped()) return false;
      if (split_cost_ + least_larger + small.lower >= upper()) continue;
      Answer large = side(larger_is_p, share, upper() - split_cost_ - small.upper);
      if (worker.control.stopped()) return false;
      const Cost total = split_cost_ + small.upper + large.upper;
      if (total < upper()) {
        offer(total, larger_is_p ? split_draft(table_, root, large.draft, small.draft)
                                 : split_draft(table_, root, small.draft, large.draft));
      }
    }
  }
  return true;
}

Answer RootSearch::solve_side(std::optional<RuleTable>& table, const Word* rows, int n_splits,
                              Cost budget, const Settings& settings, Worker& worker) const {
  if (!table)
    table.emplace(table_, rows, settings_.distinct_rules,
                  [&](std::uint32_t work) { return worker.stop(work); });
  if (worker.control.stopped()) return {};  // callers check this first
  return solve_subproblem(*table, n_splits, depth_ - 1, budget, settings, worker);
}

void RootSearch::try_best_roots(std::size_t how_many, Worker& worker) {
  std::vector<std::int32_t> best(order_);
  std::vector<std::int64_t> loss(table_.n_rules());
  table_.losses(table_.rows().all().data(), loss);
  how_many = std::min(how_many, best.size());
  std::ranges::partial_sort(
      best, best.begin() + static_cast<std::ptrdiff_t>(how_many), {},
      [&](std::int32_t rule) { return loss[static_cast<std::size_t>(rule)]; });
  const int splits = std::exchange(n_splits_, std::min(n_splits_, 3));
  const int depth = std::exchange(depth_, std::min(depth_, 2));
  for (std::size_t i = 0; i < how_many && !worker.control.stopped(); ++i)
    evaluate(static_cast<std::size_t>(best[i]), worker);
  n_splits_ = splits;
  depth_ = depth;
}

Answer RootSearch::finish() const {
  Answer answer = best_;
  Cost open = upper();  // nothing below is left unless a group is
  if (!open_.empty()) open = std::min(open, open_.top().lower);
  answer.lower = std::min(open, answer.upper);
  return answer;
}

Answer RootSearch::run(Worker& worker) { return run(std::span(&worker, 1), {}); }

Answer RootSearch::run(std::span<Worker> workers, const std::function<void(Cost, Cost)>& notify) {
  if (!order_.empty()) open_.push(make_group(0, order_.size(), 0));
  std::vector<std::thread> threads;
  threads.reserve(workers.size());
  try {
    for (Worker& other : workers.subspan(1))
      threads.emplace_back([this, &other] { work_or_fail(other, {}); });
  } catch (const std::system_error&) {
    // The system has no more threads; continue with these.
  }
  work_or_fail(workers[0], notify);
  for (std::thread& thread : threads) thread.join();
  if (failure_) std::rethrow_exception(failure_);
  return finish();
}

// An exception must not leave a thread, and the first thread must not leave the others alone:
// the first exception ends the work of all of them, and `run` throws it again.
void RootSearch::work_or_fail(Worker& worker, const std::function<void(Cost, Cost)>& notify) {
  try {
    work(worker, notify);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    worker.control.stop();
    changed_.notify_all();
  }
}

// Takes the group with the lowest bound until none is open. What a stopped thread leaves is
// returned to the queue, so that the lowest bound there stays valid.
void RootSearch::work(Worker& worker, const std::function<void(Cost, Cost)>& notify) {
  std::vector<Group> open;
  std::unique_lock lock(mutex_);
  while (true) {
    while (!open_.empty() && open_.top().lower >= upper()) open_ = {};
    if (worker.control.stopped() || (open_.empty() && in_work_.empty())) break;
    if (open_.empty()) {
      changed_.wait_for(lock, std::chrono::milliseconds(5));
      if (worker.owns_limits) worker.stop(5000);
      continue;
    }
    Group group = open_.top();
    open_.pop();
    const auto mark = in_work_.insert(group.lower);
    if (notify) {
      const Cost lower = std::min(*in_work_.begin(), upper());
      const Cost best = best_.upper;
      lock.unlock();
      notify(lower, best);
    } else {
      lock.unlock();
    }
    open.clear();
    explore(std::move(group), worker, open);
    lock.lock();
    in_work_.erase(mark);
    for (Group& g : open)
      if (g.lower < upper()) open_.push(std::move(g));
    changed_.notify_all();
  }
  changed_.notify_all();
}

Answer solve_subproblem(const RuleTable& table, int n_splits, int depth, Cost budget,
                        const Settings& settings, Worker& worker) {
  ++worker.counters.subproblems;
  const RowLayout& rows = table.rows();
  const Word* all = rows.all().data();
  if (depth < 20) n_splits = std::min(n_splits, (1 << depth) - 1);
  const Cost leaf = cost_of(rows.leaf_loss(all));
  const Cost floor = cost_of(rows.floor_loss(all, static_cast<std::size_t>(n_splits) + 1));
  Answer best{leaf, leaf, {}};
  if (n_splits == 0 || leaf <= settings.split_cost + floor) return best;
  const BestSplit split = table.best_split(all, settings.least_leaf);
  worker.stop(scan_work(table.n_rules(), table.n_words()));
  const Cost one = split.found() ? settings.split_cost + cost_of(split.loss) : kInfiniteCost;
  if (one < leaf) best = {one, one, split_draft(table, split.rule)};
  if (n_splits == 1 || best.upper <= 2 * settings.split_cost + floor) return best;
  RootSearch search(table, n_splits, depth, settings, best, budget);
  if (settings.incumbent) search.try_best_roots(8, worker);
  return search.run(worker);
}

}  // namespace treeproof::rules
