#include "search/sparse/path.hpp"

#include <algorithm>
#include <utility>

#include "search/sparse/solve.hpp"

namespace treeproof::sparse {
namespace {

__extension__ using Wide = __int128;

// The line through (0, 0) and (x1, y1) at x, rounded up because costs are integers.
Cost proportion(Cost y1, Cost x, Cost x1) {
  const Wide product = static_cast<Wide>(y1) * x;
  return static_cast<Cost>((product + x1 - 1) / x1);
}

// A lower bound at x, from lower bounds at x0 < x < x1 on a concave and nondecreasing function.
Cost between(Cost y0, Cost y1, Cost x0, Cost x, Cost x1) {
  const Cost left = std::max(y0, x0 > 0 ? proportion(y1, x0, x1) : Cost{0});
  return left + proportion(std::max<Cost>(0, y1 - left), x - x0, x1 - x0);
}

}  // namespace

PathSearch::PathSearch(Problem problem, const TreeLimits& limits, Reuse reuse)
    : problem_(std::move(problem)), tree_limits_(limits), reuse_(reuse) {
  tree_limits_.max_splits = -1;
}

std::vector<Fact> PathSearch::known_at(Cost split_cost) const {
  const auto above = solved_.upper_bound(split_cost);
  const std::vector<Fact> none;
  const bool has_below = above != solved_.begin();
  const auto below = has_below ? std::prev(above) : above;
  const std::vector<Fact>& low = has_below ? below->second.facts : none;
  const std::vector<Fact>& high = above != solved_.end() ? above->second.facts : none;
  const Cost x0 = has_below ? below->first : 0;
  const Cost x1 = above != solved_.end() ? above->first : 0;

  std::vector<Fact> out;
  out.reserve(std::max(low.size(), high.size()));
  std::size_t i = 0, j = 0;
  while (i < low.size() || j < high.size()) {
    if (j == high.size() || (i < low.size() && low[i].key < high[j].key)) {
      out.push_back(low[i++]);
    } else if (i == low.size() || high[j].key < low[i].key) {
      out.push_back(high[j]);
      out.back().lower = proportion(high[j++].lower, split_cost, x1);
    } else {
      out.push_back(low[i]);
      out.back().lower = between(low[i++].lower, high[j++].lower, x0, split_cost, x1);
    }
  }
  return out;
}

SearchResult PathSearch::solve(Cost split_cost, Cost root_lower, Limits& limits,
                               const Observer& observer) {
  WarmStart warm;
  warm.root_lower = root_lower;
  if (reuse_.trees) {
    const auto above = solved_.upper_bound(split_cost);
    if (above != solved_.end()) warm.trees.push_back(above->second.tree);
    if (above != solved_.begin()) warm.trees.push_back(std::prev(above)->second.tree);
  }
  if (reuse_.facts) warm.facts = known_at(split_cost);
  // The search rounds the penalty to a split cost. This penalty is rounded to exactly `split_cost`,
  // because a double has more digits than the largest cost.
  TreeLimits tree_limits = tree_limits_;
  tree_limits.split_penalty =
      static_cast<double>(split_cost) / static_cast<double>(cost_of(problem_.total_weight));
  SearchResult result =
      sparse::solve(problem_, tree_limits, Options{}, limits, observer, nullptr, &warm);
  keep(split_cost, result.tree, std::move(warm.learned), limits.memory_allowance());
  return result;
}

// A quarter of the memory allowance is for bounds at other split costs; if they do not fit, those
// of the smallest split costs are dropped first.
void PathSearch::keep(Cost split_cost, Tree tree, std::vector<Fact> facts,
                      std::uint64_t allowance) {
  std::ranges::sort(facts, {}, &Fact::key);
  std::uint64_t bytes = facts.size() * sizeof(Fact);
  for (auto it = solved_.rbegin(); it != solved_.rend(); ++it) {
    bytes += it->second.facts.size() * sizeof(Fact);
    if (allowance > 0 && bytes > allowance / 4) std::vector<Fact>().swap(it->second.facts);
  }
  if (allowance > 0 && facts.size() * sizeof(Fact) > allowance / 4) facts.clear();
  if (!reuse_.facts) facts.clear();
  solved_[split_cost] = {std::move(tree), std::move(facts)};
}

}  // namespace treeproof::sparse
