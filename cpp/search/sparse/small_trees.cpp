#include "search/sparse/small_trees.hpp"

#include <algorithm>
#include <numeric>

#include "core/index.hpp"

namespace treeproof::sparse {

SmallTrees::Best SmallTrees::best(const Rows& rows) {
  Best found{leaf_cost(problem_, rows), -1};
  if (found.cost <= price_.two_way) return found;
  total_ = Tally(index(problem_.n_classes));
  for (const std::int32_t r : rows) add_row(total_, r);
  std::int32_t counted = -1;
  for (std::size_t t = 0; t < problem_.tests.size(); ++t) {
    const Test& test = problem_.tests[t];
    if (test.feature != counted) count(rows, test.feature);
    counted = test.feature;
    const Cost cost = test.kind == TestKind::multiway ? split_multiway() : split_in_two(test);
    if (cost < found.cost) found = {cost, static_cast<std::int32_t>(t)};
  }
  return found;
}

void SmallTrees::count(const Rows& rows, std::int32_t feature) {
  const auto n_classes = index(problem_.n_classes);
  by_code_.resize(index(problem_.features[index(feature)].n_values));
  for (Tally& tally : by_code_) tally.clear(n_classes);
  for (const std::int32_t r : rows) add_row(by_code_[index(problem_.code(feature, r))], r);
  below_.clear(n_classes);
  n_below_ = 0;
}

Cost SmallTrees::split_in_two(const Test& test) {
  const std::size_t code = index(test.code);
  if (test.kind == TestKind::equals) return in_two(by_code_[code]);
  if (code < n_below_) {  // thresholds that do not ascend
    below_.clear(below_.weight.size());
    n_below_ = 0;
  }
  for (; n_below_ <= code; ++n_below_) {
    below_.samples += by_code_[n_below_].samples;
    for (std::size_t c = 0; c < below_.weight.size(); ++c)
      below_.weight[c] += by_code_[n_below_].weight[c];
  }
  return in_two(below_);
}

// Cost of separating these rows from all others.
Cost SmallTrees::in_two(const Tally& yes) const {
  const std::int64_t others = total_.samples - yes.samples;
  const std::int64_t fewest = std::max<std::int64_t>(1, min_samples_leaf_);
  if (yes.samples < fewest || others < fewest) return kInfiniteCost;
  Weight all = 0, most_yes = 0, most_no = 0;
  for (std::size_t c = 0; c < yes.weight.size(); ++c) {
    all += total_.weight[c];
    most_yes = std::max(most_yes, yes.weight[c]);
    most_no = std::max(most_no, total_.weight[c] - yes.weight[c]);
  }
  return price_(2) + cost_of(all - most_yes - most_no);
}

Cost SmallTrees::split_multiway() const {
  Cost cost = 0;
  std::int32_t occupied = 0;
  for (const Tally& tally : by_code_) {
    if (tally.samples == 0) continue;
    ++occupied;
    if (tally.samples < min_samples_leaf_) return kInfiniteCost;
    const Weight all = std::accumulate(tally.weight.begin(), tally.weight.end(), Weight{0});
    cost += cost_of(all - std::ranges::max(tally.weight));
  }
  return occupied < 2 ? kInfiniteCost : cost + price_(occupied);
}

void SmallTrees::add_row(Tally& tally, std::int32_t row) const {
  tally.weight[index(problem_.label[index(row)])] += problem_.weight[index(row)];
  tally.samples += problem_.samples[index(row)];
}

}  // namespace treeproof::sparse
