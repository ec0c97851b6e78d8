#include "search/near/extremes.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/index.hpp"

namespace treeproof::near {
namespace {

constexpr std::uint32_t kMicrosecondsForStumps = 20;

// Keeps the points that no other point of the same marks and kind beats.
template <class Front>
void tidy(Front& front) {
  std::ranges::sort(front, [](const auto& a, const auto& b) {
    return std::tuple(!a.leaf, a.marks, a.cost, a.sum) <
           std::tuple(!b.leaf, b.marks, b.cost, b.sum);
  });
  std::size_t n = 0;
  for (std::size_t k = 0; k < front.size(); ++k) {
    const bool beaten = n > 0 && front[n - 1].leaf == front[k].leaf &&
                        front[n - 1].marks == front[k].marks && front[n - 1].sum <= front[k].sum;
    if (!beaten) front[n++] = front[k];
  }
  front.resize(n);
}

}  // namespace

Extremes::Extremes(const Graph& graph, const Filter& filter, Sums sums)
    : graph_(graph), sums_(std::move(sums)), filter_(graph, filter) {}

std::int64_t Extremes::sum_of(BitsView set, std::int32_t label) const {
  if (sums_.of_rows.empty()) return 0;
  const std::size_t n_classes = index(graph_.problem().n_classes);
  std::int64_t sum = 0;
  for_each_row(
      set, [&](std::int32_t row) { sum += sums_.of_rows[index(row) * n_classes + index(label)]; });
  return sum;
}

bool Extremes::build(Limits& limits) {
  fronts_.assign(graph_.nodes().size(), {});
  std::uint64_t n_points = 0;
  for (const std::int32_t number : graph_.order()) {
    if (limits.stop(1)) return false;
    Front& front = fronts_[index(number)];
    front = of_node(number, limits);
    if (limits.reason() != StopReason::none) return false;
    front.shrink_to_fit();
    n_points += front.size();
    if (graph_.max_bytes() > 0 && n_points * sizeof(Point) + graph_.bytes() > graph_.max_bytes()) {
      limits.memory_exhausted();
      return false;
    }
  }
  return true;
}

const Extremes::Point* Extremes::best() const {
  const Point* out = nullptr;
  for (const Point& p : fronts_[0])
    if (p.marks.columns == filter_.wanted() &&
        (out == nullptr || std::tuple(p.sum, p.cost) < std::tuple(out->sum, out->cost)))
      out = &p;
  return out;
}

std::optional<std::int64_t> Extremes::least() const {
  const Point* point = best();
  if (point == nullptr) return std::nullopt;
  return point->sum;
}

TreeDraft Extremes::tree(Cost& cost) const {
  const Point* point = best();
  if (point == nullptr) throw std::out_of_range("there is no such tree");
  cost = point->cost;
  return draft(0, *point);
}

bool Extremes::alike(const Edge& edge) const {
  const auto children = graph_.children(edge);
  const std::int32_t label = graph_.nodes()[index(children[0])].leaf.label;
  return std::ranges::all_of(children, [&](std::int32_t child) {
    return graph_.nodes()[index(child)].leaf.label == label;
  });
}

Extremes::Point Extremes::stump_point(const Node& node, const Stump& stump) const {
  Point point{stump.cost, filter_.marks(stump.test), sums_.of_split, false};
  if (sums_.of_rows.empty()) return point;
  Bits part;
  for (const std::int32_t outcome : graph_.outcomes_on(node, stump.test)) {
    graph_.rows().part(graph_.bits(node), stump.test, outcome, part);
    point.sum += sum_of(part, graph_.leaves().leaf(part).label);
  }
  return point;
}

void Extremes::add_stumps(std::int32_t number, Front& out) const {
  const Node& node = graph_.nodes()[index(number)];
  // The list is read before leaves are looked at, which use the same memory.
  std::vector<Stump> stumps;
  graph_.for_each_stump(node, [&](const Stump& stump) {
    if (!stump.alike && stump.cost <= node.budget && filter_.allowed(number, stump.test))
      stumps.push_back(stump);
  });
  for (const Stump& stump : stumps) {
    const Point point = stump_point(node, stump);
    if (filter_.fits(point.marks)) out.push_back(point);
  }
}

Extremes::Front Extremes::of_node(std::int32_t number, Limits& limits) const {
  const Node& node = graph_.nodes()[index(number)];
  Front out;
  if (graph_.may_end(number) && node.leaf.cost <= node.budget)
    out.push_back({node.leaf.cost, {}, sum_of(graph_.bits(node), node.leaf.label), true});
  if (graph_.is_last(node)) {
    add_stumps(number, out);
    limits.stop(kMicrosecondsForStumps);
  }
  for (const Edge& edge : graph_.edges(node)) {
    if (!filter_.allowed(number, edge.test)) continue;
    const Cost price = graph_.price(edge);
    const Front all = std::move(prefixes(edge, node.budget - price, limits).back());
    if (limits.reason() != StopReason::none) return out;
    const bool useless = alike(edge);
    for (const Point& p : all) {
      if (useless && p.leaf) continue;
      const Point split{p.cost + price, p.marks + filter_.marks(edge.test), p.sum + sums_.of_split,
                        false};
      if (filter_.fits(split.marks)) out.push_back(split);
    }
  }
  tidy(out);
  return out;
}

std::vector<Extremes::Front> Extremes::prefixes(const Edge& edge, Cost most, Limits& limits) const {
  const auto children = graph_.children(edge);
  std::vector<Front> out{fronts_[index(children[0])]};
  for (std::size_t k = 1; k < children.size(); ++k)
    out.push_back(combine(out.back(), fronts_[index(children[k])], most, limits));
  return out;
}

Extremes::Front Extremes::combine(const Front& a, const Front& b, Cost most, Limits& limits) const {
  constexpr std::size_t kPairsPerMicrosecond = 50;
  Front out;
  for (const Point& x : a)
    for (const Point& y : b) {
      const Point both{x.cost + y.cost, x.marks + y.marks, x.sum + y.sum, x.leaf && y.leaf};
      if (both.cost <= most && filter_.fits(both.marks)) out.push_back(both);
    }
  limits.stop(static_cast<std::uint32_t>(1 + a.size() * b.size() / kPairsPerMicrosecond));
  tidy(out);
  return out;
}

TreeDraft Extremes::draft(std::int32_t number, const Point& wanted) const {
  const Node& node = graph_.nodes()[index(number)];
  if (wanted.leaf) return {};
  if (graph_.is_last(node)) {
    std::vector<Stump> stumps;
    graph_.for_each_stump(node, [&](const Stump& stump) {
      if (!stump.alike && stump.cost == wanted.cost && filter_.allowed(number, stump.test))
        stumps.push_back(stump);
    });
    for (const Stump& stump : stumps) {
      if (stump_point(node, stump) != wanted) continue;
      TreeDraft out{stump.test, graph_.outcomes_on(node, stump.test), {}};
      out.children.resize(out.outcomes.size());
      return out;
    }
  }
  for (const Edge& edge : graph_.edges(node)) {
    if (!filter_.allowed(number, edge.test)) continue;
    const Cost price = graph_.price(edge);
    Limits no_limits;
    const std::vector<Front> prefix = prefixes(edge, node.budget - price, no_limits);
    const bool useless = alike(edge);
    for (const Point& p : prefix.back()) {
      if (useless && p.leaf) continue;
      const Point split{p.cost + price, p.marks + filter_.marks(edge.test), p.sum + sums_.of_split,
                        false};
      if (split == wanted) return draft_split(edge, prefix, p);
    }
  }
  throw std::logic_error("a tree that was found is not there");
}

TreeDraft Extremes::draft_split(const Edge& edge, const std::vector<Front>& prefix,
                                Point wanted) const {
  const auto children = graph_.children(edge);
  const auto outcomes = graph_.outcomes(edge);
  TreeDraft out{edge.test, {outcomes.begin(), outcomes.end()}, {}};
  out.children.resize(children.size());
  const auto parted = [&](std::size_t k) -> std::pair<Point, Point> {
    for (const Point& x : prefix[k - 1])
      for (const Point& y : fronts_[index(children[k])])
        if (Point{x.cost + y.cost, x.marks + y.marks, x.sum + y.sum, x.leaf && y.leaf} == wanted)
          return {x, y};
    throw std::logic_error("a combination that was found is not there");
  };
  for (std::size_t k = children.size() - 1; k > 0; --k) {
    const auto [before, own] = parted(k);
    out.children[k] = draft(children[k], own);
    wanted = before;
  }
  out.children[0] = draft(children[0], wanted);
  return out;
}

}  // namespace treeproof::near
