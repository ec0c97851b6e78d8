// Results for sets of rows that were solved before. The same set occurs again if its cuts are made
// in another order, or if a side is solved again with a higher cut-off.
//
// Without a maximum depth this is what keeps small tables from taking exponential time. A bound for
// trees of some depth holds for trees of smaller depth as well, so an entry stores the depth for
// which it was proved. Sets are identified by 128-bit keys (core/key.hpp).
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
    Value lower{};                    // a lower bound for the depth asked for
    const SplitTree* tree = nullptr;  // a tree that costs `lower`; null if none is known
  };

  // Trees deeper than an entry covers have more splits than its depth, each of which costs
  // `split_cost`.
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

  // Stores the answer of a solve that was not stopped.
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
    Value lower{};  // a lower bound for trees of depth at most `depth`
    int depth = 0;
    bool exact = false;  // whether `tree` costs `lower`
    SplitTree tree;
  };
  std::unordered_map<Key, Entry, KeyHash> entries_;
};

}  // namespace treeproof::threshold
