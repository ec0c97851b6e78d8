#include "search/near/sum_counts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/index.hpp"
#include "core/key.hpp"
#include "search/near/combinations.hpp"

namespace treeproof::near {
namespace {

constexpr std::int32_t kSplit = -1;  // in place of an action: not a leaf

// Trees on a set of rows that agree in everything that was requested.
template <std::size_t M>
struct SumEntry {
  Cost priced = 0;  // the least priced cost of these trees
  std::int64_t cost = 0;
  std::array<std::int64_t, M> sums{};
  Key name;  // fingerprint of the predictions, if they are to be told apart
  Marks marks;
  std::int32_t action = kSplit;  // of a leaf, or of combinations of leaves of the same action
  BigCount count = 1;

  friend SumEntry operator+(const SumEntry& a, const SumEntry& b) {
    SumEntry out = a;
    out.priced += b.priced;
    out.cost += b.cost;
    for (std::size_t j = 0; j < M; ++j) out.sums[j] += b.sums[j];
    out.name += b.name;
    out.marks = a.marks + b.marks;
    if (a.action != b.action) out.action = kSplit;
    out.count = a.count * b.count;
    return out;
  }
  bool agrees(const SumEntry& other) const { return kind() == other.kind(); }
  auto kind() const { return std::tuple(cost, sums, name, marks, action); }
  // Equal for all trees that may replace each other if only the cheapest of them is kept.
  auto kind_but_cost() const { return std::tuple(name, marks, action); }
  auto kind_but_last() const {
    std::array<std::int64_t, M> first = sums;
    first.back() = 0;
    return std::tuple(cost, first, marks, action);
  }
};

template <std::size_t M>
using SumHistogram = std::vector<SumEntry<M>>;  // sorted by priced cost

template <std::size_t M>
std::uint64_t hash_of(const SumEntry<M>& e) {
  std::uint64_t out = split_mix(static_cast<std::uint64_t>(e.cost)) ^ e.name.low;
  for (const std::int64_t sum : e.sums) out = split_mix(out + static_cast<std::uint64_t>(sum));
  return out;
}

template <std::size_t M>
class SumCountsOf final : public SumCounts {
 public:
  SumCountsOf(const Graph& graph, const Filter& filter, RowSums sums, const SumRules& rules)
      : graph_(graph), filter_(graph, filter), sums_(std::move(sums)), rules_(rules) {}

  bool count(Limits& limits) override try {
    histograms_.assign(graph_.nodes().size(), {});
    for (const std::int32_t number : graph_.order()) {
      if (limits.stop(1)) return false;
      SumHistogram<M>& own = histograms_[index(number)];
      own = of_node(number, limits);
      if (limits.reason() != StopReason::none) return false;
      own.shrink_to_fit();
      n_entries_ += own.size();
      if (too_large(0, limits)) return false;
    }
    for (const SumEntry<M>& e : histograms_[0])
      if (e.marks.columns == filter_.wanted()) whole_.push_back(e);
    std::ranges::sort(whole_, {}, &SumEntry<M>::kind);
    return true;
  } catch (const std::overflow_error&) {
    if (rules_.at_most) return false;
    throw;
  }

  std::size_t size() const override { return whole_.size(); }
  std::uint64_t n_entries() const override { return n_entries_; }
  std::vector<std::int64_t> entry(std::size_t i) const override {
    const SumEntry<M>& own = whole_.at(i);
    std::vector<std::int64_t> out{own.cost};
    out.insert(out.end(), own.sums.begin(), own.sums.end());
    return out;
  }
  std::int64_t cost(std::int32_t row, std::int32_t action) const override {
    const std::size_t n_actions = index(graph_.problem().n_classes);
    return sums_.values.at((index(row) * n_actions + index(action)) * (1 + M));
  }
  const BigCount& number(std::size_t i) const override { return whole_.at(i).count; }
  TreeDraft tree(std::size_t i, const BigCount& number,
                 std::vector<std::int32_t>& actions) const override {
    if (!(number < whole_.at(i).count))
      throw std::out_of_range("the number of the tree is too large");
    actions.assign(index(graph_.problem().n_rows()), 0);
    return draft(0, whole_.at(i), number, actions);
  }

 private:
  bool too_large(std::size_t more, Limits& limits) const {
    const std::uint64_t bytes = (n_entries_ + more) * sizeof(SumEntry<M>);
    if (graph_.max_bytes() == 0 || bytes + graph_.bytes() <= graph_.max_bytes()) return false;
    limits.memory_exhausted();
    return true;
  }

  // One entry for each action of a leaf.
  SumHistogram<M> leaves(const Node& node) const {
    const Problem& problem = graph_.problem();
    const std::size_t n_actions = index(problem.n_classes);
    SumHistogram<M> out(n_actions);
    std::vector<std::int64_t> weight(n_actions, 0);
    std::int64_t total = 0;
    for_each_row(graph_.bits(node), [&](std::int32_t number) {
      const std::size_t row = index(number);
      const std::int64_t* value = sums_.values.data() + row * n_actions * (1 + M);
      weight[index(problem.label[row])] += problem.weight[row];
      total += problem.weight[row];
      for (std::size_t a = 0; a < n_actions; ++a) {
        out[a].cost += *value++;
        for (std::int64_t& sum : out[a].sums) sum += *value++;
        if (rules_.keeping == Keeping::predictions)
          out[a].name += random_key((static_cast<std::uint64_t>(row) << 32) + a);
      }
    });
    for (std::size_t a = 0; a < n_actions; ++a) {
      out[a].priced = cost_of(total - weight[a]);
      out[a].action = static_cast<std::int32_t>(a);
    }
    return out;
  }

  SumEntry<M> of_split(const Edge& edge) const {
    SumEntry<M> out;
    out.priced = graph_.price(edge);
    out.cost = sums_.price(edge.n_children);
    out.sums.back() = rules_.of_split;
    out.marks = filter_.marks(edge.test);
    return out;
  }

  SumHistogram<M> of_node(std::int32_t number, Limits& limits) const {
    const Node& node = graph_.nodes()[index(number)];
    if (node.open && rules_.at_most) return {of_open_node(node)};
    SumHistogram<M> out;
    if (graph_.may_end(number))
      for (const SumEntry<M>& leaf : leaves(node))
        if (leaf.priced <= node.budget) out.push_back(leaf);
    for (const Edge& edge : graph_.edges(node)) {
      if (!filter_.allowed(number, edge.test)) continue;
      const SumEntry<M> split = of_split(edge);
      const SumHistogram<M> all = suffixes(edge, node.budget - split.priced, limits)[0];
      if (limits.reason() != StopReason::none) return out;
      for (const SumEntry<M>& e : all)
        if (e.action == kSplit && filter_.fits(e.marks + split.marks)) out.push_back(e + split);
      if (too_large(out.size(), limits)) return out;
    }
    tidy(out);
    return out;
  }

  // An upper bound: t(0) = actions, and t(d) = actions + the sum over all tests of t(d - 1) to the
  // power of the number of outcomes.
  SumEntry<M> of_open_node(const Node& node) const {
    const auto most = graph_.most_trees(node, index(graph_.problem().n_classes));
    if (!most) throw std::overflow_error("the number of trees is not bounded");
    SumEntry<M> out;
    out.priced = std::min(node.lower, node.budget);
    out.marks = {filter_.wanted(), 0};
    out.count = *most;
    return out;
  }

  std::vector<SumHistogram<M>> suffixes(const Edge& edge, Cost most, Limits& limits) const {
    constexpr CombinePace kPace{1 << 14, 8};
    const auto join = [&](const SumEntry<M>& x, const SumEntry<M>& y, SumHistogram<M>& out) {
      if (filter_.fits(x.marks + y.marks)) out.push_back(x + y);
    };
    const auto merge_equal = [&](SumHistogram<M>& h) { tidy(h); };
    const auto may_keep = [&](std::size_t n) { return !too_large(n, limits); };
    return combine_suffixes(graph_.children(edge), histograms_,
                            [&](const SumHistogram<M>& a, const SumHistogram<M>& b) {
                              return combine_pairs<&SumEntry<M>::priced>(
                                  a, b, most, kPace, limits, join, merge_equal, may_keep);
                            });
  }

  // Merges the entries that need not be told apart.
  void tidy(SumHistogram<M>& h) const {
    if (rules_.keeping == Keeping::trees) {
      merge(h, &SumEntry<M>::kind, &SumEntry<M>::kind, true);
    } else if (rules_.keeping == Keeping::predictions) {
      merge(
          h, &SumEntry<M>::kind_but_cost,
          [](const SumEntry<M>& e) { return std::tuple(e.kind_but_cost(), e.cost); }, false);
    } else {
      merge(
          h, &SumEntry<M>::kind_but_last,
          [](const SumEntry<M>& e) { return std::tuple(e.kind_but_last(), e.sums.back()); }, false);
    }
    std::ranges::stable_sort(h, {}, &SumEntry<M>::priced);
  }

  // Of equal entries the first one is kept, with the least priced cost of all of them.
  template <class Same, class Order>
  static void merge(SumHistogram<M>& h, const Same& same, const Order& order, bool add) {
    std::ranges::sort(h, {}, order);
    std::size_t n = 0;
    for (std::size_t k = 0; k < h.size(); ++k) {
      if (n == 0 || std::invoke(same, h[n - 1]) != std::invoke(same, h[k])) {
        h[n++] = h[k];
        continue;
      }
      h[n - 1].priced = std::min(h[n - 1].priced, h[k].priced);
      if (add) h[n - 1].count += h[k].count;
    }
    h.resize(n);
  }

  // The positions of a node's entries, by a hash of their cost and sums.
  using EntriesByHash = std::unordered_multimap<std::uint64_t, std::size_t>;
  const EntriesByHash& entries_by_hash(std::int32_t node) const {
    const auto [it, fresh] = entries_by_hash_.try_emplace(node);
    if (fresh)
      for (std::size_t k = 0; k < histograms_[index(node)].size(); ++k)
        it->second.emplace(hash_of(histograms_[index(node)][k]), k);
    return it->second;
  }

  // Visits, in a fixed order, the pairs of a tree of the k-th child and a combination of trees of
  // the later children that together agree with `wanted`, until `visit` returns true.
  template <class Visit>
  bool for_each_pair(const Edge& edge, std::size_t k, const SumHistogram<M>& rest, Cost most,
                     const SumEntry<M>& wanted, const Visit& visit) const {
    const auto children = graph_.children(edge);
    const EntriesByHash* known =
        k + 2 == children.size() ? &entries_by_hash(children.back()) : nullptr;
    for (const SumEntry<M>& x : histograms_[index(children[k])]) {
      if (known == nullptr) {
        for (const SumEntry<M>& y : rest)
          if (x.priced + y.priced <= most && wanted.agrees(x + y) && visit(x, y)) return true;
        continue;
      }
      SumEntry<M> missing = wanted;
      missing.cost -= x.cost;
      for (std::size_t j = 0; j < M; ++j) missing.sums[j] -= x.sums[j];
      missing.name -= x.name;
      const auto [first, last] = known->equal_range(hash_of(missing));
      for (auto it = first; it != last; ++it) {
        const SumEntry<M>& y = rest[it->second];
        if (x.priced + y.priced <= most && wanted.agrees(x + y) && visit(x, y)) return true;
      }
    }
    return false;
  }

  TreeDraft draft(std::int32_t number, const SumEntry<M>& wanted, BigCount which,
                  std::vector<std::int32_t>& actions) const {
    const Node& node = graph_.nodes()[index(number)];
    if (wanted.action != kSplit) {
      for_each_row(graph_.bits(node),
                   [&](std::int32_t row) { actions[index(row)] = wanted.action; });
      return {};
    }
    for (const Edge& edge : graph_.edges(node)) {
      if (!filter_.allowed(number, edge.test)) continue;
      const SumEntry<M> split = of_split(edge);
      const Cost most = node.budget - split.priced;
      SumEntry<M> below = wanted;
      below.cost -= split.cost;
      for (std::size_t j = 0; j < M; ++j) below.sums[j] -= split.sums[j];
      if (auto found = draft_split(edge, most, below, split.marks, which, actions))
        return *std::move(found);
    }
    throw std::logic_error("a tree that was counted is not there");
  }

  // The tree of this number among those of one edge. If the edge has fewer trees, returns nothing
  // and subtracts their number from `which`.
  std::optional<TreeDraft> draft_split(const Edge& edge, Cost most, const SumEntry<M>& below,
                                       const Marks& marks, BigCount& which,
                                       std::vector<std::int32_t>& actions) const {
    Limits no_limits;
    const auto children = graph_.children(edge);
    const auto outcomes = graph_.outcomes(edge);
    const bool two = children.size() == 2;  // then no combinations are needed
    const std::vector<SumHistogram<M>> suffix =
        two ? std::vector<SumHistogram<M>>{} : suffixes(edge, most, no_limits);
    std::optional<TreeDraft> out;
    // `wanted` is what the children from the k-th on still have to contribute. A mark of the split
    // may also be a mark of its children, so that there may be several choices of the children's
    // marks.
    for (const Marks& own : marks_below(below.marks, marks)) {
      SumEntry<M> wanted = below;
      wanted.marks = own;
      std::size_t k = 0;
      TreeDraft made{edge.test, {outcomes.begin(), outcomes.end()}, {}};
      while (k + 1 < children.size()) {
        const SumHistogram<M>& rest =
            k + 2 == children.size() ? histograms_[index(children.back())] : suffix[k + 1];
        std::optional<std::pair<SumEntry<M>, SumEntry<M>>> found;
        for_each_pair(edge, k, rest, most, wanted, [&](const SumEntry<M>& x, const SumEntry<M>& y) {
          const BigCount n = x.count * y.count;
          if (which < n) found.emplace(x, y);
          else which -= n;
          return found.has_value();
        });
        if (!found) break;
        const auto [quotient, remainder] = divide(which, found->second.count);
        made.children.push_back(draft(children[k], found->first, quotient, actions));
        which = remainder;
        wanted = found->second;
        ++k;
      }
      if (k + 1 < children.size()) continue;
      made.children.push_back(draft(children.back(), wanted, which, actions));
      return made;
    }
    return out;
  }

  // The marks that the children together may have if the whole tree has the marks `whole`.
  static std::vector<Marks> marks_below(const Marks& whole, const Marks& of_split) {
    const std::int32_t splits = whole.splits - of_split.splits;
    if ((whole.columns & of_split.columns) != of_split.columns) return {};
    std::vector<Marks> out{{whole.columns, splits}};
    if (of_split.columns != 0) out.push_back({whole.columns & ~of_split.columns, splits});
    return out;
  }

  const Graph& graph_;
  const FilteredTests filter_;
  const RowSums sums_;
  const SumRules rules_;
  std::vector<SumHistogram<M>> histograms_;  // one for each node
  SumHistogram<M> whole_;
  std::uint64_t n_entries_ = 0;
  // For some nodes; made when needed.
  mutable std::unordered_map<std::int32_t, EntriesByHash> entries_by_hash_;
};

template <std::size_t M>
std::unique_ptr<SumCounts> make_of_width(const Graph& graph, const Filter& filter, RowSums sums,
                                         const SumRules& rules) {
  if constexpr (M > kMostSums) {
    throw std::invalid_argument("too many sums");
  } else {
    if (sums.n_sums != M) return make_of_width<M + 1>(graph, filter, std::move(sums), rules);
    return std::make_unique<SumCountsOf<M>>(graph, filter, std::move(sums), rules);
  }
}

}  // namespace

std::unique_ptr<SumCounts> make_sum_counts(const Graph& graph, const Filter& filter, RowSums sums,
                                           const SumRules& rules) {
  return make_of_width<1>(graph, filter, std::move(sums), rules);
}

}  // namespace treeproof::near
