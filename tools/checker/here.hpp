// The rows of a step and the tests that split them.
//
// In each view, the codes that occur among these rows get consecutive numbers, their *places*. A
// view in which only one code occurs cannot divide the rows and is left out. The cost of checking a
// step therefore depends on its rows only, not on the whole table, and thresholds that divide its
// rows in the same way are one test. Children are numbered by places, too: child p is the yes side
// of the test at place p (code <= c, or code == c), and child p + n_places() is its no side. The
// test of a multiway view is at its first place, and its children are the yes sides of all its
// places.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "problem.hpp"

namespace checker {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class Here {
 public:
  struct View {
    const Column* column;
    std::size_t number;      // the number of the column
    std::size_t begin, end;  // its places
    std::size_t last_test;   // its tests are at the places begin .. last_test
    std::size_t stride, n_children;
    std::size_t slot;  // its position among the short or the long views
    bool ordered;      // whether it is split by thresholds

    bool multiway() const { return stride == 1; }
    bool is_short() const { return end - begin == 2; }
  };

  explicit Here(const Problem& problem) : problem_(problem), start_{0} {
    const std::size_t n_columns = problem.columns.size();
    for (const Column& column : problem.columns) {
      start_.push_back(start_.back() + column.n_values);
    }
    const std::size_t n_rows = n_columns == 0 ? 0 : problem.columns[0].codes.size();
    for (std::size_t row = 0; row < n_rows; ++row) {
      for (std::size_t f = 0; f < n_columns; ++f) {
        const auto code = static_cast<std::size_t>(problem.columns[f].codes[row]);
        axis_.push_back(static_cast<std::uint32_t>(start_[f] + code));
      }
    }
  }

  void focus(const Rows& rows) {
    rows_ = rows;
    views_.clear();
    code_at_.clear();
    n_short_ = n_long_ = 0;
    const std::size_t n_columns = problem_.columns.size();
    seen_.assign(start_.back(), 0);
    rank_.resize(start_.back());
    for (const std::uint32_t row : rows_) {
      const std::uint32_t* value = axis_.data() + row * n_columns;
      for (std::size_t f = 0; f < n_columns; ++f) seen_[value[f]] = 1;
    }
    for (std::size_t f = 0; f < n_columns; ++f) add_view(f);
    for (View& view : views_) {
      if (!view.multiway()) view.stride = n_places();
    }
    first_.resize(rows_.size() * n_short_);
    place_.resize(rows_.size() * n_long_);
    std::uint8_t* first = first_.data();
    std::uint32_t* place = place_.data();
    for (const std::uint32_t row : rows_) {
      const std::uint32_t* value = axis_.data() + row * n_columns;
      for (const View& view : views_) {
        const std::uint32_t at = rank_[value[view.number]];
        if (view.is_short()) *first++ = at == view.begin;
        else *place++ = at;
      }
    }
    everyone_.resize(rows_.size());
    std::iota(everyone_.begin(), everyone_.end(), std::uint32_t{0});
  }

  const Rows& rows() const { return rows_; }
  // Sets of these rows are given by positions in `rows`.
  const Rows& everyone() const { return everyone_; }
  const std::vector<View>& views() const { return views_; }
  std::size_t n_places() const { return code_at_.size(); }
  std::size_t n_children() const { return 2 * n_places(); }

  // The place of each row in each view. Short views have two places, so it is stored whether the
  // row is in the first one; for long views the place is stored.
  std::size_t n_short() const { return n_short_; }
  std::size_t n_long() const { return n_long_; }
  const std::uint8_t* in_first(std::size_t i) const { return first_.data() + i * n_short_; }
  const std::uint32_t* places(std::size_t i) const { return place_.data() + i * n_long_; }
  std::size_t place(const View& view, std::size_t i) const {
    if (view.is_short()) return view.begin + 1 - in_first(i)[view.slot];
    return places(i)[view.slot];
  }

  const View& view_of(std::size_t test) const {
    return *std::upper_bound(views_.begin(), views_.end(), test,
                             [](std::size_t t, const View& v) { return t < v.end; });
  }
  // Finds the rows of a child.
  void members(const View& view, std::size_t child, Rows& out) const {
    const bool no = child >= n_places();
    const std::size_t at = no ? child - n_places() : child;
    out.resize(rows_.size());
    std::size_t size = 0;
    for (const std::uint32_t i : everyone_) {
      const std::size_t own = place(view, i);
      out[size] = i;
      size += (view.ordered ? own <= at : own == at) != no ? 1 : 0;
    }
    out.resize(size);
  }

  // The place of a test of the proof; kNone if the test does not divide these rows.
  std::size_t find(std::size_t number) const {
    const Test& test = problem_.tests[number];
    const auto view = std::find_if(views_.begin(), views_.end(),
                                   [&](const View& v) { return v.number == test.column; });
    if (view == views_.end()) return kNone;
    if (view->multiway()) return view->begin;
    const std::size_t place = last_at_most(*view, test.code);
    const bool exact = place != kNone && code_at_[place] == test.code;
    const bool tested = place != kNone && place <= view->last_test;
    return tested && (view->ordered || exact) ? place : kNone;
  }
  // The child of a test for an outcome; kNone if this child has no rows.
  std::size_t child(std::size_t test, std::size_t outcome) const {
    const View& view = view_of(test);
    if (!view.multiway()) return test + outcome * view.stride;
    const auto code = static_cast<std::int32_t>(outcome);
    const std::size_t place = last_at_most(view, code);
    return place != kNone && code_at_[place] == code ? place : kNone;
  }
  // The number in the proof of the test at a place.
  std::size_t number(std::size_t test) const {
    const View& view = view_of(test);
    if (view.multiway()) return view.column->first_test;
    return view.column->first_test + static_cast<std::size_t>(code_at_[test]);
  }

 private:
  void add_view(std::size_t f) {
    const Column& column = problem_.columns[f];
    const std::size_t begin = n_places();
    for (std::size_t c = 0; c < column.n_values; ++c) {
      if (!seen_[start_[f] + c]) continue;
      rank_[start_[f] + c] = static_cast<std::uint32_t>(n_places());
      code_at_.push_back(static_cast<std::int32_t>(c));
    }
    const std::size_t end = n_places();
    if (end - begin < 2) return code_at_.resize(begin);
    const bool each = column.split == Split::kMultiway;
    const bool ordered = column.split == Split::kThreshold;
    const bool one = each || (!ordered && column.n_values == 2);
    const std::size_t last_test = one ? begin : ordered ? end - 2 : end - 1;
    const std::size_t slot = end - begin == 2 ? n_short_++ : n_long_++;
    views_.push_back({&column, f, begin, end, last_test, each ? std::size_t{1} : 0,
                      each ? end - begin : 2, slot, ordered});
  }

  // The place of the largest code that occurs and is at most the given one.
  std::size_t last_at_most(const View& view, std::int32_t code) const {
    const auto begin = code_at_.begin() + static_cast<std::ptrdiff_t>(view.begin);
    const auto end = code_at_.begin() + static_cast<std::ptrdiff_t>(view.end);
    const auto beyond = std::upper_bound(begin, end, code);
    return beyond == begin ? kNone : static_cast<std::size_t>(beyond - code_at_.begin()) - 1;
  }

  const Problem& problem_;
  // The codes of all columns are numbered consecutively, those of a column from its entry of
  // `start_` on.
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> axis_;  // the number of the code of every row and column

  Rows rows_, everyone_;
  std::vector<View> views_;
  std::vector<std::int32_t> code_at_;  // the code at each place
  std::size_t n_short_ = 0, n_long_ = 0;
  std::vector<std::uint8_t> first_;   // for every row and short view
  std::vector<std::uint32_t> place_;  // for every row and long view
  std::vector<std::uint32_t> rank_;   // the place of each numbered code
  std::vector<char> seen_;
};

}  // namespace checker
