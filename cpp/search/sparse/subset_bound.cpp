#include "search/sparse/subset_bound.hpp"

#include <algorithm>

#include "search/sparse/search.hpp"

namespace treeproof::sparse {

class SubsetBound::Any {
 public:
  virtual ~Any() = default;
  virtual Cost lower(const std::vector<std::int32_t>& rows, int depth_left, Cost budget) = 0;
  virtual int depth() const = 0;
};

template <class Word>
class SubsetBound::Of : public Any {
 public:
  Of(const Problem& problem, const Settings& settings, Limits& limits)
      : settings_(settings),
        layout_(make_layout(problem, settings.min_samples_leaf, limits.memory_allowance())),
        memo_(memo_bytes(limits), false), search_(layout_, settings_, limits, memo_) {}

  Cost lower(const std::vector<std::int32_t>& rows, int depth_left, Cost budget) override {
    Key key;
    for (const std::int32_t r : rows) key += layout_.row_key(r);
    const Bounds known = search_.known(key, depth_left);
    if (known.lower >= budget || known.solved()) return known.lower;
    return search_.resolve(rows, depth_left, budget).lower;
  }

  int depth() const override { return search_.depth_limit(); }

 private:
  const Settings settings_;
  const Layout layout_;
  Memo memo_;
  Search<Word> search_;
};

SubsetBound::SubsetBound(const Problem& problem, Cost split_cost, const TreeLimits& tree_limits,
                         Limits& limits) {
  Settings settings;
  settings.split_cost = split_cost;
  if (tree_limits.penalize == Penalize::leaves) settings.further_child = split_cost;
  settings.max_depth = tree_limits.max_depth;
  settings.min_samples_leaf = tree_limits.min_samples_leaf;
  if (fits_narrow(problem, tree_limits.min_samples_leaf))
    search_ = std::make_unique<Of<std::uint16_t>>(problem, settings, limits);
  else search_ = std::make_unique<Of<std::uint32_t>>(problem, settings, limits);
}

SubsetBound::~SubsetBound() = default;

Cost SubsetBound::lower(const std::vector<std::int32_t>& rows, int depth_left, Cost enough) {
  return search_->lower(rows, depth_left, enough + 1);
}

int SubsetBound::depth() const { return search_->depth(); }

int SubsetBound::unlimited() { return kUnlimited; }

}  // namespace treeproof::sparse
