// The rules of a subproblem as bit sets over its rows, and the scan for the best split.
//
// A subproblem is a set of rows. Restricted to fewer rows, many rules become the same
// partition, and only one of them is kept: n rows in r dimensions have about n^r / r!
// partitions, so a subproblem with half the rows has 2^r times fewer rules.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/rules/bit_moves.hpp"
#include "search/rules/row_layout.hpp"
#include "search/rules/rule_store.hpp"

namespace treeproof::rules {

// The best of the rules looked at; `rule` is -1 if none was allowed.
struct BestSplit {
  std::int64_t loss = 0;
  std::int32_t rule = -1;

  bool found() const { return rule >= 0; }
};

// Called with the microseconds of work done; returns true if it is time to stop.
using Stop = std::function<bool(std::uint32_t)>;

// If `stop` returns true while a table is constructed, the table is incomplete and must not be
// used.
class RuleTable {
 public:
  RuleTable(const RuleStore& store, const Problem& problem, const Stop& stop);
  // The rows in `mask` alone. Without `distinct`, all rules that still split them.
  RuleTable(const RuleTable& parent, const Word* mask, bool distinct, const Stop& stop);

  const RowLayout& rows() const { return rows_; }
  std::size_t n_rules() const { return origin_.size(); }
  std::size_t n_words() const { return rows_.n_words(); }
  const Word* positive(std::size_t rule) const { return &words_[rule * rows_.n_words()]; }
  std::int32_t origin(std::size_t rule) const { return origin_[rule]; }  // in the store

  // The loss of every rule as a single split of the rows in `mask`.
  void losses(const Word* mask, std::span<std::int64_t> out) const;

  // The best split of the rows in `mask` into two leaves of at least the given size.
  BestSplit best_split(const Word* mask, const LeafSize& least) const;

  // The same among some rules; those whose loss is less than `below` are put in
  // `survivors`. Ignores the size of leaves.
  BestSplit best_split_among(const Word* mask, std::span<const std::int32_t> rules,
                             std::int64_t below, std::vector<std::int32_t>& survivors) const;
  BestSplit best_split_below(const Word* mask, std::int64_t below,
                             std::vector<std::int32_t>& survivors) const;

 private:
  static std::vector<std::size_t> splitting_rules(const RuleTable& parent, const Word* mask,
                                                  bool distinct, const Stop& stop);
  template <class SideOf, class OriginOf>
  void fill(BitMoves moves, std::size_t n_rules, const Stop& stop, const SideOf& side_of,
            const OriginOf& origin_of);

  RowLayout rows_;
  std::vector<Word> words_;
  std::vector<std::int32_t> origin_;
};

}  // namespace treeproof::rules
