#include "search/threshold/depth_two/count_lanes.hpp"

#include <algorithm>

#include "core/prefetch.hpp"
#include "search/threshold/depth_two/slide_window.hpp"

namespace treeproof::threshold {

bool CountLanes::load(const RowSubset& rows, const KeyedRows* around) {
  rows_ = &rows;
  const std::uint32_t m = rows.size();
  const bool taken_over = bins_->cut(rows, around);
  of_row_.resize(m);
  forced_of_row_.resize(m);
  all_ = 0;
  all_forced_ = 0.0;
  for (std::uint32_t r = 0; r < m; ++r) {
    of_row_[r] = counts_->rows[rows.row(r)];
    forced_of_row_[r] = counts_->forced[rows.row(r)];
    all_ += of_row_[r];
    all_forced_ += forced_of_row_[r];
  }
  forced_ = all_forced_ > 0.0;
  visited_ = 0;
  cells_.resize(lanes_ * kBins);
  total_before_.resize(lanes_ * (kBins + 1));
  begin(0);
  window(0, m);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    Pair before = 0;
    for (std::size_t bin = 0; bin <= kBins; ++bin) {
      total_before_[lane * (kBins + 1) + bin] = before;
      if (bin < kBins) before += cells_[lane * kBins + bin];
    }
  }
  return taken_over;
}

void CountLanes::begin(std::int32_t f) {
  const std::uint32_t m = rows_->size();
  list_ = rows_->list(f);
  first_ = last_ = 0;
  left_ = 0;
  left_forced_ = 0.0;
  std::ranges::fill(cells_, 0u);
  position_.resize(m);
  for (std::uint32_t k = 0; k < m; ++k) position_[list_[k]] = k;
  slot_.assign(m + 1, kNowhere);
  found_.clear();
  before_ = after_ = kNowhere;
  cap_ = {kNever, kNever};
}

template <bool kAdd>
void CountLanes::move(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t ask_until = prefetch_until(rows_->size());
  Pair* const cells = cells_.data();
  for (std::uint32_t k = from; k < to; ++k) {
    if (k < ask_until) prefetch(bins_->row_bins(list_[k + kRowsAhead]));
    const std::uint32_t r = list_[k];
    const Pair counts = kAdd ? of_row_[r] : 0u - of_row_[r];
    const std::uint8_t* const bin = bins_->row_bins(r);
    for (std::size_t lane = 0; lane < lanes_; ++lane) cells[lane * kBins + bin[lane]] += counts;
    left_ += counts;
    if (forced_) left_forced_ += kAdd ? forced_of_row_[r] : -forced_of_row_[r];
  }
}

void CountLanes::window(std::uint32_t first, std::uint32_t last) {
  slide_window(
      first_, last_, first, last, [this](std::uint32_t a, std::uint32_t b) { move<true>(a, b); },
      [this](std::uint32_t a, std::uint32_t b) { move<false>(a, b); });
}

// Counts the rows before the end of every bin.
void CountLanes::add_up(std::size_t lane, Side side) {
  const auto bins = static_cast<std::size_t>(bins_->n_bins());
  const Pair* const cells = cells_.data() + lane * kBins;
  Pair left = 0;
  if (side == Side::left) {
    for (std::size_t bin = 0; bin < bins; ++bin) {
      before_end_[bin] = left;
      left += cells[bin];
    }
    before_end_[bins] = left;
    return;
  }
  const Pair* const total = total_before_.data() + lane * (kBins + 1);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    before_end_[bin] = total[bin] - left;
    left += cells[bin];
  }
  before_end_[bins] = total[bins] - left;
}

// The bound of parted bins for cuts between two ends; see the top of the header. The ends are not
// included.
double CountLanes::parted(std::size_t from, std::size_t to, Pair whole) const {
  const Pair before = before_end_[from], rows = before_end_[to] - before;
  const Pair of_first = before + ClassCounts::first(rows);
  const Pair of_second = before + (rows - ClassCounts::first(rows));
  return std::min(counts_->loss(of_first) + counts_->loss(whole - of_first),
                  counts_->loss(of_second) + counts_->loss(whole - of_second));
}

// Bounds the best cut of a column: first groups of bins, and then the bins of those groups that may
// hold a cut that matters. `inside` is called for bins that may hold one; it returns a bound that
// is at least as good, and may lower what matters. Losses contain the forced part. What comes
// within half of the tolerance of losses does not matter either.
template <class Inside>
auto CountLanes::walk(std::size_t lane, Pair whole, double& matters, Counters& counters,
                      Inside inside) const -> Stumps {
  constexpr std::size_t kGroup = 8;
  const auto bins = static_cast<std::size_t>(bins_->n_bins());
  const double slack = (Tolerance::kRelative * std::min(matters, 1.0) + Tolerance::kFloor) / 2;
  Stumps out{kNever, kNever};
  const auto end = [&](Split at) {
    out.upper = std::min(out.upper, at.first + at.second);
    matters = std::min(matters, out.upper);
    return at;
  };
  Split left = end(split_at(0, whole));
  for (std::size_t from = 0, to = 0; from < bins; from = to) {
    to = std::min(from + kGroup, bins);
    const Split right = end(split_at(to, whole));
    double bound = left.first + right.second;  // the monotone bound
    if (bound + slack < matters) bound = std::max(bound, parted(from, to, whole));
    if (bound + slack < matters) {
      bound = kNever;
      Split before = left;
      for (std::size_t bin = from; bin < to; ++bin) {
        const Split after = bin + 1 < to ? end(split_at(bin + 1, whole)) : right;
        double here = before.first + after.second;
        before = after;
        if (!(here < bound) || !bins_->several(static_cast<int>(lane), static_cast<int>(bin)))
          continue;
        if (here + slack < matters) {
          here = std::max(here, parted(bin, bin + 1, whole));
          if (here + slack < matters) here = std::max(here, inside(bin));
          else ++counters.parted_bins;
        }
        bound = std::min(bound, here);
      }
    } else {
      ++counters.parted_groups;
    }
    out.lower = std::min(out.lower, bound);
    left = right;
  }
  out.lower = std::min(out.lower, out.upper);
  return out;
}

double* CountLanes::found_at(std::uint32_t position, Side side) {
  if (slot_[position] == kNowhere) {
    slot_[position] = static_cast<std::uint32_t>(found_.size() / (2 * lanes_));
    found_.resize(found_.size() + 2 * lanes_, 0.0);
  }
  return found_.data() + (2 * std::size_t{slot_[position]} + (side == Side::left ? 0 : 1)) * lanes_;
}

// What a neighbouring cut with fewer rows on this side says about a column.
double CountLanes::inherited(Side side, std::size_t lane) const {
  const std::uint32_t position = side == Side::left ? before_ : after_;
  if (position == kNowhere || slot_[position] == kNowhere) return 0.0;
  return found_[(2 * std::size_t{slot_[position]} + (side == Side::left ? 0 : 1)) * lanes_ + lane];
}

void CountLanes::bound_lane(Side side, std::size_t lane, Counters& counters) {
  const std::size_t s = side == Side::left ? 0 : 1;
  const double known = inherited(side, lane);
  lower_[s][lane] = known;
  double matters = std::min(cap_[s], upper_[s]);
  if (!(known < matters)) {
    ++counters.inherited_lanes;
    return;
  }
  const SideOfCut here = at(side);
  matters += here.forced;
  add_up(lane, side);
  const Stumps found = walk(lane, here.counts, matters, counters, [](std::size_t) { return 0.0; });
  lower_[s][lane] = std::max(known, found.lower - here.forced);
  if (found.upper - here.forced < upper_[s]) {
    upper_[s] = std::max(0.0, found.upper - here.forced);
    best_lane_[s] = lane;
  }
}

StumpBounds<double> CountLanes::bounds(std::uint32_t, std::uint32_t, Counters& counters) {
  ++counters.evaluations;
  std::array<double, 2> least;
  for (const Side side : {Side::left, Side::right}) {
    const std::size_t s = side == Side::left ? 0 : 1;
    upper_[s] = leaf(side);
    lower_[s].resize(lanes_);
    // The column that was the best one at the last cut is probably good here, so that the bounds of
    // others need not be as good.
    const std::size_t first = best_lane_[s];
    if (first < lanes_) bound_lane(side, first, counters);
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      if (lane != first) bound_lane(side, lane, counters);
    least[s] = upper_[s];
    for (const double lower : lower_[s]) least[s] = std::min(least[s], lower);
    std::ranges::copy(lower_[s], found_at(last_, side));
  }
  before_ = after_ = kNowhere;
  cap_ = {kNever, kNever};
  return {least[0], upper_[0], least[1], upper_[1]};
}

double CountLanes::exact(Side side, double cap, Counters& counters) {
  if (cap <= 0.0) return cap;
  const std::size_t s = side == Side::left ? 0 : 1;
  double best = std::min(cap, upper_[s]);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    if (loss_->closes(lower_[s][lane], best)) continue;
    ++counters.exact_scans;
    best = scan(side, lane, best, counters);
    lower_[s][lane] = std::max(lower_[s][lane], best);
    double& found = found_at(last_, side)[lane];
    found = std::max(found, lower_[s][lane]);
  }
  return std::max(0.0, best);
}

double CountLanes::scan(Side side, std::size_t lane, double best, Counters& counters) {
  const SideOfCut here = at(side);
  double matters = best + here.forced;
  add_up(lane, side);
  walk(lane, here.counts, matters, counters, [&](std::size_t bin) {
    matters = std::min(matters, scan_rows(side, lane, bin));
    return matters;
  });
  return std::min(best, matters - here.forced);
}

// Looks up the cuts between the rows of a bin; returns the least loss with its forced part.
double CountLanes::scan_rows(Side side, std::size_t lane, std::size_t bin) {
  const std::uint32_t* const starts = bins_->starts(static_cast<int>(lane));
  const std::uint32_t* const list = rows_->list(codes_->features[lane]);
  const std::uint32_t* const rank = columns_->rank_of(codes_->features[lane]).data();
  const Pair whole = at(side).counts;
  Pair before = before_end_[bin];
  visited_ += starts[bin + 1] - starts[bin];
  double least = kNever;
  std::uint32_t value = kNowhere;
  for (std::uint32_t k = starts[bin]; k < starts[bin + 1]; ++k) {
    const std::uint32_t r = list[k];
    if (!on(side, r)) continue;
    const std::uint32_t v = rank[rows_->row(r)];
    if (v != value) least = std::min(least, counts_->loss(before) + counts_->loss(whole - before));
    value = v;
    before += of_row_[r];
  }
  return least;
}

}  // namespace treeproof::threshold
