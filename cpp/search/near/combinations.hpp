// Combinations of trees on the children of a split, made of lists of the trees on each child.
//
// Counts, fronts and frontiers have a list of entries for each set of rows, sorted by a cost. An
// entry stands for one or several trees. The list of a split is made of pairs of entries of its
// children, as far as they are within the budget; entries that need not be told apart are merged,
// and those that are not needed are removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "core/index.hpp"
#include "core/limits.hpp"

namespace treeproof::near {

// How often a list is tidied while it grows, and how much work its pairs are.
struct CombinePace {
  std::size_t many;  // a list that has doubled is tidied if it has this many further entries
  std::size_t pairs_per_microsecond;
  std::uint32_t microseconds_for_entry = 1;  // of the first list
};

struct AnyNumber {
  bool operator()(std::size_t) const { return true; }
};

// All pairs of an entry of `a` and an entry of `b` that cost at most `most` together. Both lists
// are sorted by the member `cost`. `join(x, y, out)` adds a pair to the list, or leaves it out;
// `tidy(out)` merges and removes entries, and is called from time to time to save memory, and at
// the end. `may_keep(n)` says whether there is memory for n entries. If a limit is reached, the
// list is incomplete and must not be used.
template <auto cost, class List, class Join, class Tidy, class MayKeep = AnyNumber>
List combine_pairs(const List& a, const List& b, Cost most, const CombinePace& pace, Limits& limits,
                   const Join& join, const Tidy& tidy, const MayKeep& may_keep = {}) {
  List out;
  std::size_t tidied = 0;
  for (const auto& x : a) {
    if (b.empty() || x.*cost + b.front().*cost > most) break;
    const std::size_t before = out.size();
    for (const auto& y : b) {
      if (x.*cost + y.*cost > most) break;
      join(x, y, out);
    }
    const std::size_t pairs = out.size() - before;
    const auto work = static_cast<std::uint32_t>(pairs / pace.pairs_per_microsecond);
    if (limits.stop(pace.microseconds_for_entry + work)) return out;
    if (out.size() < 2 * tidied + pace.many) continue;
    if (!may_keep(out.size())) return out;
    tidy(out);
    tidied = out.size();
  }
  tidy(out);
  return out;
}

// Combinations of trees on the children from the k-th on, for each k. `lists` has a list for each
// node.
template <class List, class Combine>
std::vector<List> combine_suffixes(std::span<const std::int32_t> children,
                                   const std::vector<List>& lists, const Combine& combine) {
  std::vector<List> out(children.size());
  out.back() = lists[index(children.back())];
  for (std::size_t k = children.size() - 1; k-- > 0;)
    out[k] = combine(lists[index(children[k])], out[k + 1]);
  return out;
}

}  // namespace treeproof::near
