#include "search/sparse/extract.hpp"

#include <algorithm>
#include <numeric>

namespace treeproof::sparse {
namespace {

using Rows = std::vector<std::int32_t>;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

class Extractor {
 public:
  Extractor(const Layout& layout, const Settings& settings, const Known& known)
      : problem_(*layout.problem), layout_(layout), settings_(settings), known_(known) {}

  // The memo names the split of the best tree known. Rows it does not name got their upper
  // bound from pair counts at their parent: a leaf, or the best single split.
  TreeDraft build(const Rows& rows, int depth_left) {
    const Cost leaf = leaf_cost(rows);
    if (leaf == 0 || depth_left == 0) return {};
    Key key;
    for (const std::int32_t r : rows) key += layout_.row_key[index(r)];
    const Bounds b = known_(rows, key, depth_left);
    if (b.upper >= leaf || b.test < 0) return one_split(rows, leaf);
    return split(rows, b.test, depth_left);
  }

 private:
  Cost leaf_cost(const Rows& rows) const {
    std::vector<std::int64_t> counts(index(problem_.n_classes));
    std::int64_t total = 0;
    for (const std::int32_t r : rows) {
      counts[index(problem_.label[index(r)])] += problem_.weight[index(r)];
      total += problem_.weight[index(r)];
    }
    return cost_of(total - *std::ranges::max_element(counts));
  }

  std::vector<Rows> parts(const Rows& rows, std::int32_t test) const {
    const Test& t = problem_.tests[index(test)];
    std::vector<Rows> out(index(t.n_outcomes));
    for (const std::int32_t r : rows) out[index(problem_.outcome(t, r))].push_back(r);
    return out;
  }

  // Cost of splitting the rows on a test into leaves; infinite if that is not allowed.
  Cost stump_cost(const Rows& rows, const Test& test) {
    const auto n_outcomes = index(test.n_outcomes);
    const auto n_classes = index(problem_.n_classes);
    weight_.assign(n_outcomes * n_classes, 0);
    samples_.assign(n_outcomes, 0);
    for (const std::int32_t r : rows) {
      const std::size_t v = index(problem_.outcome(test, r));
      weight_[v * n_classes + index(problem_.label[index(r)])] += problem_.weight[index(r)];
      samples_[v] += problem_.samples[index(r)];
    }
    Cost cost = settings_.split_cost;
    std::int32_t occupied = 0;
    for (std::size_t v = 0; v < n_outcomes; ++v) {
      if (samples_[v] == 0) continue;
      ++occupied;
      if (samples_[v] < settings_.min_samples_leaf) return kInfiniteCost;
      const auto first = weight_.begin() + static_cast<std::ptrdiff_t>(v * n_classes);
      const auto last = first + static_cast<std::ptrdiff_t>(n_classes);
      cost += cost_of(std::accumulate(first, last, std::int64_t{0}) -
                      *std::max_element(first, last));
    }
    return occupied < 2 ? kInfiniteCost : cost;
  }

  TreeDraft one_split(const Rows& rows, Cost leaf) {
    if (leaf <= settings_.split_cost) return {};
    Cost best = leaf;
    std::int32_t best_test = -1;
    for (std::size_t t = 0; t < problem_.tests.size(); ++t) {
      const Cost cost = stump_cost(rows, problem_.tests[t]);
      if (cost >= best) continue;
      best = cost;
      best_test = static_cast<std::int32_t>(t);
    }
    return best_test < 0 ? TreeDraft{} : split(rows, best_test, 1);
  }

  TreeDraft split(const Rows& rows, std::int32_t test, int depth_left) {
    TreeDraft draft{test, {}, {}};
    const auto children = parts(rows, test);
    for (std::size_t v = 0; v < children.size(); ++v) {
      if (children[v].empty()) continue;
      draft.outcomes.push_back(static_cast<std::int32_t>(v));
      draft.children.push_back(
          build(children[v], depth_left >= kUnlimited ? kUnlimited : depth_left - 1));
    }
    return draft;
  }

  const Problem& problem_;
  const Layout& layout_;
  const Settings& settings_;
  const Known& known_;
  std::vector<std::int64_t> weight_, samples_;  // of one test, by outcome (and class)
};

}  // namespace

Tree extract(const Layout& layout, const Settings& settings, const Known& known) {
  Rows rows(index(layout.problem->n_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  const int depth = settings.max_depth < 0 ? kUnlimited : settings.max_depth;
  return flatten(Extractor(layout, settings, known).build(rows, depth));
}

}  // namespace treeproof::sparse
