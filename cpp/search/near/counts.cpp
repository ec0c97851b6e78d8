#include "search/near/counts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/index.hpp"
#include "search/near/combinations.hpp"

namespace treeproof::near {
namespace {

constexpr std::uint32_t kMicrosecondsForStumps = 10;

bool before(const Entry& a, const Entry& b) {
  return a.cost != b.cost ? a.cost < b.cost : a.marks < b.marks;
}

// Sorts the entries, and merges entries with the same cost and marks.
void tidy(Histogram& h) {
  std::ranges::sort(h, before);
  std::size_t n = 0;
  for (std::size_t k = 0; k < h.size(); ++k) {
    if (n > 0 && h[n - 1].cost == h[k].cost && h[n - 1].marks == h[k].marks)
      h[n - 1].count += h[k].count;
    else h[n++] = h[k];
  }
  h.resize(n, Entry{0, {}, 0});
  std::erase_if(h, [](const Entry& e) { return e.count.zero(); });
}

}  // namespace

Counts::Counts(const Graph& graph, const Filter& filter, Counting counting)
    : graph_(graph), counting_(counting), filter_(graph, filter) {}

// The splits into leaves that are trees within the budget of a node with one level left.
void Counts::for_each_stump(std::int32_t number, const Leaves::Visit& visit) const {
  const Node& node = graph_.nodes()[index(number)];
  if (!graph_.is_last(node) || !filter_.allows_splits()) return;
  graph_.for_each_stump(node, [&](const Stump& stump) {
    if (!stump.alike && stump.cost <= node.budget && filter_.allowed(number, stump.test))
      visit(stump);
  });
}

bool Counts::useless(const Edge& edge, Cost& leaves) const {
  leaves = 0;
  const auto children = graph_.children(edge);
  const std::int32_t label = graph_.nodes()[index(children[0])].leaf.label;
  for (const std::int32_t child : children) {
    const Leaf& leaf = graph_.nodes()[index(child)].leaf;
    if (leaf.label != label) return false;
    leaves += leaf.cost;
  }
  return true;
}

bool Counts::count(Limits& limits) try {
  histograms_.assign(graph_.nodes().size(), {});
  for (const std::int32_t number : graph_.order()) {
    if (limits.stop(1)) return false;
    Histogram& h = histograms_[index(number)];
    h = of_node(number, limits);
    if (limits.reason() != StopReason::none) return false;
    h.shrink_to_fit();
    n_entries_ += static_cast<std::int64_t>(h.size());
    const std::uint64_t bytes = static_cast<std::uint64_t>(n_entries_) * sizeof(Entry);
    if (graph_.max_bytes() > 0 && bytes + graph_.bytes() > graph_.max_bytes()) {
      limits.memory_exhausted();
      return false;
    }
  }
  for (const Entry& e : histograms_[0])
    if (e.marks.columns == filter_.wanted()) total_ += e.count;
  return true;
} catch (const std::overflow_error&) {
  if (counting_ == Counting::at_most) return false;
  throw;
}

Histogram Counts::of_node(std::int32_t number, Limits& limits) const {
  const Node& node = graph_.nodes()[index(number)];
  Histogram out;
  if (node.open && counting_ == Counting::at_most) {
    if (const auto most = graph_.most_trees(node))
      return {{std::min(node.lower, node.budget), {filter_.wanted(), 0}, *most}};
    throw std::overflow_error("the number of trees is not bounded");
  }
  if (graph_.may_end(number) && node.leaf.cost <= node.budget)
    out.push_back({node.leaf.cost, {}, 1});
  if (graph_.is_last(node)) {
    for_each_stump(number, [&](const Stump& stump) {
      out.push_back({stump.cost, filter_.marks(stump.test), 1});
    });
    limits.stop(kMicrosecondsForStumps);
  }
  for (const Edge& edge : graph_.edges(node)) {
    if (!filter_.allowed(number, edge.test)) continue;
    const Cost price = graph_.price(edge);
    Histogram all = std::move(suffixes(edge, node.budget - price, limits)[0]);
    if (limits.reason() != StopReason::none) return out;
    Cost leaves = 0;
    if (useless(edge, leaves))
      for (Entry& e : all)
        if (e.cost == leaves && e.marks == Marks{}) e.count -= 1;
    for (const Entry& e : all) {
      const Marks both = e.marks + filter_.marks(edge.test);
      if (!e.count.zero() && filter_.fits(both)) out.push_back({e.cost + price, both, e.count});
    }
  }
  tidy(out);
  return out;
}

std::vector<Histogram> Counts::suffixes(const Edge& edge, Cost most, Limits& limits) const {
  constexpr CombinePace kPace{1 << 16, 8};
  const auto join = [&](const Entry& x, const Entry& y, Histogram& out) {
    const Marks both = x.marks + y.marks;
    if (filter_.fits(both)) out.push_back({x.cost + y.cost, both, x.count * y.count});
  };
  return combine_suffixes(
      graph_.children(edge), histograms_, [&](const Histogram& a, const Histogram& b) {
        return combine_pairs<&Entry::cost>(a, b, most, kPace, limits, join, tidy);
      });
}

Histogram Counts::by_cost() const {
  Histogram out;
  for (const Entry& e : histograms_[0])
    if (e.marks.columns == filter_.wanted()) out.push_back(e);
  return out;
}

TreeDraft Counts::tree(BigCount i) const {
  for (const Entry& e : histograms_[0]) {
    if (e.marks.columns != filter_.wanted()) continue;
    if (i < e.count) return draft(0, {e.cost, e.marks, i});
    i -= e.count;
  }
  throw std::out_of_range("the number of the tree is too large");
}

TreeDraft Counts::draft(std::int32_t number, TreeId place) const {
  const Node& node = graph_.nodes()[index(number)];
  if (graph_.may_end(number) && place.marks == Marks{} && place.cost == node.leaf.cost) {
    if (place.number.zero()) return {};
    place.number -= 1;
  }
  if (graph_.is_last(node)) return draft_stump(number, place);
  for (const Edge& edge : graph_.edges(node)) {
    if (!filter_.allowed(number, edge.test)) continue;
    const Cost cost = place.cost - graph_.price(edge);
    Limits no_limits;
    const std::vector<Histogram> suffix = suffixes(edge, cost, no_limits);
    Cost leaves = 0;
    const bool correct = useless(edge, leaves) && leaves == cost;
    for (const Entry& e : suffix[0]) {
      if (e.cost != cost || e.marks + filter_.marks(edge.test) != place.marks) continue;
      BigCount n = e.count;
      if (correct && e.marks == Marks{}) n -= 1;
      if (place.number < n) return draft_split(edge, suffix, {cost, e.marks, place.number});
      place.number -= n;
    }
  }
  throw std::logic_error("a tree that was counted is not there");
}

TreeDraft Counts::draft_stump(std::int32_t number, TreeId place) const {
  TreeDraft out;
  for_each_stump(number, [&](const Stump& stump) {
    if (out.test >= 0 || stump.cost != place.cost || filter_.marks(stump.test) != place.marks)
      return;
    if (place.number.zero()) out.test = stump.test;
    else place.number -= 1;
  });
  if (out.test < 0) throw std::logic_error("a split that was counted is not there");
  out.outcomes = graph_.outcomes_on(graph_.nodes()[index(number)], out.test);
  out.children.resize(out.outcomes.size());
  return out;
}

// Finds the tree child by child: the trees on a child are visited by cost, each with all
// combinations of trees on the later children. While all earlier children are leaves of one class,
// the combination in which the later ones are leaves of this class, too, is not a tree and is left
// out. A leaf is the first tree of its cost.
TreeDraft Counts::draft_split(const Edge& edge, const std::vector<Histogram>& suffix,
                              TreeId place) const {
  TreeDraft out{edge.test, {}, {}};
  const auto children = graph_.children(edge);
  const auto outcomes = graph_.outcomes(edge);
  Cost leaves = 0;  // of the children from k on
  bool leaves_so_far = useless(edge, leaves);
  for (std::size_t k = 0; k < children.size(); ++k) {
    const Leaf& leaf = graph_.nodes()[index(children[k])].leaf;
    out.outcomes.push_back(outcomes[k]);
    if (k + 1 == children.size()) {
      if (leaves_so_far && place.marks == Marks{} && place.cost == leaf.cost) place.number += 1;
      out.children.push_back(draft(children[k], place));
      break;
    }
    leaves -= leaf.cost;
    bool found = false;
    for (const Entry& own : histograms_[index(children[k])]) {
      for (const Entry& rest : suffix[k + 1]) {
        if (own.cost + rest.cost != place.cost || own.marks + rest.marks != place.marks) continue;
        // If this child is a leaf, one combination may have to be left out.
        const bool short_by_one = leaves_so_far && own.marks == Marks{} && own.cost == leaf.cost &&
                                  rest.marks == Marks{} && rest.cost == leaves;
        BigCount n = own.count * rest.count;
        if (short_by_one) n -= 1;
        if (!(place.number < n)) {
          place.number -= n;
          continue;
        }
        BigCount with_leaf = rest.count;
        if (short_by_one) with_leaf -= 1;
        BigCount which;
        if (place.number < with_leaf) {
          which = 0;
        } else {
          place.number -= with_leaf;
          const auto [quotient, remainder] = divide(place.number, rest.count);
          which = quotient;
          which += 1;
          place.number = remainder;
        }
        leaves_so_far =
            leaves_so_far && which.zero() && own.marks == Marks{} && own.cost == leaf.cost;
        out.children.push_back(draft(children[k], {own.cost, own.marks, which}));
        place.cost = rest.cost;
        place.marks = rest.marks;
        found = true;
        break;
      }
      if (found) break;
    }
    if (!found) throw std::logic_error("a combination that was counted is not there");
  }
  return out;
}

}  // namespace treeproof::near
