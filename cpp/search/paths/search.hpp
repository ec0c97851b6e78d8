// Optimal trees whose tests depend on the path from the root: a recursion over (rows, state).
//
// The best tree for some rows in a state is a leaf, or a split that the state allows with the best
// trees of both sides in the state below it. A solve has a cut-off: only trees cheaper than that
// matter. Three things keep it small:
//
//   interval  Left of a cut that moves right there are more and more rows, and right of it fewer.
//             A tree for more rows serves fewer of them at no higher cost in any state: its splits
//             that leave a side empty can be left out, which allows no less and charges no more.
//             So between two cuts a < b of a column, the sides cost at least l(a) + r(b); the
//             interval is dropped if that is too much, or bisected. This does not hold with a
//             minimum leaf size, nor where a test is worth its price for a discount that it gives
//             (Rules::contract); every cut is tried then.
//   memo      What is known of (rows, state, depth): a lower bound, and perhaps the best tree.
//   deepening Trees of depth 1, 2, ... are searched in turn. With a penalty, a tree that is deeper
//             than d has more than d splits, which ends the series and bounds what was not
//             searched.
//
// A solve returns the least bound of all pieces: of cuts that were solved, the sum of the bounds of
// their sides; of those that were dropped, the bound that dropped them; of those that were not
// reached before a limit, what every split costs. The tree is optimal if that bound reaches its
// cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/key.hpp"
#include "core/limits.hpp"
#include "core/options.hpp"
#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "search/paths/rules.hpp"
#include "search/paths/solve.hpp"
#include "search/split_way.hpp"
#include "tree/split_tree.hpp"

namespace treeproof::paths {

template <Loss L>
class Search {
 public:
  using Value = typename L::Value;

  Search(const Columns& columns, const L& loss, const Rules& rules, const TreeLimits& tree_limits,
         Value split_cost, Limits& limits)
      : columns_(&columns), loss_(&loss), rules_(&rules), limits_(&limits),
        min_leaf_(static_cast<std::uint32_t>(std::clamp<std::int64_t>(
            tree_limits.min_samples_leaf, 1, std::int64_t{columns.n_rows} + 1))),
        list_(tree_limits.list),
        price_(split_cost, tree_limits.penalize == Penalize::leaves ? split_cost : Value{}),
        max_depth_(tree_limits.max_depth), in_(loss.tally()), out_(loss.tally()) {}

  Result<Value> solve() {
    const RowSubset rows = RowSubset::whole(*columns_);
    Result<Value> result;
    result.upper = leaf(rows, -1);
    result.split_cost = price_.two_way;
    const int room = std::max(columns_->n_rows - 1, 0);  // every split adds a leaf with rows
    const int deepest = max_depth_ < 0 ? room : std::min(max_depth_, room);
    int depth = 0;
    // Trees of more than `depth` levels have more than `depth` splits.
    const auto deeper = [&] {
      return depth < deepest ? static_cast<Value>(depth + 1) * price_.two_way : result.upper;
    };
    Value searched = result.upper;  // a bound on all trees of at most `depth` levels
    while (depth < deepest && !loss_->closes(deeper(), result.upper)) {
      Answer better = solve(rows, 0, depth + 1, result.upper, 0);
      if (better.found) {
        result.upper = better.upper;
        result.tree = std::move(better.tree);
      }
      if (stopped() && !loss_->closes(better.lower, result.upper)) break;
      ++depth;
      searched = better.lower;
    }
    result.lower = std::min({searched, deeper(), result.upper});
    result.optimal = loss_->closes(result.lower, result.upper);
    check([&] { return result.optimal || stopped(); }, "a finished search proves its tree");
    if (result.optimal) result.lower = result.upper;
    result.stop = limits_->reason();
    result.statistics = {{"solves", solves_},
                         {"cuts", cuts_},
                         {"interval_prunes", interval_prunes_},
                         {"recalled_sets", recalled_},
                         {"searched_depth", depth}};
    return result;
  }

 private:
  // What is known of the trees for some rows in a state.
  struct Answer {
    Value lower{};  // none costs less
    Value upper{};  // what `tree` costs if found, else the cut-off
    bool found = false;
    SplitTree tree;
  };
  struct Level {
    RowSubset left, right;
    std::vector<RowSubset> parts;
  };
  struct Node {
    const RowSubset* rows;
    std::int32_t state;  // below the split
    int depth;           // of the children
    std::size_t level;
    Value base;    // what the split itself costs
    Answer* best;  // so far; its `lower` is the least bound of the pieces that are done
  };
  struct Cut {
    std::uint32_t position;
    Value left, right;  // lower bounds
  };
  static constexpr std::size_t kMostKnown = 1 << 18;
  static constexpr std::size_t kEntryBytes = 512;  // of what is known, with a small tree

  std::size_t most_known() const {
    const std::uint64_t allowance = limits_->memory_allowance();
    return allowance == 0 ? kMostKnown
                          : std::min<std::size_t>(kMostKnown, allowance / kEntryBytes / 2 + 1);
  }

  bool intervals() const { return min_leaf_ == 1 && rules_->contract; }
  bool stopped() const { return limits_->reason() != StopReason::none; }
  bool closed(const Node& node, Value children) const {
    return loss_->closes(node.base + children, node.best->upper);
  }
  // A piece of the work at a node is done: its trees cost at least this.
  static void account(const Node& node, Value children) {
    node.best->lower = std::min(node.best->lower, node.base + children);
  }

  Value leaf(const RowSubset& rows, std::int32_t says) {
    loss_->clear(in_);
    for (std::uint32_t r = 0; r < rows.size(); ++r) loss_->add(in_, rows.row(r));
    return value(in_, says);
  }
  Value value(const typename L::Tally& t, std::int32_t says) const {
    if constexpr (requires { loss_->value_saying(t, says); })
      if (says >= 0) return loss_->value_saying(t, says);
    return loss_->value(t);
  }
  std::int32_t direction(std::int32_t f) const {
    return rules_->directions.empty() ? 0 : rules_->directions[static_cast<std::size_t>(f)];
  }
  std::vector<SplitWay> ways(std::int32_t f) const { return split_ways(direction(f), list_); }
  // What a split on the feature costs the rows, beside its penalty.
  Value paid(const RowSubset& rows, std::size_t rule) const {
    if (rules_->prices.empty() || rules_->prices[rule] == 0) return Value{};
    std::int64_t units = 0;
    for (std::uint32_t r = 0; r < rows.size(); ++r) units += rules_->pays[rows.row(r)];
    return static_cast<Value>(rules_->prices[rule] * units);
  }

  Key key_of(const RowSubset& rows, std::int32_t state, int depth) const {
    constexpr std::uint64_t kStates = std::uint64_t{1} << 40;  // beyond all rows
    Key sum = random_key(kStates + (static_cast<std::uint64_t>(state) << 20) +
                         static_cast<std::uint64_t>(depth));
    for (std::uint32_t r = 0; r < rows.size(); ++r) sum += random_key(rows.row(r));
    return sum;
  }

  Answer solve(const RowSubset& rows, std::int32_t state, int depth, Value cutoff,
               std::size_t level) {
    ++solves_;
    const Value alone = leaf(rows, -1);
    Answer best{alone, cutoff, false, {}};
    if (alone < cutoff) best = {alone, alone, true, {}};
    if (depth <= 0 || rows.size() < 2 * min_leaf_) return best;
    if (loss_->closes(price_.two_way, best.upper)) {
      best.lower = std::min(alone, price_.two_way);
      return settled(std::move(best));
    }
    const bool remembers = depth > 1;
    const Key key = remembers ? key_of(rows, state, depth) : Key{};
    if (const auto known = remembers ? known_.find(key) : known_.end(); known != known_.end()) {
      const Answer& entry = known->second;
      if (entry.found && entry.upper < best.upper) best = entry;
      if (loss_->closes(entry.lower, best.upper)) {
        ++recalled_;
        best.lower = entry.lower;
        return settled(std::move(best));
      }
    }
    while (levels_.size() <= level) levels_.emplace_back();
    const auto n = static_cast<std::size_t>(columns_->n_features());
    for (std::int32_t f = 0; f < columns_->n_features() && !stopped(); ++f) {
      const std::size_t rule = static_cast<std::size_t>(state) * n + static_cast<std::size_t>(f);
      if (rules_->next[rule] < 0) continue;
      const FeatureView view(*columns_, rows, f);
      if (view.constant()) continue;
      const Node node{
          &rows, rules_->next[rule], depth - 1, level, price_.two_way + paid(rows, rule), &best};
      if (closed(node, Value{})) account(node, Value{});
      else split(node, view, f);
    }
    if (stopped()) best.lower = std::min(best.lower, price_.two_way);
    best = settled(std::move(best));
    check([&] { return stopped() || best.lower >= best.upper; },
          "a finished solve proves its answer");
    if (remembers && !stopped()) {
      if (known_.size() >= most_known()) known_.clear();
      known_[key] = best;
    }
    return best;
  }

  // Where the bound proves the answer within the tolerance of the loss, it counts as that cost.
  Answer settled(Answer best) const {
    if (loss_->closes(best.lower, best.upper))
      best.lower = best.found ? best.upper : std::max(best.lower, best.upper);
    return best;
  }

  void split(const Node& node, const FeatureView& view, std::int32_t f) {
    switch (columns_->kind(f)) {
      case FeatureKind::ordered:
        if (node.depth == 0) {  // both sides are leaves: all ways are the same
          walk(node, view, f);
          break;
        }
        for (const SplitWay& way : ways(f))
          bisect(node, view, f, way, {0, {}, {}}, {view.size(), {}, {}});
        break;
      case FeatureKind::one_vs_rest:
        for (const std::uint32_t first : view.runs()) {
          const std::uint32_t last = view.run_end(first);
          cut(node, f, first, last);
          for (const SplitWay& way : ways(f))
            sides(node, f, TestKind::equals, first, last, way, nullptr, nullptr);
        }
        break;
      case FeatureKind::multiway: multiway(node, view, f); break;
    }
  }

  // All cuts of a column in one pass, if both children are leaves.
  void walk(const Node& node, const FeatureView& view, std::int32_t f) {
    const RowSubset& rows = *node.rows;
    const std::uint32_t m = rows.size();
    const std::uint32_t* list = rows.list(f);
    const std::int32_t d = direction(f);
    const std::int32_t left = d == 0 ? -1 : d < 0, right = d == 0 ? -1 : d > 0;
    loss_->clear(in_);
    loss_->clear(out_);
    for (std::uint32_t r = 0; r < m; ++r) loss_->add(out_, rows.row(r));
    std::uint32_t at = 0;
    for (std::uint32_t k = 1; k < m; ++k) {
      loss_->add(in_, rows.row(list[k - 1]));
      loss_->remove(out_, rows.row(list[k - 1]));
      if (k < min_leaf_ || m - k < min_leaf_ || !view.boundary(k)) continue;
      const Value children = value(in_, left) + value(out_, right);
      account(node, children);
      const Value cost = node.base + children;
      if (!(cost < node.best->upper)) continue;
      node.best->upper = cost;
      node.best->found = true;
      at = k;
    }
    limits_->stop(m / 32 + 1);
    if (at > 0) node.best->tree = make_node(rows, f, TestKind::threshold, 0, at, {}, {});
  }

  void bisect(const Node& node, const FeatureView& view, std::int32_t f, const SplitWay& way,
              const Cut& a, const Cut& b) {
    const std::uint32_t low = std::max(a.position + 1, min_leaf_);
    const std::uint32_t high = std::min(b.position - 1, view.size() - min_leaf_);
    if (low > high || b.position <= a.position + 1) return;
    const Value least = intervals() ? a.left + b.right : Value{};
    if (stopped()) return account(node, least);
    if (intervals() && closed(node, least)) {
      ++interval_prunes_;
      return account(node, least);
    }
    const std::uint32_t p = view.nearest_boundary(low + (high - low) / 2, low, high);
    if (p == 0) return;
    cut(node, f, 0, p);
    Cut x{p, a.left, b.right};
    if (intervals()) {
      const auto [left, right] = sides(node, f, TestKind::threshold, 0, p, way, &a.left, &b.right);
      x.left = std::max(x.left, left);
      x.right = std::max(x.right, right);
    } else {
      sides(node, f, TestKind::threshold, 0, p, way, nullptr, nullptr);
    }
    bisect(node, view, f, way, a, x);
    bisect(node, view, f, way, x, b);
  }

  void cut(const Node& node, std::int32_t f, std::uint32_t first, std::uint32_t last) {
    ++cuts_;
    Level& level = levels_[node.level];
    partitioner_.cut_out(*node.rows, f, first, last, level.left, level.right);
    limits_->stop(node.rows->size() / 100 * static_cast<std::uint32_t>(columns_->n_features()) + 1);
  }

  // Solves both sides of a cut; returns lower bounds of both. A side matters below what the budget
  // leaves for it: in an interval, for which the bounds are meant to be useful, if the other side
  // costs the least that it costs there; else (null) if it costs what it costs here.
  std::pair<Value, Value> sides(const Node& node, std::int32_t f, TestKind test,
                                std::uint32_t first, std::uint32_t last, const SplitWay& way,
                                const Value* least_left, const Value* least_right) {
    Level& level = levels_[node.level];
    if (level.left.size() < min_leaf_ || level.right.size() < min_leaf_) return {};
    const auto one = [&](const RowSubset& rows, bool is_leaf, Value cutoff) -> Answer {
      if (!is_leaf) return solve(rows, node.state, node.depth, cutoff, node.level + 1);
      const Value cost = leaf(rows, way.says);
      return {cost, std::min(cost, cutoff), cost < cutoff, {}};
    };
    const Value budget = node.best->upper - node.base;
    const Value to_right = least_right != nullptr ? *least_right : Value{};
    Answer left = one(level.left, way.left_leaf, budget - to_right);
    if (!left.found && (stopped() || least_left == nullptr)) {
      account(node, left.lower + to_right);
      return {left.lower, to_right};
    }
    const Value to_left = least_left != nullptr ? *least_left : left.upper;
    Answer right = one(level.right, way.right_leaf, budget - to_left);
    const Value least = least_left != nullptr ? *least_left : Value{};
    account(node, std::max(left.lower, least) + std::max(right.lower, to_right));
    const Value cost = node.base + left.upper + right.upper;
    if (left.found && right.found && cost < node.best->upper) {
      node.best->upper = cost;
      node.best->found = true;
      node.best->tree =
          make_node(*node.rows, f, test, first, last, std::move(left.tree), std::move(right.tree));
    }
    return {left.lower, right.lower};
  }

  void multiway(const Node& node, const FeatureView& view, std::int32_t f) {
    const std::vector<std::uint32_t> starts = view.runs();
    Level& level = levels_[node.level];
    partitioner_.cut_runs(*node.rows, f, starts, level.parts);
    ++cuts_;
    Value cost = node.base - price_.two_way + price_(static_cast<std::int64_t>(starts.size()));
    SplitTree tree;
    tree.feature = f;
    tree.kind = TestKind::multiway;
    for (std::size_t k = 0; k < starts.size(); ++k)
      if (level.parts[k].size() < min_leaf_) return;
    Value lower = cost;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      if (loss_->closes(lower, node.best->upper)) break;
      Answer child = solve(levels_[node.level].parts[k], node.state, node.depth,
                           node.best->upper - lower, node.level + 1);
      cost += child.upper;
      lower += child.lower;
      if (!child.found) break;
      tree.outcomes.push_back(static_cast<std::int32_t>(view.rank_at(starts[k])));
      tree.children.push_back(std::move(child.tree));
    }
    node.best->lower = std::min(node.best->lower, lower);
    if (tree.children.size() < starts.size() || !(cost < node.best->upper)) return;
    node.best->upper = cost;
    node.best->found = true;
    node.best->tree = std::move(tree);
  }

  SplitTree make_node(const RowSubset& rows, std::int32_t f, TestKind kind, std::uint32_t first,
                      std::uint32_t last, SplitTree left, SplitTree right) const {
    const FeatureView view(*columns_, rows, f);
    SplitTree tree;
    tree.feature = f;
    tree.kind = kind;
    const bool equals = kind == TestKind::equals;
    tree.code = static_cast<std::int32_t>(view.rank_at(equals ? first : last - 1));
    tree.next_code = equals ? tree.code : static_cast<std::int32_t>(view.rank_at(last));
    tree.outcomes = {0, 1};
    tree.children.push_back(std::move(left));
    tree.children.push_back(std::move(right));
    return tree;
  }

  const Columns* columns_;
  const L* loss_;
  const Rules* rules_;
  Limits* limits_;
  std::uint32_t min_leaf_;
  bool list_;
  SplitPrice<Value> price_;
  int max_depth_;
  typename L::Tally in_, out_;
  Partitioner partitioner_;
  std::deque<Level> levels_;
  std::unordered_map<Key, Answer, KeyHash> known_;
  std::int64_t solves_ = 0, cuts_ = 0, interval_prunes_ = 0, recalled_ = 0;
};

}  // namespace treeproof::paths
