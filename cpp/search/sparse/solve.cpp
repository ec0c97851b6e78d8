// The course of a fit: a greedy tree first, then the exact search and the discrepancy search in
// turns until the bounds meet or a limit is reached.
#include "search/sparse/solve.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "bounds/prices/price_maker.hpp"
#include "core/check.hpp"
#include "search/sparse/crew.hpp"
#include "search/sparse/discrepancy.hpp"
#include "search/sparse/extract.hpp"
#include "search/sparse/search.hpp"
#include "search/sparse/seed_memo.hpp"
#include "search/sparse/size_limited.hpp"
#include "tree/convert.hpp"
#include "tree/prune.hpp"

namespace treeproof::sparse {
namespace {

// Work is counted in (approximate) microseconds and not read from the clock, so that runs are
// reproducible.
constexpr std::int64_t kFirstSlice = 10'000;

// With checkpoints, a slice is not longer than this, so that a checkpoint can be written.
constexpr std::int64_t kCheckpointSlice = 400'000;

constexpr int kMaxThreads = 256;

// Raises the lower bound of the root. The next budget is half-way to the cost of the best tree. A
// round that takes too long compared with the work so far is replaced by smaller steps, down to the
// price of one split, because on noisy data every further split multiplies the work.
template <class Word>
class BoundRaiser {
 public:
  BoundRaiser(Search<Word>& search, Crew<Word>& crew, Cost penalty, Cost cutoff)
      : search_(search), crew_(crew), least_step_(std::max(penalty, kUnitCost)), cutoff_(cutoff) {}

  // The search may stop once the lower bound of the root is this high.
  void stop_at(Cost cutoff) { cutoff_ = std::min(cutoff_, cutoff); }
  bool reached() const { return search_.root().solved() || search_.root().lower >= cutoff_; }

  void run(std::int64_t work) {
    const std::int64_t start = search_.work_done();
    const std::int64_t end = start + work;
    while (!search_.out_of_time() && search_.work_done() < end) {
      if (reached()) break;
      const Bounds root = search_.root();
      const Cost half = (root.upper - root.lower) / 2;
      if (step_ == 0 || step_ > half) step_ = std::max(half, least_step_);
      const Cost budget = std::min(next_budget(root, step_, least_step_), cutoff_);
      if (budget != ordered_) crew_.order(step_, least_step_);
      ordered_ = budget;
      const std::int64_t round_start = search_.work_done();
      std::int64_t allowance = end - round_start;
      if (step_ > least_step_)
        allowance = std::min(allowance, 2 * kFirstSlice + 2 * spent_ - round_spent_);
      search_.deepen(budget, std::max<std::int64_t>(allowance, 1));
      const std::int64_t used = search_.work_done() - round_start;
      if (search_.root().lower >= std::min(budget, search_.root().upper)) {
        spent_ += round_spent_ + used;
        round_spent_ = 0;
        step_ = std::min(2 * step_, half);
        continue;
      }
      round_spent_ += used;
      if (step_ > least_step_ && round_spent_ >= 2 * kFirstSlice + 2 * spent_) {
        spent_ += round_spent_;
        round_spent_ = 0;
        step_ = std::max(step_ / 4, least_step_);
      }
    }
  }

 private:
  Search<Word>& search_;
  Crew<Word>& crew_;
  Cost least_step_;
  Cost cutoff_;
  Cost ordered_ = 0;  // the budget that was given to the helping threads
  Cost step_ = 0;
  std::int64_t spent_ = 0;        // on finished or abandoned rounds
  std::int64_t round_spent_ = 0;  // on the current one
};

template <class Word>
class Run {
 public:
  Run(const Problem& problem, const Settings& settings, Limits& limits, Observer observer,
      StepListener* listener, WarmStart* warm = nullptr, CheckpointKeeper* keeper = nullptr,
      Memo* shared_memo = nullptr, Exchange<Cost>* exchange = nullptr)
      : problem_(problem), settings_(settings), limits_(limits), observer_(std::move(observer)),
        layout_(make_layout(problem, settings.min_samples_leaf, limits.memory_allowance())),
        own_memo_(shared_memo != nullptr
                      ? nullptr
                      : std::make_unique<Memo>(memo_bytes(limits), settings.n_threads > 1)),
        memo_(shared_memo != nullptr ? *shared_memo : *own_memo_),
        search_(layout_, settings_, limits, memo_, settings.n_threads > 1 ? &marks_ : nullptr,
                exchange != nullptr && listener == nullptr && keeper == nullptr),
        trees_(search_, layout_, limits.memory_allowance() / 8),
        crew_(layout_, settings_, limits, memo_, marks_, listener),
        raiser_(search_, crew_, settings.split_cost, settings.cutoff), warm_(warm), keeper_(keeper),
        exchange_(exchange) {
    search_.listen(crew_.listener());
    if (listener != nullptr) listener->begin(settings.split_cost);
  }

  // Continues from what an earlier search for the same problem has proved.
  void resume(const Checkpoint& from) {
    for (const Checkpoint::Record& r : from.records)
      memo_.update(r.key, r.effort, {r.lower, r.upper, r.test});
    resumed_ = true;
  }

  SearchResult solve() {
    kept_ = flatten({});  // from here on there is always a tree to return
    kept_cost_ = evaluate(problem_, kept_, settings_.price());
    hear();
    const bool has_tree = resumed_ || search_.root().upper < kInfiniteCost ||
                          (warm_ != nullptr && !warm_->trees.empty());
    if (warm_ != nullptr) seed_memo(search_, layout_, settings_.min_samples_leaf, *warm_);
    search_.deepen(1, 0);  // expands the root, which gives a first tree and bound
    if (settings_.switches.discrepancy && !has_tree && !search_.root().solved())
      trees_.run_first_passes();
    improving_ = !has_tree;
    report();
    if (settings_.helpers_at_once) crew_.start();
    std::int64_t exact_slice = kFirstSlice;
    std::int64_t exact_total = 0;
    while (!raiser_.reached() && !search_.out_of_time()) {
      if (search_.memo().full()) keep_tree();
      share_memory();
      hear();
      lower_before_.push_back(search_.root().lower);
      const std::int64_t start = search_.work_done();
      raiser_.run(exact_slice);
      exact_total += search_.work_done() - start;
      report();
      if (settings_.switches.discrepancy && !trees_.exhausted()) {
        const double share = heuristic_share();
        improving_ = trees_.run(
            static_cast<std::int64_t>(static_cast<double>(exact_slice) * share / (1.0 - share)));
        report();
      }
      exact_slice = std::max(kFirstSlice, exact_total / 2);
      if (keeper_ != nullptr) {
        exact_slice = std::min(exact_slice, kCheckpointSlice);
        if (keeper_->due(limits_)) keeper_->save(memo_, limits_);
      }
      crew_.start();  // not earlier, because most problems are already solved here
    }
    crew_.dismiss();
    if (keeper_ != nullptr) keeper_->save(memo_, limits_);
    return result();
  }

 private:
  static constexpr std::size_t kPatience = 4;  // number of slices without a better bound
  static constexpr double kLeastShare = 0.05;

  // The share of the time for finding better trees: large while a proof is far away and trees still
  // improve, small once a proof is near.
  double heuristic_share() const {
    // the caller needs a bound only
    if (settings_.cutoff < kInfiniteCost) return kLeastShare;
    const Bounds now = search_.root();
    const Cost gap = now.upper - now.lower;
    const Cost penalty = settings_.split_cost;
    const std::size_t n = lower_before_.size();
    const bool stuck = n >= kPatience && now.lower - lower_before_[n - kPatience] < gap / 16;
    if (gap > 10 * penalty && stuck) return improving_ ? 0.8 : 0.5;
    return improving_ && gap > 4 * penalty ? 0.33 : kLeastShare;
  }

  // The memory that layout and path leave is for the memo and, to a small part, for the lists of
  // the discrepancy search; both shrink when the path grows.
  void share_memory() {
    const auto n_threads = static_cast<std::uint64_t>(settings_.n_threads);
    const std::uint64_t fixed = layout_.bytes() + search_.bytes() * n_threads;
    const std::uint64_t memo = memo_.account().bytes;
    peak_bytes_ = std::max(peak_bytes_, fixed + trees_.bytes() + memo);
    const std::uint64_t allowance = limits_.memory_allowance();
    if (allowance == 0) return;
    const std::uint64_t left = allowance - std::min(allowance, fixed);
    trees_.limit(std::min(allowance / 8, left / 4));
    memo_.limit(std::max<std::uint64_t>(left / 2 + left / 8, 1));
  }

  // True if parts of the best tree may be missing from the memo: a full memo has dropped entries,
  // and a shared memo has received bounds from other searches without their trees.
  bool lossy() const { return memo_.full() || own_memo_ == nullptr; }

  // Adopts a cheaper tree that another search for the same problem has found. If that tree is too
  // deep for this search, its cost still limits what is worth proving.
  void hear() {
    if (exchange_ == nullptr || exchange_->upper() >= search_.root().upper) return;
    const auto better = exchange_->better_than(search_.root().upper);
    if (!better) return;
    if (settings_.max_depth >= 0 && better->tree.depth() > settings_.max_depth) {
      raiser_.stop_at(better->cost);
      return;
    }
    const std::optional<Tree> tree = to_tree(problem_, better->tree);
    if (!tree) return;
    WarmStart theirs;
    theirs.trees.push_back(*tree);
    seed_memo(search_, layout_, settings_.min_samples_leaf, theirs);
  }

  void tell() {
    if (exchange_ == nullptr) return;
    const Bounds root = search_.root();
    if (root.upper < exchange_->upper()) {
      keep_tree();
      exchange_->found(to_split_tree(problem_, kept_), kept_cost_);
    }
    exchange_->proved(std::min(root.lower, root.upper));
  }

  void report() {
    tell();
    const Bounds root = search_.root();
    check([&] { return root.lower >= told_.lower; }, "the bound of the whole never falls");
    if (!observer_ || (root.upper == told_.upper && root.lower == told_.lower)) return;
    const EventKind kind = root.upper < told_.upper ? EventKind::incumbent : EventKind::bound;
    told_ = root;
    observer_({kind, limits_.seconds(), root.lower, root.upper, search_.counters().expansions});
  }

  // Rebuilds the best tree. Parts that a full memo has dropped are solved again if time allows; a
  // tree that was kept from before is considered too. `again`: the memo has bounds for every part,
  // but weaker ones than before, so each part is solved once more. Re-solving adds bounds to the
  // memo that were not logged as proof steps; it is postponed while later steps may cite them.
  void keep_tree(bool again = false) {
    const bool may_solve = lossy() && (over_ || search_.listener() == nullptr);
    if (kept_cost_ <= search_.root().upper) return;
    const Known known = [&](const std::vector<std::int32_t>& rows, const Key& key, int& left) {
      const int allowed = left;
      const Bounds b = known_with_depth(search_, key, left);
      const bool lost = b.upper >= kInfiniteCost || (again && !b.solved());
      if (!lost || !may_solve) return b;
      left = allowed;
      return search_.resolve(rows, left);
    };
    Tree tree = extract(layout_, settings_, known);
    const Cost cost = evaluate(problem_, tree, settings_.price());
    if (cost >= kept_cost_) return;
    kept_cost_ = cost;
    kept_ = std::move(tree);
  }

  SearchResult result() {
    SearchResult out;
    over_ = true;
    keep_tree();
    if (search_.root().solved() && lossy()) keep_tree(true);
    out.tree = std::move(kept_);
    out.upper = kept_cost_;
    out.lower = std::min(search_.root().lower, out.upper);
    out.stop = limits_.reason();
    if (exchange_ != nullptr) {
      exchange_->found(to_split_tree(problem_, out.tree), out.upper);
      exchange_->proved(out.lower);
    }
    Counters& counters = search_.counters();
    crew_.add_counters(counters);
    share_memory();
    const Memo::Account memo = memo_.account();
    counters.memo_entries = memo.entries;
    counters.memo_evictions = memo.evictions;
    counters.memo_bytes = static_cast<std::int64_t>(memo.bytes);
    counters.checkpoints = keeper_ == nullptr ? 0 : keeper_->written();
    counters.checkpoint_failures = keeper_ == nullptr ? 0 : keeper_->failures();
    counters.memory_bytes = static_cast<std::int64_t>(peak_bytes_);
#define X(name) out.statistics.emplace_back(#name, counters.name);
    TREEPROOF_SPARSE_COUNTERS(X)
#undef X
    if (warm_ != nullptr) gather(search_, *warm_);
    return out;
  }

  const Problem& problem_;
  Settings settings_;
  Limits& limits_;
  Observer observer_;
  const Layout layout_;
  const std::unique_ptr<Memo> own_memo_;  // null if the memo is shared with other searches
  Memo& memo_;
  WorkMarks marks_;
  Search<Word> search_;
  Discrepancy<Word> trees_;
  Crew<Word> crew_;
  BoundRaiser<Word> raiser_;
  WarmStart* warm_;
  CheckpointKeeper* keeper_;
  Exchange<Cost>* exchange_;
  bool resumed_ = false;
  std::uint64_t peak_bytes_ = 0;
  bool over_ = false;  // no further proof steps will be reported
  Bounds told_;
  Tree kept_;
  Cost kept_cost_ = kInfiniteCost;
  std::vector<Cost> lower_before_;  // the bound of the root before each slice
  bool improving_ = true;
};

// Adds up the statistics of several searches.
void add_statistics(SearchResult& into, const SearchResult& from) {
  if (into.statistics.empty()) into.statistics = from.statistics;
  else
    for (std::size_t k = 0; k < from.statistics.size(); ++k)
      into.statistics[k].second += from.statistics[k].second;
}

// At most k splits: the unlimited optimum if it is small enough; otherwise searches with higher
// split prices, and a separate search for what they leave open. See size_limited.hpp.
template <class Word>
SearchResult solve_size_limited(const Problem& problem, const Settings& settings, int max_splits,
                                Limits& limits, const Observer& observer, StepListener* listener,
                                Exchange<Cost>* exchange) {
  SearchResult best = Run<Word>(problem, settings, limits, {}, listener).solve();
  const auto tell = [&] {
    if (exchange == nullptr) return;
    exchange->found(to_split_tree(problem, best.tree), best.upper);
    exchange->proved(best.lower);
  };
  if (best.tree.n_splits() <= max_splits) {
    tell();
    return best;
  }
  const Cost penalty = settings.split_cost;
  const auto take = [&](const Tree& found, Cost lower) {
    Tree tree = prune_to_size(problem, found, settings.price(), max_splits);
    const Cost cost = evaluate(problem, tree, settings.price());
    if (cost < best.upper) {
      best.upper = cost;
      best.tree = std::move(tree);
    }
    best.lower = std::max(best.lower, std::min(lower, best.upper));
    tell();
    if (observer) observer({EventKind::bound, limits.seconds(), best.lower, best.upper, 0});
  };
  best.upper = kInfiniteCost;
  take(Tree(best.tree), best.lower);
  const Cost leaf_cost = evaluate(problem, flatten({}), penalty);

  // Bisection: the tree has too many splits at the price `cheap`, and few enough from `expensive`
  // on.
  Cost cheap = penalty, expensive = std::max(leaf_cost, penalty) + 1;
  while (!best.optimal() && expensive - cheap > 1 && limits.reason() == StopReason::none) {
    Settings higher_price = settings;
    higher_price.split_cost = cheap + (expensive - cheap) / 2;
    const SearchResult found = Run<Word>(problem, higher_price, limits, {}, listener).solve();
    add_statistics(best, found);
    const Cost extra = (higher_price.split_cost - penalty) * max_splits;
    take(found.tree, found.lower - extra);
    if (found.tree.n_splits() == max_splits && found.optimal()) break;
    (found.tree.n_splits() > max_splits ? cheap : expensive) = higher_price.split_cost;
    // The optimum is a piecewise linear function of the price; steps far below the cost of one
    // error do not change the tree.
    if (expensive - cheap <= kUnitCost / 64) break;
  }
  if (!best.optimal() && limits.reason() == StopReason::none) {
    const Layout layout =
        make_layout(problem, settings.min_samples_leaf, limits.memory_allowance());
    Memo unused(1, false);  // the search below has a memo of its own
    Search<Word> search(layout, settings, limits, unused);
    search.listen(listener);
    if (listener != nullptr) listener->begin(penalty);
    SizeLimited<Word> small(search, layout, limits, memo_bytes(limits));
    const auto answer = small.solve(max_splits, best.upper);
    for (auto& [name, value] : best.statistics)
      if (name == "memo_evictions") value += small.evictions();
    if (answer.upper < best.upper) take(flatten(answer.tree), answer.lower);
    best.lower = std::max(best.lower, std::min(answer.lower, best.upper));
    tell();
  }
  best.stop = limits.reason();
  return best;
}

template <class Word>
SearchResult solve_as(const Problem& problem, const Settings& settings, int max_splits,
                      Limits& limits, const Observer& observer, StepListener* listener,
                      WarmStart* warm, const Checkpoint* resumed, CheckpointKeeper* keeper,
                      Memo* shared_memo, Exchange<Cost>* exchange) {
  if (max_splits >= 0)
    return solve_size_limited<Word>(problem, settings, max_splits, limits, observer, listener,
                                    exchange);
  Run<Word> run(problem, settings, limits, observer, listener, warm, keeper, shared_memo, exchange);
  if (resumed != nullptr) run.resume(*resumed);
  return run.solve();
}

}  // namespace

SearchResult solve(const Problem& problem, const TreeLimits& tree_limits, const Options& options,
                   Limits& limits, const Observer& observer, StepListener* listener,
                   WarmStart* warm) {
  Settings settings;
  settings.fault = options.fault;
  settings.split_cost = split_cost(tree_limits.split_penalty, problem.total_weight);
  if (tree_limits.penalize == Penalize::leaves) settings.further_child = settings.split_cost;
  settings.max_depth = tree_limits.max_depth;
  settings.min_samples_leaf = tree_limits.min_samples_leaf;
  settings.switches = options.switches;
  settings.kernel = options.kernel;
  settings.n_threads = std::clamp(options.n_threads, 1, kMaxThreads);
  settings.helpers_at_once = options.helpers_at_once;
  settings.cutoff = options.cutoff;
  settings.prices = options.prices;
  settings.cites_prices = options.cites_prices;
  const bool narrow = fits_narrow(problem, tree_limits.min_samples_leaf);
  const int max_splits = tree_limits.max_splits;
  const auto run = narrow ? solve_as<std::uint16_t> : solve_as<std::uint32_t>;
  std::optional<CheckpointKeeper> keeper;
  if (!options.checkpoint.empty())
    keeper.emplace(options.checkpoint, problem, tree_limits, options.checkpoint_pause);
  return run(problem, settings, max_splits, limits, observer, listener, warm, options.resumed,
             keeper ? &*keeper : nullptr, options.shared_memo, options.exchange);
}

SearchResult solve_with_prices(const Problem& problem, const TreeLimits& tree_limits,
                               Options options, const prices::FirstPrices& wanted, Limits& limits,
                               const Observer& observer, StepListener* listener) {
  prices::PriceBoard board;
  if (wanted.wanted()) {
    const auto points = prices::make_points(problem.features, problem.codes, problem.label,
                                            problem.n_classes, problem.weight);
    const Cost penalty = split_cost(tree_limits.split_penalty, problem.total_weight);
    post_first_prices(wanted, points, problem.weight,
                      prices::cost_per_leaf(penalty, problem.features, tree_limits.penalize),
                      limits, board);
    options.prices = &board;
    options.cites_prices = !wanted.known.empty();
  }
  return solve(problem, tree_limits, options, limits, observer, listener);
}

}  // namespace treeproof::sparse
