// Upper bounds on the weight of the boxes that a fuzzy box stands for.
//
// Points have weights of either sign. The *outer* points of a fuzzy box are those in at least one
// of its boxes. The *zone* of a column holds the outer points that some of the column's choices
// keep and others do not; a point in no zone is in every box. There are two bounds:
//
// One column. The other columns may exclude any negative point of their zones at no loss, so
//   the bound is the maximum, over the choices of column c, of the weight of all positive outer
//   points that the choice keeps, plus the negative points that are in no zone, or in the zone of
//   c alone and kept.
//
// All columns. The claim G(c) of column c is the negative weight that only its zone holds. The
//   weight of a positive point is divided among the columns whose zones hold it, in proportion to
//   their claims, rounded up; a column that excludes the point loses its share. The shares sum to
//   at least the weight, so a point in the box counts at least fully, and one that any column
//   excludes counts at least zero. Negative points in several zones count zero, those in one zone
//   depend on that column alone, and what is left is a maximum for each column by itself.
//
// Both bounds also apply to the boxes with a given end or value, and a choice whose bound is not
// above the threshold is ruled out. Moreover, shrinking a box to the hull of its positive points
// only excludes negative ones. So ends of intervals may be assumed to lie on positive outer points,
// and a subset to keep only values of positive outer points.
//
// The computations work on a *view*: the outer points of one fuzzy box and its open columns, with
// values renumbered. Interval codes are doubled: positive points have even codes, and the negative
// points between the values of positive points have odd codes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bounds/prices/box.hpp"
#include "bounds/prices/fuzzy_box.hpp"
#include "bounds/prices/points.hpp"

namespace treeproof::prices {

// The choices of one open column in a view, with the values numbered as in the view.
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
  std::size_t column = 0;  // its number in the view
  std::int32_t at = 0;     // the last value of the lower part
};

class Relaxation {
 public:
  // `weights` has one weight per point; points of weight zero are ignored. The absolute values of
  // the weights sum to less than 2^28.
  Relaxation(const Points& points, std::span<const std::int32_t> weights, std::int32_t threshold);

  // Makes the view of a fuzzy box. False if none of its boxes weighs more than the threshold.
  bool look_at(std::span<const Word> box);
  const LocalBox& whole() const { return whole_; }
  Branch choose_branch();
  // Writes one of the two parts that the branch makes of `whole` to `box`.
  void take_part(const Branch& branch, int part, LocalBox& box) const;

  // Returns an upper bound on the weight of every box of `box`, and rules out choices on the way.
  std::int32_t tighten(LocalBox& box);

  // Writes the box, with values numbered as in the table, over a copy of the fuzzy box that was
  // looked at.
  void store(const LocalBox& box, std::span<Word> out) const;
  bool is_settled(const LocalBox& box) const;

  // Fills `box` with a promising box of `part`, which was tightened last without being ruled out:
  // every column gets the choice that is best by itself.
  void suggest(const LocalBox& part, const BoxShape& shape, Box& box) const;

  // The weight of all points of the view, which is that of the box if no column is open.
  std::int32_t outer_weight() const;
  std::int64_t take_work();

 private:
  struct OpenColumn {
    std::size_t column;  // its number in the table
    Choice choice;
    std::int32_t n;     // the number of values that positive points have
    std::size_t first;  // where its entries begin in histograms and `value_`
    std::size_t codes;  // where its entries begin in `codes_`
  };
  struct Best {
    std::int32_t one, all;  // the sums for the bounds "one column" and "all columns"
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
  template <class Visit>
  Best for_each_open_value(const OpenColumn& open, const std::uint8_t* values, Visit visit) const;
  Best best_choice(const OpenColumn& open, const LocalRange& range, const std::uint8_t* values);
  Best best_interval(const OpenColumn& open, const LocalRange& range);
  bool rule_out(const OpenColumn& open, LocalRange& range, std::uint8_t* values, Best best,
                std::int32_t one, std::int32_t all, bool& changed);
  bool rule_out_ends(const OpenColumn& open, LocalRange& range, std::int32_t one, std::int32_t all,
                     bool& changed);

  const Points& points_;
  FuzzyLayout layout_;
  const std::int32_t threshold_;
  std::size_t n_positive_ = 0;
  std::size_t n_ = 0;  // points whose weight is not zero, the positive ones first
  std::vector<std::int32_t> weight_;
  std::vector<std::vector<std::uint16_t>> code_;  // [column][point]

  // The view.
  std::vector<std::uint16_t> is_out_;
  std::vector<std::int32_t> outer_;  // its points, the positive ones first
  std::size_t n_outer_positive_ = 0;
  std::vector<std::int32_t> w_;  // their weights
  std::vector<OpenColumn> open_;
  std::vector<std::uint16_t> codes_;
  std::vector<Word> map_;             // for one column: from the table's values to the view's codes
  std::vector<std::uint16_t> value_;  // [first + view's value]: the table's value
  std::vector<Word> base_;            // the fuzzy box that was looked at
  mutable std::vector<Word> words_;
  LocalBox whole_;

  // Which points the columns of a part exclude or may exclude. For every point of the view: whether
  // it is excluded, in how many zones it is, and the sum of the numbers of these columns modulo
  // 2^16, which is the number of the column if there is only one.
  std::vector<std::uint16_t> outside_, zones_, zone_sum_;
  std::vector<std::uint16_t> whole_outside_, whole_zones_, whole_zone_sum_;
  std::vector<std::uint16_t> zone_;  // [column * size + point]: of the whole, then of a part
  std::vector<const std::uint16_t*> zone_of_;  // per column: where its zone begins in `zone_`
  std::vector<LocalRange> marked_;             // per column: the choices that the marks are for
  std::vector<std::uint16_t> before_;          // the zone of a column before a change

  // Temporary results of one round of tightening.
  std::vector<std::int32_t> kept_;    // positive points of the view that are still outer points
  std::vector<std::int32_t> claim_;   // per column: its claim G
  std::vector<std::int32_t> claims_;  // per positive point: the sum of the claims on it
  std::vector<float> rate_;           // per positive point: weight / claims
  std::vector<std::int32_t> positive_, shared_, negative_;  // histograms
  std::vector<std::int32_t> sum_one_, sum_all_, top_one_, top_all_;
  std::vector<std::uint16_t> flags_;
  std::vector<Best> best_;
  std::vector<std::int32_t> zone_positive_;  // per column
  std::int64_t work_ = 0;
};

}  // namespace treeproof::prices
