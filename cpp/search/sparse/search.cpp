#include "search/sparse/search.hpp"

#include <algorithm>
#include <utility>

#include "bounds/rounding.hpp"
#include "core/index.hpp"

namespace treeproof::sparse {
namespace {

constexpr std::int64_t kOperationsPerMicrosecond = 600;

// One more than the maximum number of errors that cost less than this.
std::int64_t errors_below(Cost cost) { return (cost + kUnitCost - 1) >> kCostBits; }

}  // namespace

template <class Word>
Search<Word>::Search(const Layout& layout, const Settings& settings, Limits& limits, Memo& memo,
                     WorkMarks* marks, bool preparing)
    : layout_(layout), settings_(settings), kernel_(kernels::select<Word>(settings.kernel)),
      limits_(limits), expander_(layout, settings, kernel_, counters_, limits), refuter_(kernel_),
      three_(layout, settings, kernel_, limits), memo_(memo), marks_(marks),
      depth_limit_(settings.max_depth < 0 ? kUnlimited : settings.max_depth),
      similarity_is_sound_(settings.min_samples_leaf <= 1),
      refutation_is_sound_(settings.switches.two_splits && settings.split_cost > 0 &&
                           settings.min_samples_leaf <= 1 && !layout.has_multiway) {
  level(0).frame.build_root(layout, preparing ? &limits : nullptr);
}

template <class Word>
typename Search<Word>::Level& Search<Word>::level(std::size_t depth) {
  while (levels_.size() <= depth) levels_.push_back(std::make_unique<Level>());
  return *levels_[depth];
}

template <class Word>
std::uint64_t Search<Word>::bytes() const {
  std::uint64_t sum = 0;
  sum += three_.bytes();
  for (const auto& l : levels_) sum += sizeof(Level) + l->frame.bytes() + l->expansion.bytes();
  return sum;
}

template <class Word>
Key Search<Word>::key_at(Key rows, int depth_left) const {
  if (depth_left < kUnlimited) rows += random_key(~static_cast<std::uint64_t>(depth_left));
  return rows;
}

// A deeper tree is never worse: a lower bound also holds for fewer levels, and a tree found with
// fewer levels is also a tree here.
template <class Word>
Bounds Search<Word>::known(const Key& rows, int depth_left) const {
  Bounds b = memo_.find(key_at(rows, depth_left));
  if (depth_left >= kUnlimited) return b;
  const Bounds deeper = memo_.find(key_at(rows, depth_left + 1));
  if (deeper.lower > b.lower) {
    b.lower = deeper.lower;
    b.of_deeper = true;
  }
  if (depth_left == 0) return b;
  const Bounds shallower = memo_.find(key_at(rows, depth_left - 1));
  if (shallower.upper < b.upper) {
    b.upper = shallower.upper;
    b.test = shallower.test;
  }
  return b;
}

template <class Word>
Bounds Search<Word>::root() const {
  return known(levels_[0]->frame.key, depth_limit_);
}

template <class Word>
bool Search<Word>::stop() {
  work_done_ += expander_.take_work() + 1 + refuter_.take_operations() / kOperationsPerMicrosecond;
  return limits_.stop(1) || (work_limit_ > 0 && work_done_ >= work_limit_) ||
         leave_to_ != kNowhere ||
         (orders_ != nullptr && orders_->load(std::memory_order_relaxed) != order_);
}

template <class Word>
void Search<Word>::deepen(Cost budget, std::int64_t work) {
  work_limit_ = work > 0 ? work_done_ + work : 0;
  ++counters_.rounds;
  if (settings_.prices != nullptr && settings_.switches.prices) look_at_prices();
  solve(0, depth_limit_, budget);
  work_limit_ = 0;
}

// Adopts prices that are better than the current ones. Proof steps cannot cite prices that change.
// A search that reports steps therefore adopts prices only if they close half of the gap, and
// reports no steps from then on.
template <class Word>
void Search<Word>::look_at_prices() {
  if (settings_.prices->version() == price_version_) return;
  const std::shared_ptr<const prices::RowPrices> prices = settings_.prices->look();
  const Bounds before = root();
  const Cost bound =
      std::min(bounds::rounding(settings_.split_cost, 0, prices->total - prices->split_cost, 0),
               before.upper);
  if (listener_ != nullptr && !settings_.cites_prices) {
    if (bound - before.lower < before.upper - bound) return;
    listener_->close();
    listener_ = nullptr;
  }
  price_version_ = settings_.prices->version();
  expander_.use_prices(prices);
  if (bound <= before.lower) return;
  ++counters_.prices_raised;
  const Key key = key_at(levels_[0]->frame.key, depth_limit_);
  if (listener_ != nullptr) {
    const std::vector<Use> none;
    listener_->step(
        {key, depth_limit_ >= kUnlimited ? -1 : depth_limit_, -1, bound, &branch_, &none});
  }
  memo_.update(key, Memo::kPinned, {bound, kInfiniteCost, -1});
}

template <class Word>
Bounds Search<Word>::resolve(const std::vector<std::int32_t>& rows, int depth_left, Cost budget) {
  const Frame<Word>& all = level(0).frame;
  std::vector<std::uint8_t> wanted(index(layout_.problem->n_rows()), 0);
  for (const std::int32_t row : rows) wanted[index(row)] = 1;
  Frame<Word>& some = level(1).frame;
  some.mask().assign(index(all.n_words), 0);
  for (std::size_t bit = 0; bit < all.slots.size(); ++bit) {
    if (all.slots[bit] == all.kNoSlot || !wanted[index(layout_.row(all.slots[bit]))]) continue;
    Word& word = some.mask()[bit / Frame<Word>::kBits];
    word = static_cast<Word>(word | Word{1} << (bit % Frame<Word>::kBits));
  }
  some.build_subset(all, kernel_);
  // this call has no branch to report
  StepListener* const listener = std::exchange(listener_, nullptr);
  top_ = 1;
  const Bounds found = solve(1, depth_left, budget);
  top_ = 0;
  listener_ = listener;
  return found;
}

template <class Word>
void Search<Word>::find_child_keys(Level& here, const Candidate& candidate) const {
  here.child_keys.resize(index(candidate.n_children));
  if (!candidate.two_way) {
    for (std::int32_t k = 0; k < candidate.n_children; ++k)
      here.child_keys[index(k)] = here.frame.child_key(candidate.child(k));
    return;
  }
  here.child_keys[0] = here.frame.child_key(candidate.child(0));
  here.child_keys[1] = here.frame.key;
  here.child_keys[1] -= here.child_keys[0];
}

// The open split with the lowest bound. With several threads, `alone` asks for a split on which no
// other thread works; it is set to false if only splits of other threads are left.
template <class Word>
std::size_t Search<Word>::pick(const Level& here, Cost best, bool& alone) const {
  const std::vector<Cost>& at_least = here.expansion.at_least;
  const std::size_t none = at_least.size();
  std::size_t free = none, any = none;
  for (std::size_t k = 0; k < none; ++k) {
    if (here.used[k]) continue;
    if (any == none || at_least[k] < at_least[any]) any = k;
    if (!here.deferred[k] && (free == none || at_least[k] < at_least[free])) free = k;
  }
  if (free != none && at_least[free] < best) return free;
  alone = false;
  return any;
}

// Another thread may have settled a node of this path, or found a better tree for it. All work
// below it is then useless, or has a lower budget. This costs one look-up for each level and
// expansion.
template <class Word>
void Search<Word>::follow_others(std::size_t depth) {
  for (std::size_t d = top_; d < depth; ++d) {
    const Level& here = *levels_[d];
    const Bounds b = known(here.frame.key, here.depth_left);
    const Cost best = std::min(here.budget, b.upper);
    if (b.lower >= best) {
      leave_to_ = d;
      return;
    }
    Level& next = *levels_[d + 1];
    next.budget = std::min(next.budget, best - here.others);
  }
}

template <class Word>
bool Search<Word>::settled_by_others(std::size_t depth, Bounds& node) {
  if (leave_to_ == depth) leave_to_ = kNowhere;
  const Level& here = *levels_[depth];
  const Bounds b = known(here.frame.key, here.depth_left);
  if (b.lower > node.lower) {
    node.lower = b.lower;
    node.of_deeper = b.of_deeper;
  }
  if (b.upper < node.upper) {
    node.upper = b.upper;
    node.test = b.test;
  }
  return node.lower >= std::min(here.budget, node.upper);
}

// Starts the citation list of a split, or continues it (at the end) if the split was postponed.
template <class Word>
void Search<Word>::begin_use(Level& here, const Candidate& candidate) const {
  const auto found = std::ranges::find(here.uses, candidate.test, &Use::test);
  if (found != here.uses.end()) {
    std::rotate(found, found + 1, here.uses.end());
    return;
  }
  const std::int32_t n_outcomes = layout_.problem->tests[index(candidate.test)].n_outcomes;
  here.uses.push_back({candidate.test, n_outcomes, {}});
}

template <class Word>
Bounds Search<Word>::solve(std::size_t depth, int depth_left, Cost budget) {
  // Long: the loop over splits and what it proves share the bounds of the node.
  Level& here = level(depth);
  here.depth_left = depth_left;
  here.budget = budget;
  Bounds node = known(here.frame.key, depth_left);
  if (node.lower >= std::min(budget, node.upper)) {
    ++counters_.memo_hits;
    return node;
  }
  const Key key = key_at(here.frame.key, depth_left);
  const WorkMarks::Mark mark(marks_, key);
  if (marks_ != nullptr) follow_others(depth);
  // The bounds of the root are the answer of the search, so they are never dropped from the memo.
  const auto effort = [&, start = work_done_] {
    return depth == 0 ? std::int64_t{Memo::kPinned} : work_done_ - start;
  };
  if (stop() || !expander_.expand(here.frame, depth_left, here.expansion)) return node;
  const Expansion<Word>& e = here.expansion;
  if (e.best < node.upper) {
    node.upper = e.best;
    node.test = e.best_test;
  }

  if (depth_left == 3 && !solve_three_levels(here, node)) return node;

  here.uses.clear();
  here.used.assign(e.candidates.size(), 0);
  here.deferred.assign(e.candidates.size(), 0);
  Cost rest = kInfiniteCost;  // lower bound of all splits, except those still to be searched
  for (;;) {
    if (marks_ != nullptr && settled_by_others(depth, node)) {
      memo_.update(key, effort(), {0, node.upper, node.test});
      return node;
    }
    const Cost best = std::min(node.upper, here.budget);
    bool alone = marks_ != nullptr;
    const std::size_t a = pick(here, best, alone);
    if (a == e.candidates.size()) break;
    const bool stopped = stop();
    if (stopped || e.at_least[a] >= best) {
      for (std::size_t k = 0; k < e.candidates.size(); ++k)
        if (!here.used[k]) rest = std::min(rest, e.at_least[k]);
      break;
    }
    if (listener_ != nullptr) begin_use(here, e.candidates[a]);
    refine(here, a, depth_left, node);
    if (!work_on(depth, depth_left, a, alone, node)) {
      here.deferred[a] = 1;
      continue;
    }
    here.used[a] = 1;
    if (!settings_.has(Fault::last_split) || rest == kInfiniteCost)
      rest = std::min(rest, e.at_least[a]);
    if (settings_.switches.similarity && similarity_is_sound_ && e.has_pairs)
      share_bounds(here, e.candidates[a], depth_left >= kUnlimited);
  }
  // Every tree is a leaf, which costs at least `upper`, or starts with one of the splits. Bounds
  // that were known before may belong to another depth and are kept.
  const Cost proved = std::min(rest, node.upper);
  if (proved > node.lower) {
    node.lower = proved;
    node.of_deeper = false;
    if (listener_ != nullptr)
      listener_->step(
          {key, depth_left >= kUnlimited ? -1 : depth_left, -1, proved, &branch_, &here.uses});
    memo_.update(key, effort(), node);
  } else {
    memo_.update(key, effort(), {0, node.upper, node.test});
  }
  return node;
}

// Records that a child costs at least `lower`, according to the memo.
template <class Word>
void Search<Word>::raise_child(Level& here, const Candidate& candidate, std::int32_t k,
                               const Bounds& child, int below) {
  Cost& bound = here.expansion.lower[index(candidate.child(k))];
  if (child.lower <= bound) return;
  bound = child.lower;
  if (listener_ == nullptr) return;
  const Key& rows = here.child_keys[index(k)];
  cite(here, candidate, k, false, key_at(rows, below + (child.of_deeper ? 1 : 0)), child.lower);
}

template <class Word>
std::int32_t Search<Word>::outcome(const Level& here, const Candidate& candidate,
                                   std::int32_t k) const {
  if (candidate.two_way) return k;
  return layout_.columns[index(here.frame.column[index(candidate.column + k)])].outcome;
}

template <class Word>
void Search<Word>::cite(Level& here, const Candidate& candidate, std::int32_t k, bool by_expansion,
                        const Key& key, Cost bound) {
  if (listener_ == nullptr) return;
  here.uses.back().citations.push_back({outcome(here, candidate, k), by_expansion, key, bound});
}

template <class Word>
void Search<Word>::settle(Level& here, std::size_t a, Bounds& node) const {
  Expansion<Word>& e = here.expansion;
  const Candidate& candidate = e.candidates[a];
  const Cost price = settings_.price()(candidate.n_children);
  Cost at_least = price, at_most = price;
  for (std::int32_t k = 0; k < candidate.n_children; ++k) {
    at_least += e.lower[index(candidate.child(k))];
    at_most += e.upper[index(candidate.child(k))];
  }
  e.at_least[a] = at_least;
  if (at_most < node.upper) {
    node.upper = at_most;
    node.test = candidate.test;
  }
}

// Looks up the children of a split in the memo, and checks whether two splits could be enough for
// them.
template <class Word>
void Search<Word>::refine(Level& here, std::size_t a, int depth_left, Bounds& node) {
  Expansion<Word>& e = here.expansion;
  const Candidate& candidate = e.candidates[a];
  const int below = child_depth(depth_left);
  find_child_keys(here, candidate);
  for (std::int32_t k = 0; k < candidate.n_children; ++k) {
    const std::int32_t child = candidate.child(k);
    const std::size_t v = index(child);
    if (e.lower[v] >= e.upper[v]) continue;
    const Bounds b = known(here.child_keys[index(k)], below);
    raise_child(here, candidate, k, b, below);
    e.upper[v] = std::min(e.upper[v], b.upper);
    if (refutation_is_sound_ && e.has_pairs && below >= 2)
      refute_two_splits(here, candidate, k, below);
  }
  settle(here, a, node);
}

// Lemma. A tree on the child is a leaf, has one split (both are settled by pair counts), has
// exactly two splits, or has three or more and costs at least 3L + forced errors. An expansion of
// the child with one step of lookahead would show the same.
template <class Word>
void Search<Word>::refute_two_splits(Level& here, const Candidate& candidate, std::int32_t k,
                                     int depth_left) {
  Expansion<Word>& e = here.expansion;
  const std::int32_t child = candidate.child(k);
  const std::size_t v = index(child);
  const int refuted = settings_.has(Fault::two_splits) ? 5 : 3;
  const Cost limit = std::min(e.upper[v], refuted * settings_.split_cost + e.forced[v]);
  if (e.lower[v] >= limit) return;
  ++counters_.two_splits_raised;
  const std::int64_t one_split =
      here.frame.child_total(child) - e.best_right[here.frame.side(child)];
  const Cost splits = 2 * settings_.split_cost;
  const SmallTree two =
      refuter_.two_splits(here.frame, child, one_split, errors_below(limit - splits));
  if (two.test >= 0) {
    ++counters_.two_splits_solved;
    learn_tree(here, child, here.child_keys[index(k)], depth_left, splits + cost_of(two.error),
               two.test);
  }
  const Cost bound = std::min(e.upper[v], limit);
  if (bound <= e.lower[v]) return;
  e.lower[v] = bound;
  cite(here, candidate, k, true, {}, bound);
}

template <class Word>
void Search<Word>::learn_tree(Level& here, std::int32_t child, const Key& rows, int depth_left,
                              Cost cost, std::int32_t test) {
  Cost& upper = here.expansion.upper[index(child)];
  if (cost >= upper) return;
  upper = cost;
  memo_.update(key_at(rows, depth_left), 1, {0, cost, test});
}

// If the budget is at most 4L + forced errors, only trees with two and three splits have to be
// examined, since four or more splits cost at least that. The rows of the child are already packed
// in the level below. Returns true if the child needs no expansion. Not used if there is a
// listener, because the argument takes as many proof steps as an expansion.
template <class Word>
bool Search<Word>::refute_three_splits(Level& here, Frame<Word>& packed, std::int32_t child,
                                       const Key& rows, int depth_left, Cost budget) {
  Expansion<Word>& e = here.expansion;
  const std::size_t v = index(child);
  const Cost penalty = settings_.split_cost;
  if (!refutation_is_sound_ || !settings_.switches.three_splits || !e.has_pairs ||
      listener_ != nullptr || depth_left < 3 || budget > 4 * penalty + e.forced[v])
    return false;
  ++counters_.three_splits_raised;
  const std::int64_t before = refuter_.operations();
  expander_.prepare(packed);
  const std::int64_t one_split =
      here.frame.child_total(child) - e.best_right[here.frame.side(child)];
  Cost limit = std::min(e.upper[v], 4 * penalty + e.forced[v]);
  const SmallTree two = refuter_.two_splits(packed, one_split, errors_below(limit - 2 * penalty));
  if (two.test >= 0)
    learn_tree(here, child, rows, depth_left, 2 * penalty + cost_of(two.error), two.test);
  limit = std::min(e.upper[v], limit);
  const SmallTree three =
      refuter_.three_splits(packed, two.error, errors_below(limit - 3 * penalty));
  if (three.test >= 0) {
    if (three.rest_test >= 0)
      memo_.update(key_at(three.rest, child_depth(depth_left)), 1,
                   {0, 2 * penalty + cost_of(three.rest_error), three.rest_test});
    learn_tree(here, child, rows, depth_left, 3 * penalty + cost_of(three.error), three.test);
  }
  e.lower[v] = std::max(e.lower[v], std::min(e.upper[v], limit));
  memo_.update(key_at(rows, depth_left),
               1 + (refuter_.operations() - before) / kOperationsPerMicrosecond,
               {e.lower[v], kInfiniteCost, -1});
  return true;
}

// Solves the children of one split until it is too expensive or settled. Returns false if `alone`
// is set and another thread is working on the next child.
template <class Word>
bool Search<Word>::work_on(std::size_t depth, int depth_left, std::size_t a, bool alone,
                           Bounds& node) {
  Level& here = level(depth);
  Expansion<Word>& e = here.expansion;
  const Candidate candidate = e.candidates[a];
  const int below = child_depth(depth_left);
  here.tried.assign(index(candidate.n_children), 0);
  for (;;) {
    const Cost best = std::min(node.upper, here.budget);
    if (e.at_least[a] >= best) break;
    std::int32_t next = -1;
    for (std::int32_t k = 0; k < candidate.n_children; ++k) {
      const std::size_t child = index(candidate.child(k));
      if (here.tried[index(k)] || e.lower[child] >= e.upper[child]) continue;
      if (next < 0 ||
          (settings_.switches.easy_first && e.upper[child] < e.upper[index(candidate.child(next))]))
        next = k;
    }
    if (next < 0) break;
    if (alone && marks_->busy(key_at(here.child_keys[index(next)], below))) return false;
    here.tried[index(next)] = 1;
    const std::size_t child = index(candidate.child(next));
    here.others = e.at_least[a] - e.lower[child];
    const Cost child_budget = best - here.others;
    Frame<Word>& packed = level(depth + 1).frame;
    packed.build_child(here.frame, candidate.child(next), kernel_);
    if (refute_three_splits(here, packed, candidate.child(next), here.child_keys[index(next)],
                            below, child_budget)) {
      settle(here, a, node);
      continue;
    }
    if (listener_ != nullptr) {
      branch_.resize(depth);
      branch_.push_back({candidate.test, outcome(here, candidate, next)});
    }
    const Bounds b = solve(depth + 1, below, child_budget);
    if (listener_ != nullptr) branch_.resize(depth);
    raise_child(here, candidate, next, b, below);
    e.upper[child] = std::min(e.upper[child], b.upper);
    settle(here, a, node);
    if (stop()) break;
  }
  return true;
}

template class Search<std::uint16_t>;
template class Search<std::uint32_t>;

}  // namespace treeproof::sparse
