// Improves a tree by choosing one of its rules again while the others stay fixed.
//
// With its subtrees fixed, a node only decides which rows go where. A row that one subtree predicts
// correctly and the other does not has a preference; the others have none. The rule that violates
// the preferences of the least weight is found by one scan. This is the alternating optimisation of
// Carreira-Perpinan and Tavallali (2018), with an exact step instead of a surrogate. It finds a
// good tree early; proofs do not depend on it.
#pragma once

#include "search/rules/rule_table.hpp"
#include "search/rules/settings.hpp"

namespace treeproof::rules {

// The cost of a tree whose rules are numbered as in the table.
Cost cost_of_draft(const RuleTable& table, const Draft& draft, Cost split_cost);

// Improves `answer.draft` and `answer.upper` until no single choice does.
void improve(const RuleTable& table, const Settings& settings, Answer& answer, Worker& worker);

// Adds the best single split to one leaf of the tree, if that lowers the cost.
void split_one_leaf(const RuleTable& table, const Settings& settings, int depth, Answer& answer,
                    Worker& worker);

}  // namespace treeproof::rules
