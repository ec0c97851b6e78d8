// Optimal trees of any depth over every threshold: best-first search over (root feature,
// interval of thresholds), on top of an exact solver for the last levels.
//
// An interval is bounded by the monotone bound and, for labels, by the unit step (depth_two.hpp
// states both; their proofs do not depend on the depth). To open an interval, both sides of the cut
// in its middle are solved, the larger side first, with cut-offs that come from the ends of the
// interval: left of the cut only costs below budget - r(b) matter, and right of it only those below
// budget - l(a). A side that reaches its cut-off settles one of the two halves at once.
//
// inheritance For each feature g of the first split of the left child, a bound proved at the cut a
// also holds at later cuts (more rows), and a bound proved at b holds at earlier cuts minus the
// weight in between (unit step); mirrored on the right. A child all of whose features are bounded
// in this way is never swept. The bound that a solve returns for a feature is the lowest bound over
// *all* its pieces: pruned intervals, ends removed by the unit step (which count with the budget at
// that time) and solved cuts.
//
// With a minimum leaf size, the monotone bound needs care: a leaf with at least k rows in the
// larger set has only k minus the number of missing rows in the smaller set. Sides are therefore
// solved with a minimum that is relaxed by the width of the interval, and the relaxation vanishes
// as intervals shrink. A cut that the relaxed values cannot settle is solved once more with the
// true minimum.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "bounds/partition_bound.hpp"
#include "core/check.hpp"
#include "search/exchange.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/best_first/frame.hpp"
#include "search/threshold/best_first/known_sets.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/price_bound.hpp"
#include "search/threshold/record.hpp"
#include "search/threshold/task.hpp"
#include "search/threshold/threads/crew.hpp"

namespace treeproof::threshold {

template <Loss L, class Terminal>
class Search {
 public:
  using Value = typename L::Value;

  Search(const Context<L>& context, Terminal& terminal, StumpSolver<L>& stumps)
      : context_(&context), terminal_(&terminal), stumps_(&stumps), partitions_(*context.loss),
        prices_(context.settings.prices, context.settings.split_cost, *context.loss),
        chooser_(context) {}

  // Called when the outermost solve may have a better bound, or has a better tree.
  using Progress = std::function<void(Value lower, Value upper, bool better_tree)>;
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  // Threads that share the outermost solve.
  void set_crew(Crew<L, Terminal>* crew) { crew_ = crew; }

  // Sets a tree from which the outermost solve starts.
  void set_incumbent(Answer<Value> incumbent) { incumbent_ = std::move(incumbent); }

  // Sets the other searches for the same problem, or null.
  void set_exchange(Exchange<Value>* exchange) { exchange_ = exchange; }

  // Sets a record that receives what the outermost solve settles about trees of depth two.
  void set_record(Record<Value>* record) { record_ = record; }

  Answer<Value> solve(const Task<Value>& task) {
    if (record_ == nullptr || task.depth != kRecorded || !recordable(task)) return solve(task, 0);
    std::optional<Settled<Value>> settled;
    Answer<Value> answer = solve_settling(task, 0, {}, settled);
    if (settled) record_->set_whole(std::move(*settled));
    return answer;
  }

  // Opens pieces of work, those with the lowest bound first, until none is left or a limit is
  // reached: best_first/work.hpp.
  void work(threshold::Frame<Value>& frame);

 private:
  static constexpr std::uint32_t kMany = 20'000;  // rows
  static constexpr int kNoLimit = 1 << 30;        // splits

  using CutPoint = threshold::CutPoint<Value>;
  using RootFeature = threshold::RootFeature<Value>;
  using Item = threshold::Item<Value>;
  using Level = threshold::Level<Value>;
  using Frame = threshold::Frame<Value>;

  const Settings<Value>& settings() const { return context_->settings; }
  Value penalty() const { return settings().split_cost; }
  Value price(std::size_t n_children) const {
    return settings().price()(static_cast<std::int64_t>(n_children));
  }
  Value infinite() const { return context_->loss->infinite(); }
  bool closes(Value bound, Value best) const { return context_->loss->closes(bound, best); }
  FeatureKind kind(std::int32_t f) const { return context_->columns->kind(f); }
  std::size_t n_features() const {
    return static_cast<std::size_t>(context_->columns->n_features());
  }
  int most_splits(int depth) const {
    return depth >= 30 || context_->has_multiway ? 1 << 30 : (1 << depth) - 1;
  }

  // Returns the maximum number of splits of a tree cheaper than `best`.
  int affordable(Value best) const {
    if (penalty() <= 0) return 1 << 30;
    const double ratio = static_cast<double>(best) / static_cast<double>(penalty());
    if (ratio > 1e9) return 1 << 30;
    int k = static_cast<int>(ratio);
    while (k > 0 && closes(static_cast<Value>(k) * penalty(), best)) --k;
    return k;
  }

  // Solves a task of any depth, by the terminal solver or by the search: best_first/solve.hpp.
  Answer<Value> solve(const Task<Value>& task, std::size_t level);
  void hold_for_deeper_trees(const Task<Value>& task, int depth, int room, int affordable_splits,
                             Answer<Value>& answer) const;

  // Answers from what is known of the same set of rows: best_first/recall.hpp.
  bool remembers_sets(const Task<Value>& task) const;
  bool recall(const Task<Value>& task, const Key& key, Answer<Value>& answer);

  // A lower bound for every tree of the task, for numeric targets with a penalty. It also holds for
  // supersets of the rows: their trees, restricted to these rows, have no more leaves. Where the
  // terminal solver follows, only a bound that reaches the cut-off is of use.
  Value partition_bound(const Task<Value>& task, int depth, Value cutoff) {
    if constexpr (bounds::PartitionsOf<L>::kAny) {
      if (!(penalty() > 0) || context_->has_multiway || !settings().use_partitions) return Value{};
      const int levels = std::min(task.depth, 30);
      const std::int64_t leaves =
          std::min(std::int64_t{1} << levels, std::int64_t{task.splits} + 1);
      if (late(*task.rows)) return Value{};
      constexpr double kClear = 1 - 1e-6;  // more than the tolerance of losses
      const double worth = depth <= Terminal::kDepth ? kClear * cutoff : 0.0;
      return partitions_(*task.rows, leaves, penalty(), cutoff, worth, *context_->limits);
    } else {
      return Value{};
    }
  }

  // The same for labels, by the prices of the rows. No price is negative, so the bound also holds
  // for supersets.
  static constexpr bool kPriced = std::same_as<L, Misclassification>;
  Value priced(const RowSubset& rows) {
    if constexpr (kPriced) return prices_(rows);
    else return Value{};
  }

  Answer<Value> search(const Task<Value>& task, std::size_t level, Answer<Value> leaf,
                       Value least) {
    Frame frame(task, level, std::move(leaf));
    if (level == 0 && frame.depth == kRecorded && recordable(task)) frame.record = record_;
    frame.pieces.assign(n_features(), infinite());
    const Value known = std::max(least, task.known);
    const Value ends = penalty() > 0 ? std::max(look_ahead(frame), known) : known;
    if (frame.depth > Terminal::kDepth && shares_boxes(task)) frame.boxes.emplace();
    if (frame.depth == Terminal::kDepth) frame.around = {task.rows, key_of(*task.rows)};
    list_candidates(frame, ends);
    if (level == 0 && crew_ != nullptr && crew_->n_threads() > 1) share(frame);
    else work(frame);
    return finish(frame);
  }

  Answer<Value> finish(Frame& frame) {
    const bool stopped = context_->limits->reason() != StopReason::none;
    frame.take_back();
    for (; !frame.queue.empty(); frame.queue.pop()) {
      const Item& item = frame.queue.top();
      piece(frame, item.candidate, item.bound);
      if (!stopped) ++context_->counters->interval_prunes;
    }
    if (frame.task->halves_out != nullptr) tell_halves(frame);
    Answer<Value> answer = std::move(frame.answer);
    answer.upper = frame.best;
    Value lower = frame.best;
    // A multiway split into two children is the same as a split of one category from the rest. This
    // also holds for a split of more rows into more children, once it is restricted to these rows.
    for (const std::int32_t f : frame.doubled)
      frame.pieces[static_cast<std::size_t>(f)] =
          frame.pieces[static_cast<std::size_t>(context_->double_of(f))];
    for (std::size_t f = 0; f < n_features(); ++f) {
      if (!frame.task->lower_in.empty())
        frame.pieces[f] = std::max(frame.pieces[f], frame.task->lower_in[f]);
      lower = std::min(lower, frame.pieces[f]);
    }
    const bool proved = closes(lower, answer.upper);
    check([&] { return stopped || proved; }, "a finished best-first search proves its answer");
    answer.lower = answer.found && proved ? answer.upper : lower;
    // For supersets of these rows: a first split may leave all of these rows on one side.
    if (!frame.task->lower_out.empty())
      for (std::size_t f = 0; f < n_features(); ++f)
        frame.task->lower_out[f] = std::min(frame.pieces[f], penalty() + answer.lower);
    return answer;
  }

  // Whether a limit has been reached and the rows are so many that even reading them takes long.
  bool late(const RowSubset& rows) const {
    return context_->limits->stop(1 + rows.size() / 4) && rows.size() > kMany;
  }

  // With a penalty, trees that are deeper than those of the terminal solver cost at least one
  // penalty more than its maximum number of levels. Its best tree therefore bounds all trees;
  // returns that bound on the rows as a whole.
  Value look_ahead(Frame& frame) {
    if (late(*frame.task->rows)) return Value{};
    Task<Value> task = *frame.task;
    task.depth = Terminal::kDepth;
    task.cutoff = frame.best;
    task.lower_in = {};
    task.lower_out = {};
    task.halves_in = {};
    task.halves_out = nullptr;
    task.around = nullptr;
    Answer<Value> answer = terminal_->solve(task);
    const Value bound = std::min(answer.lower, (Terminal::kDepth + 1) * penalty());
    if (answer.found) {
      frame.best = answer.upper;
      frame.answer = std::move(answer);
    }
    return bound;
  }

  void wait(Frame& frame, const Item& item) {
    if (closes(item.bound, frame.best)) {
      ++context_->counters->interval_prunes;
      piece(frame, item.candidate, item.bound);
    } else {
      frame.queue.push(item);
    }
  }

  Value interval_bound(const Frame& frame, std::size_t candidate, std::size_t a,
                       std::size_t b) const {
    const RootFeature& c = frame.candidates[candidate];
    const CutPoint& pa = frame.points[a];
    const CutPoint& pb = frame.points[b];
    const Value monotone = penalty() + pa.left + pb.right;
    if constexpr (L::kUnitStep) {
      if (!c.cumulative.empty()) {
        const Value width = c.cumulative[pb.position] - c.cumulative[pa.position];
        const Value step =
            penalty() +
            context_->round_up((pa.left + pa.right + pb.left + pb.right - width + 1) / 2);
        if (closes(step, frame.best) && !closes(monotone, frame.best))
          ++context_->counters->step_prunes;
        return std::max(monotone, step);
      }
    }
    return monotone;
  }

  // The first pieces of work of all features, of one, and of an ordered one: best_first/seeds.hpp.
  void list_candidates(Frame& frame, Value ends);
  void list_candidate(Frame& frame, const FeatureView& view, std::int32_t f, const SplitWay& way,
                      Value bound, Value ends, int left, int right);
  Value weight_of_run(const Frame& frame, std::int32_t f, std::uint32_t first,
                      std::uint32_t last) const;
  bool splits_matter(const Frame& frame) const;
  void queue_category(Frame& frame, std::size_t c, std::uint32_t start, Value bound);
  void queue_intervals(Frame& frame, std::size_t c, Value bound, Value ends);
  void queue_single(Frame& frame, std::size_t c, std::size_t x, Value bound);
  void list_seeds(Frame& frame, std::size_t c);

  // Stretches of an interval that the cuts within it leave open: best_first/stretches.hpp.
  void pass_along(Frame& frame, const RootFeature& c);
  bool is_one_stretch(Frame& frame, Item& item);

  // Points are kept in order if all of them are valid for all others, that is, without a minimum
  // leaf size. With one, the seeds come first.
  std::size_t new_point(Frame& frame, std::size_t candidate, std::uint32_t position) const {
    frame.points.push_back({position, Value{}, Value{}, {}, {}});
    std::vector<std::size_t>& order = frame.candidates[candidate].points;
    auto place = order.end();
    if (frame.task->min_leaf == 1)
      place = std::ranges::upper_bound(order, position, {},
                                       [&](std::size_t k) { return frame.points[k].position; });
    order.insert(place, frame.points.size() - 1);
    if constexpr (kPriced) {
      const PriceSums& sums = frame.candidates[candidate].priced;
      if (!sums.empty()) {
        frame.points.back().left = prices_.left(sums, position);
        frame.points.back().right = prices_.right(sums, position);
      }
    }
    return frame.points.size() - 1;
  }

  // Without these sums a bound is weaker: on many rows they are left out once a limit is hit.
  void weigh(const Frame& frame, RootFeature& c) const {
    if (!context_->unit_step(frame.task->min_leaf)) return;
    if (frame.size > kMany && context_->limits->stop(frame.size / 100)) return;
    const std::uint32_t* list = frame.task->rows->list(c.feature);
    c.cumulative.resize(frame.size + 1);
    c.cumulative[0] = Value{};
    for (std::uint32_t k = 0; k < frame.size; ++k)
      c.cumulative[k + 1] =
          c.cumulative[k] + context_->loss->weight(frame.task->rows->row(list[k]));
  }

  void piece(Frame& frame, std::size_t candidate, Value bound) {
    Value& p = frame.pieces[static_cast<std::size_t>(frame.candidates[candidate].feature)];
    p = std::min(p, bound);
  }

  // Distributing the work of a solve, and reporting its progress: best_first/work.hpp.
  struct Claim;
  void share(Frame& frame);
  void work_on(Frame& frame);
  bool done(const Frame& frame) const {
    return frame.queue.empty() || closes(frame.queue.top().bound, frame.best);
  }
  bool refresh(Frame& frame, Item& item);
  void await(Frame& frame);
  void report(Frame& frame);
  void hear(Frame& frame);
  void improve(Frame& frame, Value cost, SplitTree tree);
  void check_memory(const Frame& frame);

  // Runs a computation without holding the lock of a frame that threads share.
  template <class Compute>
  auto apart(const Frame& frame, Compute compute) {
    return frame.gate == nullptr ? compute() : gate_hold_->apart(compute);
  }

  // What is known of boxes: best_first/boxes.hpp.
  bool shares_boxes(const Task<Value>& task) const {
    // Bounds of a child that must be a leaf do not hold for trees on its rows.
    return settings().use_boxes && task.min_leaf == 1 && settings().max_splits >= kNoLimit &&
           !context_->restricted();
  }
  // Returns the same number for both features of a column that is split in two ways.
  std::int32_t same_column(std::int32_t f) const {
    const std::int32_t other = context_->double_of(f);
    return other >= 0 ? other : f;
  }
  Half half_of(const RowSubset& rows, const CutSide& side, bool smallest) const;
  void ask_boxes(const Frame& frame, const CutSide& side,
                 std::vector<KnownHalf<Value>>& halves) const;
  void keep_boxes(Frame& frame, const CutSide& side, const std::vector<KnownHalf<Value>>& halves);
  void tell_halves(const Frame& frame) const;
  Value known_half(const Frame& frame, const Half& half) const;

  // Opens a piece of work; false if it was stopped before it was done. best_first/open.hpp.
  bool open(Frame& frame, const Item& item);
  bool open_interval(Frame& frame, const Item& item);
  bool open_cut(Frame& frame, const Item& item);
  bool open_category(Frame& frame, const Item& item);
  bool solve_pair(Frame& frame, const Item& item, const RootFeature& c, TestKind test,
                  std::uint32_t first, std::uint32_t last);

  // What neighbouring cuts say about a new one: best_first/neighbours.hpp. `middle` is the
  // remaining cut that is nearest to the middle of the interval, or 0.
  std::uint32_t middle(Frame& frame, const Item& item, Value budget);
  void shrink(Frame& frame, const Item& item, Value budget, std::uint32_t& low,
              std::uint32_t& high);
  void inherit(Frame& frame, const RootFeature& c, const CutPoint& a, const CutPoint& b,
               CutPoint& x);

  void push(Frame& frame, const Item& parent, std::size_t a, std::size_t b) {
    // no cut lies between them
    if (frame.points[b].position - frame.points[a].position < 2) return;
    const Value bound = std::max(parent.bound, interval_bound(frame, parent.candidate, a, b));
    wait(frame, {bound, parent.candidate, a, b});
  }

  static void raise_all(std::vector<Value>& into, const std::vector<Value>& from) {
    into.resize(from.size(), Value{});
    for (std::size_t f = 0; f < from.size(); ++f) into[f] = std::max(into[f], from[f]);
  }

  // Deepening children by one penalty at a time: best_first/staged.hpp. It is not used for
  // real-valued losses, where it takes more work (depth four with a penalty: 14,000 solves of depth
  // two instead of 8,600), nor for penalties so small that many stages would be needed.
  bool staged(const Frame& frame) const {
    constexpr Value kMostPenalties{16};
    return L::kUnitStep && penalty() > 0 && frame.depth > Terminal::kDepth &&
           frame.best <= kMostPenalties * penalty();
  }
  Value stage(Value known, Value limit) const;
  bool open_staged(Frame& frame, const Item& item);
  bool solve_staged(Frame& frame, const Item& item, const RootFeature& c, TestKind test,
                    std::uint32_t first, std::uint32_t last);
  Answer<Value> deepen(Frame& frame, const RootFeature& c, std::size_t x, bool left,
                       std::uint32_t min_leaf, Value cutoff);

  // Splits with one child for each category: best_first/multiway.hpp.
  bool open_multiway(Frame& frame, const Item& item);
  bool multiway_free(Frame& frame, const Item& item, const RootFeature& c, std::size_t n_parts);
  std::vector<Value> part_weights(const Level& level, std::size_t n_parts) const;
  bool multiway_bounded(Frame& frame, const Item& item, const RootFeature& c, std::size_t n_parts,
                        int splits);
  static CutSide part_of(const Level& level, std::int32_t f, std::size_t k) {
    std::uint32_t first = 0;
    for (std::size_t before = 0; before < k; ++before) first += level.parts[before].size();
    return {f, first, first + level.parts[k].size(), true};
  }

  // Whether the sides of a cut are given to a terminal solver that reads no sorted lists. (A record
  // of what was counted needs them.)
  bool cuts_rows_only(const Frame& frame) const {
    if constexpr (requires { terminal_->reads_rows_only(); })
      return frame.depth <= Terminal::kDepth && frame.record == nullptr &&
             terminal_->reads_rows_only();
    else return false;
  }

  void cut(Frame& frame, std::int32_t f, std::uint32_t first, std::uint32_t last) {
    Level& level = levels_[frame.level];
    ++context_->counters->partitions;
    level.cut = {f, first, last, true};
    apart(frame, [&] {
      partitioner_.cut_out(*frame.task->rows, f, first, last, level.left, level.right,
                           !cuts_rows_only(frame));
    });
    check_memory(frame);
  }

  // Solving one side of a cut: best_first/child.hpp.
  Answer<Value> side(Frame& frame, const RootFeature& c, bool left, std::uint32_t min_leaf,
                     Value cutoff, Value known);
  Answer<Value> child(Frame& frame, const RowSubset& rows, int splits, std::uint32_t min_leaf,
                      Value cutoff, const std::vector<Value>& inherited, std::vector<Value>& out,
                      Value known = Value{});
  Answer<Value> solve_settling(const Task<Value>& task, std::size_t level, const CutSide& side,
                               std::optional<Settled<Value>>& settled);

  // Recording needs monotonicity (a tree for more rows is valid for fewer rows), so that a few
  // tests prove the bounds of all others; hence min_leaf = 1.
  static constexpr int kRecorded = 2;
  bool recordable(const Task<Value>& task) const {
    return Terminal::kDepth == kRecorded && task.min_leaf == 1;
  }

  // Builds the tree of a planned answer for one side of the current cut.
  void complete(const Frame& frame, const RowSubset& rows, int splits, Answer<Value>& answer) {
    if constexpr (requires { terminal_->tree(Task<Value>{}, answer.root); })
      if (std::exchange(answer.planned, false))
        answer.tree = terminal_->tree(
            {&rows, answer.upper, frame.depth, splits, frame.task->min_leaf, {}, {}}, answer.root);
  }

  // Makes the current cut with these trees for its sides the best tree, if it is cheaper.
  void join(Frame& frame, const RootFeature& c, TestKind test, std::uint32_t first,
            std::uint32_t last, Answer<Value>& left, Answer<Value>& right) {
    const Value cost = penalty() + left.upper + right.upper;
    if (!(cost < frame.best)) return;
    complete(frame, levels_[frame.level].left, c.left_splits, left);
    complete(frame, levels_[frame.level].right, c.right_splits, right);
    SplitTree tree = stumps_->node(*frame.task->rows, c.feature, test, first, last);
    tree.children[0] = std::move(left.tree);
    tree.children[1] = std::move(right.tree);
    improve(frame, cost, std::move(tree));
  }

  const Context<L>* context_;
  Terminal* terminal_;
  StumpSolver<L>* stumps_;
  Partitioner partitioner_;
  typename bounds::PartitionsOf<L>::type partitions_;
  struct NoPrices {
    NoPrices(const prices::PriceBoard*, Value, const L&) {}
  };
  std::conditional_t<std::same_as<L, Misclassification>, PriceBound, NoPrices> prices_;
  KnownSets<Value> sets_;
  std::deque<Level> levels_;
  Exchange<Value>* exchange_ = nullptr;
  Progress progress_;
  Crew<L, Terminal>* crew_ = nullptr;
  GateHold* gate_hold_ = nullptr;  // at the outermost frame
  Answer<Value> incumbent_;
  Record<Value>* record_ = nullptr;
  TestChooser<L> chooser_;
  std::vector<CountedCut<Value>> counted_cuts_;
};

}  // namespace treeproof::threshold

#include "search/threshold/best_first/boxes.hpp"
#include "search/threshold/best_first/child.hpp"
#include "search/threshold/best_first/multiway.hpp"
#include "search/threshold/best_first/neighbours.hpp"
#include "search/threshold/best_first/open.hpp"
#include "search/threshold/best_first/recall.hpp"
#include "search/threshold/best_first/seeds.hpp"
#include "search/threshold/best_first/solve.hpp"
#include "search/threshold/best_first/staged.hpp"
#include "search/threshold/best_first/stretches.hpp"
#include "search/threshold/best_first/work.hpp"
