// What is known of sets of rows that were solved before: the same set is met again where its cuts
// are made in another order, and where a side is solved anew with a higher cut-off.
//
// Without a limit on the depth this is what keeps small tables from taking exponential time. A
// bound proved for trees of some depth holds for trees of less depth, so an entry says for which
// depth it was made. Sets are known by 128-bit keys (core/key.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "core/key.hpp"
#include "search/threshold/answer.hpp"

namespace treeproof::threshold {

template <class Value>
class KnownSets {
 public:
  struct Known {
    Value lower{};                    // no tree of the depth asked for costs less
    const SplitTree* tree = nullptr;  // one that costs `lower`; null: not known
  };

  // Deeper trees than an entry speaks of have more splits than that, each for `split_cost`.
  Known find(const Key& key, int depth, Value split_cost) const {
    constexpr int kDeep = 1 << 20;
    const auto found = entries_.find(key);
    if (found == entries_.end()) return {};
    const Entry& entry = found->second;
    Value lower = entry.lower;
    if (entry.depth < depth)
      lower = std::min(lower, static_cast<Value>(std::min(entry.depth, kDeep) + 1) * split_cost);
    const bool exact = entry.exact && !(lower < entry.lower) && entry.tree.depth() <= depth;
    return {lower, exact ? &entry.tree : nullptr};
  }

  // What a solve that was not stopped has answered.
  void keep(const Key& key, int depth, const Answer<Value>& answer) {
    constexpr std::size_t kMost = 1 << 16;
    if (entries_.size() >= kMost) entries_.clear();
    Entry& entry = entries_[key];
    if (entry.depth > depth) return;
    if (entry.depth == depth && (entry.exact || answer.lower < entry.lower)) return;
    const bool exact = answer.found && !(answer.lower < answer.upper);
    entry = {answer.lower, depth, exact, exact ? answer.tree : SplitTree{}};
  }

 private:
  struct Entry {
    Value lower{};  // no tree of at most `depth` levels costs less
    int depth = 0;
    bool exact = false;  // `tree` costs `lower`
    SplitTree tree;
  };
  std::unordered_map<Key, Entry, KeyHash> entries_;
};

}  // namespace treeproof::threshold
