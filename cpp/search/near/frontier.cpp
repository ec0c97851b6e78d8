#include "search/near/frontier.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/index.hpp"
#include "search/near/combinations.hpp"

namespace treeproof::near {
namespace {

template <std::size_t M>
struct FrontierPoint {
  Cost priced = 0;
  std::int64_t cost = 0;
  std::array<std::int64_t, M> sums{};

  friend bool operator==(const FrontierPoint&, const FrontierPoint&) = default;
  FrontierPoint& operator+=(const FrontierPoint& other) {
    priced += other.priced;
    cost += other.cost;
    for (std::size_t j = 0; j < M; ++j) sums[j] += other.sums[j];
    return *this;
  }
};

// Sorted by priced cost; no two points have the same sums.
template <std::size_t M>
using Front = std::vector<FrontierPoint<M>>;

template <std::size_t M>
class FrontierOf final : public Frontier {
 public:
  FrontierOf(const Graph& graph, RowSums sums) : graph_(graph), sums_(std::move(sums)) {}

  bool build(Limits& limits) override {
    fronts_.assign(graph_.nodes().size(), {});
    for (const std::int32_t number : graph_.order()) {
      if (limits.stop(1)) return false;
      Front<M>& front = fronts_[index(number)];
      front = of_node(graph_.nodes()[index(number)], limits);
      if (limits.reason() != StopReason::none) return false;
      front.shrink_to_fit();
      n_points_ += front.size();
      const std::uint64_t bytes = n_points_ * sizeof(FrontierPoint<M>);
      if (graph_.max_bytes() > 0 && bytes + graph_.bytes() > graph_.max_bytes()) {
        limits.memory_exhausted();
        return false;
      }
    }
    return true;
  }

  std::size_t size() const override { return fronts_[0].size(); }
  std::uint64_t n_points() const override { return n_points_; }

  std::vector<std::int64_t> point(std::size_t i) const override {
    const FrontierPoint<M>& p = fronts_[0].at(i);
    std::vector<std::int64_t> out{p.cost};
    out.insert(out.end(), p.sums.begin(), p.sums.end());
    return out;
  }

  TreeDraft tree(std::size_t i, std::vector<std::int32_t>& actions) const override {
    actions.assign(index(graph_.problem().n_rows()), 0);
    return draft(0, fronts_[0].at(i), actions);
  }

 private:
  // One point for each action of a leaf.
  std::vector<FrontierPoint<M>> leaves(const Node& node) const {
    const Problem& problem = graph_.problem();
    const std::size_t n_actions = index(problem.n_classes);
    std::vector<FrontierPoint<M>> out(n_actions);
    std::vector<std::int64_t> weight(n_actions, 0);
    std::int64_t total = 0;
    for_each_row(graph_.bits(node), [&](std::int32_t number) {
      const std::size_t row = index(number);
      const std::int64_t* value = sums_.values.data() + row * n_actions * (1 + M);
      weight[index(problem.label[row])] += problem.weight[row];
      total += problem.weight[row];
      for (FrontierPoint<M>& p : out) {
        p.cost += *value++;
        for (std::int64_t& sum : p.sums) sum += *value++;
      }
    });
    for (std::size_t a = 0; a < n_actions; ++a) out[a].priced = cost_of(total - weight[a]);
    return out;
  }

  Front<M> of_node(const Node& node, Limits& limits) const {
    Front<M> out;
    for (const FrontierPoint<M>& leaf : leaves(node))
      if (leaf.priced <= node.budget) out.push_back(leaf);
    for (const Edge& edge : graph_.edges(node)) {
      const FrontierPoint<M> price = price_of(edge);
      Front<M> all = std::move(suffixes(edge, node.budget - price.priced, limits)[0]);
      if (limits.reason() != StopReason::none) return out;
      for (FrontierPoint<M>& p : all) out.push_back(p += price);
    }
    tidy(out);
    return out;
  }

  FrontierPoint<M> price_of(const Edge& edge) const {
    return {graph_.price(edge), sums_.price(edge.n_children), {}};
  }

  std::vector<Front<M>> suffixes(const Edge& edge, Cost most, Limits& limits) const {
    constexpr CombinePace kPace{1 << 16, 16};
    const auto join = [](const FrontierPoint<M>& x, const FrontierPoint<M>& y, Front<M>& out) {
      out.push_back(x);
      out.back() += y;
    };
    const auto remove_dominated = [&](Front<M>& front) { tidy(front); };
    return combine_suffixes(graph_.children(edge), fronts_,
                            [&](const Front<M>& a, const Front<M>& b) {
                              return combine_pairs<&FrontierPoint<M>::priced>(
                                  a, b, most, kPace, limits, join, remove_dominated);
                            });
  }

  // Of points with the same sums, keeps only the cheapest.
  void tidy(Front<M>& front) const {
    if (front.size() > 1) {
      std::ranges::sort(front, [](const FrontierPoint<M>& a, const FrontierPoint<M>& b) {
        return a.sums != b.sums ? a.sums < b.sums : a.cost < b.cost;
      });
      const bool dominated_by_less = sums_.less_is_better && M == 1;
      std::size_t n = 1;
      for (std::size_t k = 1; k < front.size(); ++k) {
        const FrontierPoint<M>& last = front[n - 1];
        if (front[k].sums == last.sums) continue;
        if (dominated_by_less && front[k].cost >= last.cost) continue;
        front[n++] = front[k];
      }
      front.resize(n);
    }
    std::ranges::sort(front, {}, &FrontierPoint<M>::priced);
  }

  TreeDraft draft(std::int32_t number, const FrontierPoint<M>& wanted,
                  std::vector<std::int32_t>& actions) const {
    const Node& node = graph_.nodes()[index(number)];
    const std::vector<FrontierPoint<M>> own = leaves(node);
    for (std::size_t a = 0; a < own.size(); ++a) {
      if (own[a] != wanted) continue;
      for_each_row(graph_.bits(node),
                   [&](std::int32_t row) { actions[index(row)] = static_cast<std::int32_t>(a); });
      return {};
    }
    for (const Edge& edge : graph_.edges(node)) {
      const FrontierPoint<M> price = price_of(edge);
      Limits no_limits;
      const std::vector<Front<M>> suffix = suffixes(edge, node.budget - price.priced, no_limits);
      for (FrontierPoint<M> split : suffix[0]) {
        const FrontierPoint<M> below = split;
        if ((split += price) == wanted) return draft_split(edge, suffix, below, actions);
      }
    }
    throw std::logic_error("a tree that was listed is not there");
  }

  TreeDraft draft_split(const Edge& edge, const std::vector<Front<M>>& suffix,
                        FrontierPoint<M> wanted, std::vector<std::int32_t>& actions) const {
    const auto children = graph_.children(edge);
    const auto outcomes = graph_.outcomes(edge);
    TreeDraft out{edge.test, {outcomes.begin(), outcomes.end()}, {}};
    for (std::size_t k = 0; k + 1 < children.size(); ++k) {
      const auto [own, rest] = parted(fronts_[index(children[k])], suffix[k + 1], wanted);
      out.children.push_back(draft(children[k], own, actions));
      wanted = rest;
    }
    out.children.push_back(draft(children.back(), wanted, actions));
    return out;
  }

  static std::pair<FrontierPoint<M>, FrontierPoint<M>> parted(const Front<M>& a, const Front<M>& b,
                                                              const FrontierPoint<M>& wanted) {
    for (const FrontierPoint<M>& x : a) {
      for (const FrontierPoint<M>& y : b) {
        FrontierPoint<M> both = x;
        if ((both += y) == wanted) return {x, y};
      }
    }
    throw std::logic_error("a combination that was listed is not there");
  }

  const Graph& graph_;
  RowSums sums_;
  std::vector<Front<M>> fronts_;  // per node
  std::uint64_t n_points_ = 0;
};

template <std::size_t M>
std::unique_ptr<Frontier> make_of_width(const Graph& graph, RowSums sums) {
  if constexpr (M > kMostSums) {
    throw std::invalid_argument("too many sums");
  } else {
    if (sums.n_sums != M) return make_of_width<M + 1>(graph, std::move(sums));
    return std::make_unique<FrontierOf<M>>(graph, std::move(sums));
  }
}

// For each row of a table the first row of the problem that has its codes.
std::vector<std::size_t> first_rows(const Problem& problem, std::span<const std::int32_t> codes) {
  const std::size_t n_columns = problem.features.size(), n = codes.size() / n_columns;
  std::map<std::vector<std::int32_t>, std::size_t> place;
  std::vector<std::int32_t> key(n_columns);
  for (std::int32_t r = problem.n_rows(); r-- > 0;) {
    for (std::size_t f = 0; f < n_columns; ++f)
      key[f] = problem.code(static_cast<std::int32_t>(f), r);
    place[key] = index(r);
  }
  std::vector<std::size_t> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < n_columns; ++f) key[f] = codes[f * n + i];
    out[i] = place.at(key);
  }
  return out;
}

}  // namespace

std::vector<std::int64_t> on_merged_rows(const Problem& problem,
                                         std::span<const std::int32_t> codes,
                                         std::span<const std::int64_t> values,
                                         std::size_t per_row) {
  std::vector<std::int64_t> out(index(problem.n_rows()) * per_row, 0);
  const std::vector<std::size_t> place = first_rows(problem, codes);
  for (std::size_t i = 0; i < place.size(); ++i)
    for (std::size_t v = 0; v < per_row; ++v)
      out[place[i] * per_row + v] += values[i * per_row + v];
  return out;
}

std::vector<std::int32_t> of_table_rows(const Problem& problem, std::span<const std::int32_t> codes,
                                        std::span<const std::int32_t> of_merged_rows) {
  std::vector<std::int32_t> out;
  for (const std::size_t row : first_rows(problem, codes)) out.push_back(of_merged_rows[row]);
  return out;
}

std::unique_ptr<Frontier> make_frontier(const Graph& graph, RowSums sums) {
  return make_of_width<1>(graph, std::move(sums));
}

}  // namespace treeproof::near
