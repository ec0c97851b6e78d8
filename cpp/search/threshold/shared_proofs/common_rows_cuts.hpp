// The cuts of one subproblem of the search by common rows (common_rows_search.hpp), in the groups
// on which it works.
//
// Cuts with a leaf on one side: of two such cuts, the one with the larger leaf and no more errors
// in it is better, because fewer rows are left for the other side. Each feature, side and number of
// errors therefore leaves one cut, a *step*; the steps of a side form a staircase. Cuts with splits
// on both sides are stored as ranges of boundaries between values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"
#include "data/row_mask.hpp"
#include "loss/misclassification.hpp"
#include "search/threshold/answer.hpp"
#include "search/threshold/task.hpp"

namespace treeproof::threshold {

enum class CutKind { left_leaf, right_leaf, range, category };
enum class Part { left, right };

struct LeafStep {
  std::uint32_t position;
  Cost leaf;
};

// The bounds of one side of a cut.
struct KnownSide {
  std::uint32_t position;
  Part part;
  Cost lower;
  Cost upper;  // a tree for that side exists
  bool exact;  // the lower bound is the optimal cost
};

struct FeatureCuts {
  std::vector<std::uint32_t> boundaries;
  std::vector<Cost> left_cost, right_cost;      // of a leaf, at each boundary
  std::vector<LeafStep> left_leaf, right_leaf;  // in order of their errors
  std::vector<KnownSide> known;
  std::vector<Cost> left_priced, right_priced;  // at each position; empty without prices
  std::uint32_t version = 0;                    // counts changes of `known`

  const KnownSide* find(Part part, std::uint32_t position) const;
  // Returns the entry of a side to be changed; creates it if there is none.
  KnownSide& side(Part part, std::uint32_t position);
  // The best bound known for a side. The rows left of a cut include all rows left of earlier cuts,
  // and more rows cost no less; categories (`nested` false) are not nested.
  Cost lower(Part part, std::uint32_t position, bool nested) const;
};

// Cuts that are still open: steps or boundaries first .. last of a feature (positions first .. last
// - 1 of the list for a category), and the side whose bound must be raised to settle them.
struct CutGroup {
  CutKind kind;
  std::int32_t feature;
  std::uint32_t first;
  std::uint32_t last;

  bool asks = false;
  Part part = Part::left;
  std::uint32_t position = 0;
  Cost target = 0;
  bool exact = false;  // the optimum of the side is needed, not only a bound
  bool alone = false;  // a witness is cheap on the side, so only a solve of its own can help
  RowMask rows{};
  // What has been examined for this request.
  std::size_t seen_sets = 0;
  std::size_t seen_witnesses = 0;
  std::uint32_t version = 0;
  Cost upper = 0;

  // If threads share the subproblem: identifies a search; the pointer is never dereferenced.
  const void* seen_by = nullptr;   // the search that examined the group
  const void* taken_by = nullptr;  // the search that works on it
  bool settles = false;            // a single cut that only exact solves of its sides can close
};

class CutLister {
 public:
  explicit CutLister(const Context<Misclassification>& context) : context_(&context) {}

  // Adds the cuts of a feature and its groups, as far as trees cheaper than `best` may use them.
  // `seeds` are bounds for sides with at most one split.
  void list(const RowSubset& rows, std::int32_t f, Cost best,
            std::span<const CutBounds<Cost>> seeds, FeatureCuts& cuts,
            std::vector<CutGroup>& groups);

 private:
  Cost penalty() const { return context_->settings.split_cost; }
  bool worthwhile(const Misclassification::Tally& leaf);
  void list_boundaries(const RowSubset& rows, std::int32_t f, Cost budget, FeatureCuts& cuts);
  void group_steps(std::int32_t f, CutKind kind, Cost budget, const FeatureCuts& cuts,
                   std::vector<CutGroup>& groups) const;
  void group_ranges(std::int32_t f, Cost budget, const FeatureCuts& cuts,
                    std::vector<CutGroup>& groups) const;

  const Context<Misclassification>* context_;
};

}  // namespace treeproof::threshold
