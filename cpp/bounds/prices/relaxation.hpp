// How much a box among many can weigh at most.
//
// Points have weights of either sign; a fuzzy box stands for many boxes. Its *outer* points are
// those in at least one of them. A column's *zone* holds the outer points that some of the
// column's choices keep and some do not; a point in no zone is in every box. Two bounds:
//
// One column. Other columns may drop any negative point of their zones at no loss, so
//   max over the choices of column c of: all positive outer points that it keeps, and the
//   negative ones that are in no zone, or in c's alone and kept.
//
// All columns. Column c's claim G(c) is the negative weight that only its zone holds. A positive
//   point's weight is shared out to the columns whose zones hold it, in proportion to their
//   claims, rounded up; a column that drops the point loses its share. The shares sum to at
//   least the weight, so a point in the box counts at least fully, and one that any column drops
//   at least zero. Negative points in several zones count zero, those in one zone
//   depend on that column alone, and what is left is a maximum for each column by itself.
//
// Both also bound the boxes with a given end or value, and a choice whose bound is not above the
// threshold is struck off. And the hull: shrinking a box to the hull of its positive points only
// drops negative ones, so ends of intervals lie on positive outer points, and a subset keeps only
// values of positive outer points.
//
// Works on a *view*: the outer points of one fuzzy box with its open columns, values renumbered.
// Interval codes are doubled: positive points lie on even codes, negative ones between the values
// of positive points on odd codes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bounds/prices/box.hpp"
#include "bounds/prices/fuzzy_box.hpp"
#include "bounds/prices/points.hpp"

namespace treeproof::prices {

// The choices of one open column in a view, in the view's numbers.
struct LocalRange {
  std::int32_t low_first, low_last, high_first, high_last;  // interval
  bool all;                                                 // one_or_all: is keeping all a choice?
  std::int32_t n_options;  // one_or_all: choices left; subset: open values left

  friend bool operator==(const LocalRange&, const LocalRange&) = default;
  bool is_settled(Choice choice) const {
    switch (choice) {
      case Choice::interval: return low_first == low_last && high_first == high_last;
      case Choice::subset: return n_options == 0;
      case Choice::one_or_all: return n_options == 1;
    }
    return true;
  }
};

struct LocalBox {
  std::vector<LocalRange> ranges;    // per open column of the view
  std::vector<std::uint8_t> values;  // [column.first + value]: ValueState of categories
};

// Where to cut a fuzzy box in two.
struct Branch {
  enum class Kind { none, low_end, high_end, value, all, values } kind = Kind::none;
  std::size_t column = 0;  // of the view
  std::int32_t at = 0;     // the last value of the lower part
};

class Relaxation {
 public:
  // `weights` per point; those of weight zero play no part.
  // The absolute weights sum to less than 2^28.
  Relaxation(const Points& points, std::span<const std::int32_t> weights, std::int32_t threshold);

  // Makes the view of a fuzzy box. False if none of its boxes weighs more than the threshold.
  bool look_at(std::span<const Word> box);
  const LocalBox& whole() const { return whole_; }
  Branch choose_branch();
  // The two parts, as changes of a copy of `whole`.
  void take_part(const Branch& branch, int part, LocalBox& box) const;

  // No box of `box` weighs more than the result; strikes off choices on the way.
  std::int32_t tighten(LocalBox& box);

  // Writes the box in the table's numbers over a copy of the one that was looked at.
  void store(const LocalBox& box, std::span<Word> out) const;
  bool is_settled(const LocalBox& box) const;

  // Fills `box` with what `part`, tightened last and not closed, looks heaviest with: each
  // column's best choice by itself.
  void suggest(const LocalBox& part, const BoxShape& shape, Box& box) const;

  // Of all points of the view: the weight of the box where nothing is open.
  std::int32_t outer_weight() const;
  std::int64_t take_work();

 private:
  struct OpenColumn {
    std::size_t column;  // of the points
    Choice choice;
    std::int32_t n;     // values of positive points
    std::size_t first;  // into histograms and values
    std::size_t codes;  // into codes_
  };
  struct Best {
    std::int32_t one, all;  // by the first and the second bound
  };

  void list_outer(std::span<const Word> box);
  bool shrink_to_hull(std::span<const Word> box);
  bool drop_values(const PointColumn& column, const std::uint16_t* code, Word* at);
  void renumber(std::size_t c, const Word* range, OpenColumn& open);
  void mark(std::size_t j, const LocalRange& range, const std::uint8_t* values,
            const std::uint16_t* before, std::uint16_t* zone);
  void mark_whole();
  void start_marks();
  void update_marks(const LocalBox& box);
  std::int32_t histogram(const OpenColumn& open, std::size_t j);
  Best best_choice(const OpenColumn& open, const LocalRange& range, const std::uint8_t* values);
  Best best_interval(const OpenColumn& open, const LocalRange& range);
  bool strike(const OpenColumn& open, LocalRange& range, std::uint8_t* values, Best best,
              std::int32_t one, std::int32_t all, bool& changed);
  bool strike_ends(const OpenColumn& open, LocalRange& range, std::int32_t one, std::int32_t all,
                   bool& changed);

  const Points& points_;
  FuzzyLayout layout_;
  const std::int32_t threshold_;
  std::size_t n_positive_ = 0;
  std::size_t n_ = 0;  // points of weight not zero, positive first
  std::vector<std::int32_t> weight_;
  std::vector<std::vector<std::uint16_t>> code_;  // [column][point]

  // The view.
  std::vector<std::uint16_t> is_out_;
  std::vector<std::int32_t> outer_;  // its points, positive ones first
  std::size_t n_outer_positive_ = 0;
  std::vector<std::int32_t> w_;  // their weights
  std::vector<OpenColumn> open_;
  std::vector<std::uint16_t> codes_;
  std::vector<Word> map_;             // table's value to view's code, one column
  std::vector<std::uint16_t> value_;  // [first + view's value]: the table's value
  std::vector<Word> base_;            // the box looked at
  mutable std::vector<Word> words_;
  LocalBox whole_;

  // Which points the columns of a part exclude or may exclude. Per point of the view: excluded?
  // In how many zones? The sum of the numbers of these columns, modulo 2^16: the column itself
  // where there is one.
  std::vector<std::uint16_t> outside_, zones_, zone_sum_;
  std::vector<std::uint16_t> whole_outside_, whole_zones_, whole_zone_sum_;
  std::vector<std::uint16_t> zone_;            // [column * size + point]: the whole's, a part's
  std::vector<const std::uint16_t*> zone_of_;  // per column: where in `zone_`
  std::vector<LocalRange> marked_;             // per column: the choices that are marked
  std::vector<std::uint16_t> before_;          // a zone before a change

  // Of one round of tightening.
  std::vector<std::int32_t> kept_;    // positive points of the view still outer
  std::vector<std::int32_t> claim_;   // per column: G
  std::vector<std::int32_t> claims_;  // per positive point: sum of G over its zones
  std::vector<float> rate_;           // per positive point: weight / claims
  std::vector<std::int32_t> positive_, shared_, negative_;  // histograms
  std::vector<std::int32_t> sum_one_, sum_all_, top_one_, top_all_;
  std::vector<std::uint16_t> flags_;
  std::vector<Best> best_;
  std::vector<std::int32_t> zone_positive_;  // per column
  std::int64_t work_ = 0;
};

}  // namespace treeproof::prices
