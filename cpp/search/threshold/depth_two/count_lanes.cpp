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

// Looks up the losses before and after the end of every bin; returns the least sum.
double CountLanes::at_ends(std::size_t lane, Side side, Pair whole, Ends& ends) const {
  const auto bins = static_cast<std::size_t>(bins_->n_bins());
  const Pair* const cells = cells_.data() + lane * kBins;
  const Pair* const total = total_before_.data() + lane * (kBins + 1);
  Pair left = 0;
  double least = kNever;
  for (std::size_t bin = 0; bin <= bins; ++bin) {
    const Pair before = side == Side::left ? left : total[bin] - left;
    ends.before[bin] = before;
    ends.first[bin] = counts_->loss(before);
    ends.second[bin] = counts_->loss(whole - before);
    least = std::min(least, ends.first[bin] + ends.second[bin]);
    if (bin < bins) left += cells[bin];
  }
  return least;
}

// The bound of parted bins; see the top of the header. The ends of the bin are not included.
double CountLanes::in_bin(const Ends& ends, std::size_t bin, Pair whole) const {
  const Pair before = ends.before[bin], rows = ends.before[bin + 1] - before;
  const Pair of_first = before + ClassCounts::first(rows);
  const Pair of_second = before + (rows - ClassCounts::first(rows));
  return std::min(counts_->loss(of_first) + counts_->loss(whole - of_first),
                  counts_->loss(of_second) + counts_->loss(whole - of_second));
}

auto CountLanes::stumps(std::size_t lane, Side side, double cap, Counters& counters) -> Stumps {
  const SideOfCut here = at(side);
  const double ends = at_ends(lane, side, here.counts, ends_);
  const double matters = std::min(ends, cap + here.forced);
  double anywhere = ends;
  const auto bins = static_cast<std::size_t>(bins_->n_bins());
  for (std::size_t bin = 0; bin < bins; ++bin) {
    double inside = ends_.first[bin] + ends_.second[bin + 1];  // the monotone bound
    if (!(inside < anywhere) || !bins_->several(static_cast<int>(lane), static_cast<int>(bin)))
      continue;
    if (inside < matters) {
      const double parted = in_bin(ends_, bin, here.counts);
      if (parted >= matters) ++counters.parted_bins;
      inside = std::max(inside, parted);
    }
    anywhere = std::min(anywhere, inside);
  }
  return {std::max(0.0, anywhere - here.forced), std::max(0.0, ends - here.forced)};
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

StumpBounds<double> CountLanes::bounds(std::uint32_t, std::uint32_t, Counters& counters) {
  ++counters.evaluations;
  std::array<double, 2> least;
  for (const Side side : {Side::left, Side::right}) {
    const std::size_t s = side == Side::left ? 0 : 1;
    least[s] = upper_[s] = leaf(side);
    lower_[s].resize(lanes_);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const double known = inherited(side, lane);
      lower_[s][lane] = known;
      if (known < cap_[s]) {
        const Stumps found = stumps(lane, side, cap_[s], counters);
        lower_[s][lane] = std::max(known, found.lower);
        upper_[s] = std::min(upper_[s], found.upper);
      } else {
        ++counters.inherited_lanes;
      }
      least[s] = std::min(least[s], lower_[s][lane]);
    }
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
  best = std::min(best, at_ends(lane, side, here.counts, ends_) - here.forced);
  const auto bins = static_cast<std::size_t>(bins_->n_bins());
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double monotone = ends_.first[bin] + ends_.second[bin + 1] - here.forced;
    if (loss_->closes(monotone, best) ||
        !bins_->several(static_cast<int>(lane), static_cast<int>(bin)))
      continue;
    if (loss_->closes(in_bin(ends_, bin, here.counts) - here.forced, best)) {
      ++counters.parted_bins;
      continue;
    }
    best = scan_rows(side, lane, bin, ends_.before[bin], best);
  }
  return best;
}

// Looks up the cuts between the rows of a bin.
double CountLanes::scan_rows(Side side, std::size_t lane, std::size_t bin, Pair before,
                             double best) {
  const std::uint32_t* const starts = bins_->starts(static_cast<int>(lane));
  const std::uint32_t* const list = rows_->list(codes_->features[lane]);
  const std::uint32_t* const rank = columns_->rank_of(codes_->features[lane]).data();
  const SideOfCut here = at(side);
  visited_ += starts[bin + 1] - starts[bin];
  double least = kNever;
  std::uint32_t value = kNowhere;
  for (std::uint32_t k = starts[bin]; k < starts[bin + 1]; ++k) {
    const std::uint32_t r = list[k];
    if (!on(side, r)) continue;
    const std::uint32_t v = rank[rows_->row(r)];
    if (v != value) least = std::min(least, counts_->loss(before) +
                                                counts_->loss(here.counts - before));
    value = v;
    before += of_row_[r];
  }
  return std::min(best, least - here.forced);
}

}  // namespace treeproof::threshold
