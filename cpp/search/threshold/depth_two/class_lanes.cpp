#include "search/threshold/depth_two/class_lanes.hpp"

#include "search/threshold/depth_two/slide_window.hpp"
#include "search/threshold/depth_two/unrolled.hpp"

namespace treeproof::threshold {

template <class T>
bool ClassLanes<T>::load(const RowSubset& rows, const KeyedRows* around) {
  rows_ = &rows;
  const std::uint32_t m = rows.size();
  const std::size_t channels = n_channels();
  const bool taken_over = bins_->cut(rows, around);
  memory_.shape(codes_->features.size(), static_cast<std::size_t>(bins_->n_bins()), channels,
                pairs_ > 0 ? classes_ : 0);
  memory_.mark_several(*bins_);
  for (std::size_t l = 0; l < memory_.lanes; ++l)
    memory_.direct(l, loss_->direction(codes_->features[l]));
  lane_base_.resize(memory_.lanes);
  for (std::size_t l = 0; l < memory_.lanes; ++l) lane_base_[l] = memory_.base(l);

  label_.resize(m);
  weight_.resize(m);
  swing_.resize(m);
  all_.assign(classes_, 0);
  all_weight_ = all_swing_ = 0;
  unit_ = true;
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t row = rows.row(r);
    label_[r] = loss_->label(row);
    const Weight w = loss_->row_weight(row);
    const Weight swing = loss_->swing(row);
    weight_[r] = static_cast<T>(w);
    swing_[r] = static_cast<T>(swing);
    unit_ = unit_ && w == 1 && swing == 1;
    T& sum = all_[static_cast<std::size_t>(label_[r])];
    sum = static_cast<T>(sum + static_cast<T>(w));
    all_weight_ += w;
    all_swing_ += swing;
  }

  categories_.load(rows);
  fine_.clear();
  visited_ = 0;

  total_known_ = false;
  begin(0);
  window(0, m);
  total_known_ = true;
  categories_.keep_totals();
  memory_.keep_totals();
  return taken_over;
}

template <class T>
void ClassLanes<T>::begin(std::int32_t f) {
  const std::uint32_t m = rows_->size();
  list_ = rows_->list(f);
  reset(false);
  placed_ = false;
  if (!unit_) {
    cumulative_.resize(m + 1);
    cumulative_[0] = 0;
    for (std::uint32_t k = 0; k < m; ++k)
      cumulative_[k + 1] = cumulative_[k] + cost_of(swing_[list_[k]]);
  }
}

template <class T>
void ClassLanes<T>::place() {
  const std::uint32_t m = rows_->size();
  position_.resize(m);
  for (std::uint32_t k = 0; k < m; ++k) position_[list_[k]] = k;
  placed_ = true;
}

template <class T>
template <int kSign>
void ClassLanes<T>::move(std::uint32_t from, std::uint32_t to) {
  if (fine_.ready()) move_parts(from, to, kSign);
  if (count_rows_ || pairs_ > 0) return move_channels<kSign, 0>(from, to);
  if (classes_ == 2) return move_channels<kSign, 2>(from, to);
  if (classes_ == 3) return move_channels<kSign, 3>(from, to);
  return move_channels<kSign, 0>(from, to);
}

// `kClasses`: the number of classes whose weights are the channels, or 0 for any channels. Nearly
// all of the time of a solve is spent here, so the common cases are compiled with a constant
// stride.
template <class T>
template <int kSign, int kClasses>
void ClassLanes<T>::move_channels(std::uint32_t from, std::uint32_t to) {
  constexpr std::size_t kWidth = LaneMemory<T>::kWidth;
  const std::size_t lanes = memory_.lanes;
  const std::size_t stride = kClasses > 0 ? kClasses * kWidth : memory_.bin_stride();
  const bool unit = unit_;
  T* const left = memory_.left.data();
  const std::size_t block_stride = memory_.block_stride();
  const std::uint32_t ask_until = prefetch_until(rows_->size());
  for (std::uint32_t k = from; k < to; ++k) {
    if (k < ask_until) {
      prefetch(bins_->row_bins(list_[k + kRowsAhead]));
      prefetch(&label_[list_[k + kRowsAhead]]);
    }
    const std::uint32_t r = list_[k];
    const auto label = static_cast<std::size_t>(label_[r]);
    const T w = static_cast<T>(unit ? kSign : kSign * weight_[r]);
    const std::uint8_t* bin = bins_->row_bins(r);
    T* row = left + label * kWidth;
    const auto add = [&row, &bin, stride, w](std::size_t at) {
      T& cell = row[at + bin[at] * stride];
      cell = static_cast<T>(cell + w);
    };
    for (std::size_t l = kWidth; l <= lanes; l += kWidth, row += block_stride, bin += kWidth)
      for_each_unrolled(kWidth, add);
    for_each_unrolled(lanes % kWidth, add);
    T& sum = left_sums_[label];
    sum = static_cast<T>(sum + w);
    left_weight_ += w;
    left_swing_ += unit ? kSign : kSign * swing_[r];
    if constexpr (kClasses == 0) move_further<kSign>(r);
    categories_.add_weight(r, label, w);
  }
}

// Adds the channels of a row beyond the weights of the classes.
template <class T>
template <int kSign>
void ClassLanes<T>::move_further(std::uint32_t r) {
  constexpr std::size_t kWidth = LaneMemory<T>::kWidth;
  const std::size_t stride = memory_.bin_stride();
  const std::uint8_t* bin = bins_->row_bins(r);
  T* const left = memory_.left.data();
  if (pairs_ > 0 && swing_[r] != 0) {
    const Weight* gain = loss_->pair_gains(rows_->row(r), pairs_);
    for (std::size_t q = 0; q < pairs_; ++q) {
      if (gain[q] == 0) continue;
      const T g = static_cast<T>(kSign * gain[q]);
      T* const pair = left + (classes_ + q) * kWidth;
      for (std::size_t l = 0; l < memory_.lanes; ++l) {
        T& cell = pair[lane_base_[l] + bin[l] * stride];
        cell = static_cast<T>(cell + g);
      }
    }
  }
  if (count_rows_) {
    categories_.add_row(r, static_cast<T>(kSign));
    T* const count = left + classes_ * kWidth;
    for (std::size_t l = 0; l < memory_.lanes; ++l) {
      T& cell = count[lane_base_[l] + bin[l] * stride];
      cell = static_cast<T>(cell + kSign);
    }
  }
}

// Empties the window, or makes it hold all rows, without visiting any row.
template <class T>
void ClassLanes<T>::reset(bool full) {
  if (fine_.ready()) fine_.reset(full);
  first_ = 0;
  last_ = full ? rows_->size() : 0;
  left_weight_ = full ? all_weight_ : 0;
  left_swing_ = full ? all_swing_ : 0;
  if (full) {
    left_sums_ = all_;
    std::copy_n(memory_.total.data(), memory_.total.size(), memory_.left.data());
    categories_.reset(true);
  } else {
    left_sums_.assign(classes_, 0);
    memory_.left.zero();
    categories_.reset(false);
  }
}

// Starts from an empty or full window if fewer rows have to be moved from there: many columns have
// one value that most rows share.
template <class T>
void ClassLanes<T>::window(std::uint32_t first, std::uint32_t last) {
  constexpr std::uint32_t kReset = 16;  // rows that can be moved in the time of a reset
  const auto apart = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
  const bool disjoint = first >= last_ || last <= first_;
  const std::uint32_t moves =
      disjoint ? (last_ - first_) + (last - first) : apart(first, first_) + apart(last, last_);
  const std::uint32_t from_empty = last - first + kReset;
  const std::uint32_t from_full = rows_->size() - (last - first) + kReset;
  if (total_known_ && std::min(from_empty, from_full) < moves) reset(from_full < from_empty);
  slide_window(
      first_, last_, first, last, [this](std::uint32_t a, std::uint32_t b) { move<1>(a, b); },
      [this](std::uint32_t a, std::uint32_t b) { move<-1>(a, b); });
}

template <class T>
Cost ClassLanes<T>::leaf(Side side) const {
  Count most = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    const Count l = left_sums_[c];
    most = std::max(most, side == Side::left ? l : all_[c] - l);
  }
  return cost_of(swing(side) - most);
}

template <class T>
Cost ClassLanes<T>::leaf_saying(Side side, std::int32_t says) const {
  const auto c = static_cast<std::size_t>(says);
  const Count l = left_sums_[c];
  return cost_of(swing(side) - (side == Side::left ? l : all_[c] - l));
}

template <class T>
StumpBounds<Cost> ClassLanes<T>::bounds(std::uint32_t min_left, std::uint32_t min_right,
                                        Counters& counters) {
  ++counters.evaluations;
  min_left_ = min_left;
  min_right_ = min_right;
  right_sums_.resize(classes_);
  for (std::size_t c = 0; c < classes_; ++c)
    right_sums_[c] = static_cast<T>(all_[c] - left_sums_[c]);
  const bool minimum = count_rows_ && (min_left > 1 || min_right > 1);
  const std::uint32_t n_left = last_ - first_;
  // A minimum above the number of rows is clamped; it has the same meaning.
  const auto side_minimum = [](std::uint32_t min_rows, std::uint32_t n) {
    return static_cast<T>(std::min(min_rows, n + 1));
  };
  const std::uint32_t n_right = rows_->size() - n_left;
  const SideTotals<T> left{left_sums_.data(), static_cast<T>(n_left),
                           side_minimum(min_left, n_left)};
  const SideTotals<T> right{right_sums_.data(), static_cast<T>(n_right),
                            side_minimum(min_right, n_right)};
  // If no minimum is in force, the row channel (if there is one) would count as a further class in
  // `many_classes`; the variant that knows the channel is equally good.
  const Kernel<T> kernel = pairs_ > 0      ? kernels_.pairs
                           : classes_ == 2 ? (minimum ? kernels_.two_min : kernels_.two)
                                           : (count_rows_ ? kernels_.many_min : kernels_.many);
  kernel(memory_.input(), left, right, {memory_.lower_left.data(), memory_.upper_left.data()},
         {memory_.lower_right.data(), memory_.upper_right.data()});
  categories_.solve({left.sums, swing(Side::left), left.rows, left.min_rows},
                    {right.sums, swing(Side::right), right.rows, right.min_rows});

  StumpBounds<Cost> out{leaf(Side::left), 0, leaf(Side::right), 0};
  const Count forced_left = forced(Side::left), forced_right = forced(Side::right);
  const Count leaf_left = (out.left_lower >> kCostBits) + forced_left;
  const Count leaf_right = (out.right_lower >> kCostBits) + forced_right;
  const Count ll = memory_.least(memory_.lower_left, leaf_left);
  const Count lu = memory_.least(memory_.upper_left, leaf_left);
  const Count rl = memory_.least(memory_.lower_right, leaf_right);
  const Count ru = memory_.least(memory_.upper_right, leaf_right);
  // Bounds from parts of bins may lie below the cost that the rows have in every tree.
  const auto rest = [](Count errors, Count forced) {
    return cost_of(std::max<Count>(errors - forced, 0));
  };
  out = {rest(ll, forced_left), rest(lu, forced_left), rest(rl, forced_right),
         rest(ru, forced_right)};
  if (!categories_.empty()) {
    out.left_lower = std::min(out.left_lower, categories_.least_left());
    out.left_upper = std::min(out.left_upper, categories_.least_left());
    out.right_lower = std::min(out.right_lower, categories_.least_right());
    out.right_upper = std::min(out.right_upper, categories_.least_right());
  }
  return out;
}

template <class T>
Cost ClassLanes<T>::exact(Side side, Cost cap, Counters& counters) {
  if (cap <= 0) return cap;
  const T* lower = side == Side::left ? memory_.lower_left.data() : memory_.lower_right.data();
  const T* upper = side == Side::left ? memory_.upper_left.data() : memory_.upper_right.data();
  const Count min_rows = count_rows_ ? (side == Side::left ? min_left_ : min_right_) : 1;
  Cost least = cap;
  if (!categories_.empty())
    least =
        std::min(least, side == Side::left ? categories_.least_left() : categories_.least_right());
  // Lanes and scans count all errors, including those that every tree makes.
  const Count always = forced(side);
  Count best = std::min((least + kUnitCost - 1) >> kCostBits, leaf(side) >> kCostBits) + always;
  for (std::size_t l = 0; l < memory_.lanes; ++l) best = std::min<Count>(best, upper[l]);
  for (std::size_t l = 0; l < memory_.lanes; ++l) {
    if (lower[l] >= best) continue;
    ++counters.exact_scans;
    if (!placed_) place();
    if (!fine_.ready() &&
        FineBins<std::int32_t>::worthwhile(rows_->size(), visited_, fine_bins_from_))
      divide_bins(counters);
    best = classes_ == 2 ? scan_two(side, l, best, min_rows) : scan_many(side, l, best, min_rows);
  }
  return std::min(least, cost_of(std::max<Count>(best - always, 0)));
}

template class ClassLanes<std::int16_t>;
template class ClassLanes<std::int32_t>;

}  // namespace treeproof::threshold
