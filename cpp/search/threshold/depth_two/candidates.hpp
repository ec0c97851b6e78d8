// The roots that a solve of depth two considers: every feature, and how its children may be split.
#pragma once

#include <cstdint>
#include <vector>

#include "loss/loss.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

template <class Value>
struct RootCandidate {
  std::int32_t feature;
  std::int32_t left_says, right_says;  // the class that a leaf must predict; -1: any
  bool left_splits;                    // whether the left (right) child may be split again
  bool right_splits;
  Value lower;   // bound on any tree with this root, for these rows and for supersets of them
  Value own;     // the same for these rows alone, and at least `lower`
  bool refined;  // whether its intervals were bisected
  bool doubled;  // not searched, since another feature has the same split
  std::vector<CutBounds<Value>> points;
};

// Lists the roots of a task, reusing the memory of an earlier list.
template <Loss L>
void list_candidates(const Context<L>& context, const Task<typename L::Value>& task,
                     std::vector<RootCandidate<typename L::Value>>& candidates) {
  using Value = typename L::Value;
  std::size_t used = 0;
  const auto add = [&](std::int32_t f, const SplitWay& way, bool left, bool right, Value lower) {
    if (used == candidates.size()) candidates.emplace_back();
    RootCandidate<Value>& c = candidates[used++];
    c.feature = f;
    c.left_says = way.left_leaf ? way.says : -1;
    c.right_says = way.right_leaf ? way.says : -1;
    c.left_splits = left;
    c.right_splits = right;
    c.lower = c.own = lower;
    c.refined = c.doubled = false;
    c.points.clear();
  };
  const bool deeper = task.depth > 1 && task.splits >= 2;
  for (std::int32_t f = 0; f < context.columns->n_features(); ++f) {
    const Value lower =
        task.lower_in.empty() ? Value{} : task.lower_in[static_cast<std::size_t>(f)];
    const bool both = task.splits >= 3 || context.columns->kind(f) == FeatureKind::multiway;
    for (const SplitWay& way : context.ways(f)) {
      const bool left = deeper && !way.left_leaf, right = deeper && !way.right_leaf;
      if (both || !left || !right) {
        add(f, way, left, right, lower);
      } else {  // two splits in all: one of the children may be split
        add(f, way, true, false, lower);
        add(f, way, false, true, lower);
      }
    }
  }
  candidates.resize(used);
}

}  // namespace treeproof::threshold
