// What earlier subproblems say about a set of rows: costly sets give lower bounds of its cost, and
// witnesses upper bounds.
//
// A *costly set* is a set of rows with a proved bound on the cost of its trees. Any set that
// contains it costs at least as much (a tree for more rows can be used for fewer at no higher
// cost), and a set that lacks some of its rows costs at least that much minus their weight (take a
// tree for the fewer rows and count the others as errors). A bound for trees of some depth also
// holds for shallower trees.
//
// A *witness* is a tree with fixed labels, represented by the rows that it misclassifies. Its cost
// on any set of rows takes one pass over two bit masks. A set on which a witness is cheap cannot be
// proved expensive, so no proof is tried.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/cost.hpp"
#include "data/row_mask.hpp"

namespace treeproof::threshold {

// The newest entries of a list, numbered from the first one ever.
template <class Entry>
class Newest {
 public:
  explicit Newest(std::size_t most) : most_(most) {}

  std::size_t end() const { return end_; }
  std::size_t begin() const { return end_ - entries_.size(); }
  const Entry& operator[](std::size_t k) const { return entries_[k % most_]; }
  void add(Entry entry) {
    if (entries_.size() < most_) entries_.push_back(std::move(entry));
    else entries_[end_ % most_] = std::move(entry);
    ++end_;
  }

 private:
  std::size_t most_;
  std::size_t end_ = 0;
  std::vector<Entry> entries_;
};

// Sets of rows with proved bounds.
class CostlySets {
 public:
  // `similar`: whether costly sets of which some rows are missing may be used.
  CostlySets(const RowWeights& weights, std::size_t most, bool similar)
      : weights_(weights), similar_(similar), sets_(most) {}

  void add(RowMask rows, Cost lower, int depth) { sets_.add({std::move(rows), lower, depth}); }
  std::size_t end() const { return sets_.end(); }
  std::size_t size() const { return sets_.end() - sets_.begin(); }

  // True if costly sets from number `since` on prove that trees of `depth` cost at least `target`
  // on `rows`.
  bool prove(const RowMask& rows, Cost target, int depth, std::size_t since = 0) const {
    for (std::size_t k = sets_.end(); k > std::max(since, sets_.begin()); --k) {
      const CostlySet& set = sets_[k - 1];
      if (set.lower < target || set.depth < depth) continue;
      const std::int64_t slack = similar_ ? (set.lower - target) >> kCostBits : 0;
      if (weights_.missing(set.rows, rows, slack) <= slack) return true;
    }
    return false;
  }

 private:
  struct CostlySet {
    RowMask rows;
    Cost lower;
    int depth;
  };
  RowWeights weights_;
  bool similar_;
  Newest<CostlySet> sets_;
};

// Trees by the rows they get wrong.
class Witnesses {
 public:
  Witnesses(const RowWeights& weights, std::size_t most) : weights_(weights), witnesses_(most) {}

  void add(RowMask errors, Cost splits, int depth) {
    witnesses_.add({std::move(errors), splits, depth});
  }
  std::size_t end() const { return witnesses_.end(); }
  std::size_t size() const { return witnesses_.end() - witnesses_.begin(); }

  // True if a witness from number `since` on has at most `depth` levels and costs less than
  // `target` on `rows`.
  bool refute(const RowMask& rows, Cost target, int depth, std::size_t since = 0) const {
    for (std::size_t k = witnesses_.end(); k > std::max(since, witnesses_.begin()); --k) {
      const Witness& w = witnesses_[k - 1];
      if (w.depth > depth || w.splits >= target) continue;
      const std::int64_t most = (target - w.splits - 1) >> kCostBits;
      if (weights_.common(w.errors, rows, most) <= most) return true;
    }
    return false;
  }

 private:
  struct Witness {
    RowMask errors;
    Cost splits;
    int depth;
  };
  RowWeights weights_;
  Newest<Witness> witnesses_;
};

}  // namespace treeproof::threshold
