// The exact search for trees over arbitrary rules.
//
// The rules are given as partitions of the points; where they come from (thresholds,
// hyperplanes, curved surfaces, a mixture) makes no difference here. One split is a scan of
// all rules, more splits are a branch and bound over the root (root_search.hpp) inside
// which the sides are subproblems of the same kind.
#pragma once

#include "core/events.hpp"
#include "core/limits.hpp"
#include "data/problem.hpp"
#include "search/rules/rule_store.hpp"
#include "search/rules/settings.hpp"

namespace treeproof::rules {

struct RulesResult {
  Answer answer;
  StopReason stop = StopReason::none;
  Statistics statistics;
};

// The first feature of `problem` numbers the points of `store`. `start` is a tree to begin
// with, or a leaf.
RulesResult solve(const RuleStore& store, const Problem& problem, const Settings& settings,
                  const Draft& start, Limits& limits, const Observer& observer);

}  // namespace treeproof::rules
