// The best pruning of a tree to at most a given number of splits. For each node a table holds the
// lowest cost for each number of splits, and how these are divided among the children.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/threshold/answer.hpp"
#include "search/threshold/depth_two/stump.hpp"
#include "search/threshold/first_tree/cut_by.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <Loss L>
class TreePruner {
 public:
  using Value = typename L::Value;

  TreePruner(const Context<L>& context, StumpSolver<L>& stumps)
      : context_(&context), stumps_(&stumps) {}

  Answer<Value> prune(const RowSubset& rows, SplitTree tree, int splits) {
    const Sized sized = measure(rows, tree, splits);
    Answer<Value> answer;
    answer.found = true;
    answer.upper = answer.lower = sized.cost.back();
    keep(tree, sized, sized.cost.size() - 1);
    answer.tree = std::move(tree);
    return answer;
  }

 private:
  struct Sized {
    std::vector<Value> cost;  // with at most 0, 1, ... splits
    std::vector<Sized> children;
    std::vector<std::vector<std::size_t>> shares;  // [child][splits of the children up to it]
  };

  Sized measure(const RowSubset& rows, const SplitTree& tree, int splits) {
    Sized sized;
    sized.cost.push_back(stumps_->leaf(rows));
    if (tree.leaf() || splits <= 0) return sized;
    std::vector<RowSubset> parts = cut_by(partitioner_, *context_->columns, rows, tree);
    std::vector<Value> sum{context_->settings.price()(static_cast<std::int64_t>(parts.size()))};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      sized.children.push_back(measure(parts[k], tree.children[k], splits - 1));
      parts[k] = RowSubset();
      sized.shares.push_back(add(sum, sized.children.back().cost, splits - 1));
    }
    for (const Value cost : sum) sized.cost.push_back(std::min(cost, sized.cost.back()));
    return sized;
  }

  // Sets sum[k] to the least of sum[k - s] + cost[s] over s, and returns the best s for each k.
  std::vector<std::size_t> add(std::vector<Value>& sum, const std::vector<Value>& cost,
                               int splits) const {
    const std::size_t width =
        std::min(sum.size() + cost.size() - 1, static_cast<std::size_t>(splits) + 1);
    std::vector<Value> next(width, context_->loss->infinite());
    std::vector<std::size_t> share(width, 0);
    for (std::size_t k = 0; k < width; ++k)
      for (std::size_t s = 0; s <= k && s < cost.size(); ++s)
        if (k - s < sum.size() && sum[k - s] + cost[s] < next[k]) {
          next[k] = sum[k - s] + cost[s];
          share[k] = s;
        }
    sum = std::move(next);
    return share;
  }

  void keep(SplitTree& tree, const Sized& sized, std::size_t splits) const {
    // If cost[k] == cost[k - 1], the last split gains nothing.
    while (splits > 0 && !(sized.cost[splits] < sized.cost[splits - 1])) --splits;
    if (splits == 0) {
      tree = {};
      return;
    }
    std::size_t left = splits - 1;
    for (std::size_t k = sized.children.size(); k-- > 0;) {
      const std::size_t share = sized.shares[k][std::min(left, sized.shares[k].size() - 1)];
      keep(tree.children[k], sized.children[k], share);
      left -= share;
    }
  }

  const Context<L>* context_;
  StumpSolver<L>* stumps_;
  Partitioner partitioner_;
};

}  // namespace treeproof::threshold
