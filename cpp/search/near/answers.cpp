#include "search/near/answers.hpp"

#include <algorithm>

#include "core/index.hpp"

namespace treeproof::near {

Answers::Answers(const Graph& graph, const Filter& filter)
    : graph_(graph), inside_(graph, filter, {}), n_classes_(index(graph.problem().n_classes)) {}

bool Answers::build(Limits& limits) {
  constexpr std::uint32_t kMicrosecondsForStumps = 50;
  if (!inside_.build(limits)) return false;
  outside_.assign(graph_.nodes().size(), {});
  least_.assign(index(graph_.problem().n_rows()) * n_classes_, kInfiniteCost);
  worst_.assign(n_classes_ * graph_.rows().n_words(), kInfiniteCost);
  for (const Point& p : inside_.front(0))
    if (p.marks.columns == inside_.filter().wanted()) outside_[0][{p.leaf, p.marks}] = 0;
  const std::vector<std::int32_t>& order = graph_.order();
  for (std::size_t k = order.size(); k-- > 0;) {
    if (outside_[index(order[k])].empty()) continue;
    if (limits.stop(graph_.is_last(graph_.nodes()[index(order[k])]) ? kMicrosecondsForStumps : 1))
      return false;
    note_leaves(order[k]);
    look_beside_children(order[k], limits);
  }
  return limits.reason() == StopReason::none;
}

void Answers::look_beside_children(std::int32_t number, Limits& limits) {
  const Node& node = graph_.nodes()[index(number)];
  for (const Edge& edge : graph_.edges(node)) {
    if (!inside_.filter().allowed(number, edge.test)) continue;
    const auto children = graph_.children(edge);
    const Cost most = node.budget - graph_.price(edge);
    std::vector<Front> after(children.size() + 1);
    after.back() = {{0, {}, {}, true}};
    for (std::size_t k = children.size(); k-- > 1;)
      after[k] = inside_.combine(inside_.front(children[k]), after[k + 1], most, limits);
    Front before{{0, {}, {}, true}};
    for (std::size_t k = 0; k < children.size(); ++k) {
      look_beside_child(edge, children[k], before, after[k + 1], outside_[index(number)]);
      if (k + 1 < children.size())
        before = inside_.combine(before, inside_.front(children[k]), most, limits);
    }
  }
}

// `before` and `after` are the combinations of trees on the siblings before and after the child.
void Answers::look_beside_child(const Edge& edge, std::int32_t child, const Front& before,
                                const Front& after, const Outside& parent) {
  const bool useless = inside_.alike(edge);
  const Cost price = graph_.price(edge);
  const Marks own = inside_.filter().marks(edge.test);
  for (const Point& p : inside_.front(child))
    for (const Point& x : before)
      for (const Point& y : after) {
        if (useless && p.leaf && x.leaf && y.leaf) continue;
        const auto above = parent.find({false, p.marks + x.marks + y.marks + own});
        if (above == parent.end()) continue;
        const Cost beside = above->second + price + x.cost + y.cost;
        if (beside + p.cost > graph_.nodes()[0].budget) continue;
        const auto [it, fresh] = outside_[index(child)].try_emplace({p.leaf, p.marks}, beside);
        if (!fresh) it->second = std::min(it->second, beside);
      }
}

void Answers::note_leaves(std::int32_t number) {
  const Node& node = graph_.nodes()[index(number)];
  const Outside& outside = outside_[index(number)];
  const Cost budget = graph_.nodes()[0].budget;
  if (const auto leaf = outside.find({true, Marks{}}); leaf != outside.end())
    note(graph_.bits(node), node.leaf.label, leaf->second + node.leaf.cost);
  if (!graph_.is_last(node)) return;
  Bits part;
  for (const Stump& stump : inside_.stumps(number)) {
    const auto beside = outside.find({false, inside_.filter().marks(stump.test)});
    if (beside == outside.end() || beside->second + stump.cost > budget) continue;
    for (const std::int32_t outcome : graph_.outcomes_on(node, stump.test)) {
      graph_.rows().part(graph_.bits(node), stump.test, outcome, part);
      note(part, graph_.leaves().leaf(part).label, beside->second + stump.cost);
    }
  }
}

void Answers::note(BitsView rows, std::int32_t label, Cost cost) {
  for (std::size_t w = 0; w < rows.size(); ++w) {
    Cost& worst = worst_[index(label) * rows.size() + w];
    if (rows[w] == 0 || worst <= cost) continue;
    for_each_row(rows.subspan(w, 1), [&](std::int32_t r) {
      Cost& own = least_[(64 * w + index(r)) * n_classes_ + index(label)];
      own = std::min(own, cost);
    });
    worst = 0;
    const std::size_t end = std::min(64 * (w + 1), index(graph_.problem().n_rows()));
    for (std::size_t r = 64 * w; r < end; ++r)
      worst = std::max(worst, least_[r * n_classes_ + index(label)]);
  }
}

}  // namespace treeproof::near
