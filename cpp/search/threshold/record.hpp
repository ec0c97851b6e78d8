// Records what a search has settled about trees of depth two, so that the prover need not solve it
// again.
//
// The solver of depth two (depth_two.hpp) counts some tests of the rows and infers the bounds of
// the others from them. The tests from which all others follow prove its result. A record stores
// these tests, by codes, with the bound: for the whole table, or for the sides of the cuts that a
// search of depth three has opened.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "data/row_subset.hpp"
#include "loss/loss.hpp"
#include "search/threshold/best_first/axis.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

// A test that was counted. All thresholds from `low` to `high` divide its rows in the same way; a
// category has one code.
struct CountedTest {
  std::int32_t feature;
  std::int32_t low;
  std::int32_t high;
};

// A set of rows of the table: positions first .. last - 1 of a feature's list, or all others.
struct CutSide {
  std::int32_t feature = -1;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool inside = true;
};

template <class Value>
struct Settled {
  CutSide side;
  int splits;   // maximum number of splits of the trees; -1 for any
  Value bound;  // a lower bound on the cost of these trees
  bool exact;   // true if one of these trees has this cost
  std::vector<CountedTest> tests;
};

// Threads that fill the same record lock it.
template <class Value>
class Record {
 public:
  void add_side(Settled<Value> settled) {
    bytes_ += sizeof(settled) + settled.tests.size() * sizeof(CountedTest);
    if (bytes_ < kMostBytes) sides_.push_back(std::move(settled));
  }
  void set_whole(Settled<Value> settled) { whole_ = std::move(settled); }

  const std::vector<Settled<Value>>& sides() const { return sides_; }
  const std::optional<Settled<Value>>& whole() const { return whole_; }
  std::size_t bytes() const { return std::min(bytes_, kMostBytes); }

 private:
  // Beyond this size nothing is recorded, and the prover solves the rest again.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;

  std::size_t bytes_ = 0;
  std::vector<Settled<Value>> sides_;
  std::optional<Settled<Value>> whole_;
};

// Chooses tests that prove a bound among those that the solver of depth two has counted.
template <Loss L>
class TestChooser {
 public:
  using Value = typename L::Value;

  explicit TestChooser(const Context<L>& context)
      : columns_(context.columns), context_(&context), split_cost_(context.settings.split_cost) {}

  // Returns the tests in the order of features and codes. Sorts its input.
  std::vector<CountedTest> choose(const RowSubset& rows, int splits, Value bound,
                                  std::vector<CountedCut<Value>>& counted_cuts) {
    merge(counted_cuts);
    std::vector<CountedTest> tests;
    for (std::size_t begin = 0, end = 0; begin < counted_cuts.size(); begin = end) {
      const std::int32_t f = counted_cuts[begin].feature;
      while (end < counted_cuts.size() && counted_cuts[end].feature == f) ++end;
      const std::span<const CountedCut<Value>> own(counted_cuts.data() + begin, end - begin);
      const FeatureView view(*columns_, rows, f);
      if (splits >= 0 || columns_->kind(f) != FeatureKind::ordered) {
        for (const CountedCut<Value>& look : own) tests.push_back(by_codes(view, look));
        continue;
      }
      needed_.clear();
      Axis<L>(*context_, rows, f).thin(own, bound - split_cost_, needed_);
      for (const CountedCut<Value>& look : needed_) tests.push_back(by_codes(view, look));
    }
    return tests;
  }

 private:
  // Merges the entries of each cut into one with the best bounds.
  static void merge(std::vector<CountedCut<Value>>& counted_cuts) {
    const auto place = [](const CountedCut<Value>& x) {
      return std::tie(x.feature, x.first, x.last);
    };
    std::ranges::sort(counted_cuts, {}, place);
    std::size_t kept = 0;
    for (const CountedCut<Value>& look : counted_cuts) {
      if (kept == 0 || place(counted_cuts[kept - 1]) != place(look)) counted_cuts[kept++] = look;
      CountedCut<Value>& last = counted_cuts[kept - 1];
      last.left = std::max(last.left, look.left);
      last.right = std::max(last.right, look.right);
    }
    counted_cuts.resize(kept);
  }

  CountedTest by_codes(const FeatureView& view, const CountedCut<Value>& look) const {
    const auto code = [&](std::uint32_t position) {
      return static_cast<std::int32_t>(view.rank_at(position));
    };
    if (columns_->kind(look.feature) == FeatureKind::ordered)
      return {look.feature, code(look.last - 1), code(look.last) - 1};
    return {look.feature, code(look.first), code(look.first)};
  }

  const Columns* columns_;
  const Context<L>* context_;
  Value split_cost_;
  std::vector<CountedCut<Value>> needed_;
};

}  // namespace treeproof::threshold
