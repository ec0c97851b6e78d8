// Exact scans of class_lanes.hpp: the rows of the bins (or of parts of them) that may hold the best
// cut, one after the other.
#include "search/threshold/depth_two/class_lanes.hpp"

namespace treeproof::threshold {

template <class T>
void ClassLanes<T>::divide_bins(Counters& counters) {
  ++counters.fine_bins;
  fine_.divide(*columns_, *codes_, *bins_, *rows_, classes_ + (count_rows_ ? 1 : 0));
  move_parts(0, rows_->size(), 1);
  fine_.keep_total();
  fine_.reset(false);
  move_parts(first_, last_, 1);
}

template <class T>
void ClassLanes<T>::move_parts(std::uint32_t from, std::uint32_t to, std::int32_t sign) {
  const std::uint32_t ask_until = prefetch_until(rows_->size());
  for (std::uint32_t k = from; k < to; ++k) {
    if (k < ask_until) fine_.prefetch_row(list_[k + kRowsAhead]);
    const std::uint32_t r = list_[k];
    const auto label = static_cast<std::size_t>(label_[r]);
    fine_.add(r, bins_->row_bins(r), [&](std::int32_t* cell) {
      cell[label] += sign * weight_[r];
      if (count_rows_) cell[classes_] += sign;
    });
  }
}

template <class T>
ClassLanes<T>::Scan::Scan(const ClassLanes& lanes, Side on_side, std::size_t of_lane, Count minimum)
    : side(on_side), lane(of_lane), min_rows(minimum),
      rows(on_side == Side::left ? lanes.last_ - lanes.first_
                                 : lanes.rows_->size() - (lanes.last_ - lanes.first_)),
      list(lanes.rows_->list(lanes.codes_->features[of_lane])),
      rank(lanes.columns_->rank_of(lanes.codes_->features[of_lane]).data()),
      starts(lanes.bins_->starts(static_cast<int>(of_lane))) {}

// Visits the rows from .. to of a list that are on the side of the scan: calls `row` for each of
// them and, in front of the first row of every value, `cut` if the leaves of a cut there have
// enough rows. `before`: how many rows of the side come first.
template <class T>
template <class Cut, class Row>
void ClassLanes<T>::visit_rows(const Scan& scan, std::uint32_t from, std::uint32_t to, Count before,
                               Cut cut, Row row) {
  visited_ += to - from;
  std::uint32_t value = ~0u;
  for (std::uint32_t k = from; k < to; ++k) {
    const std::uint32_t r = scan.list[k];
    if (!on(scan.side, r)) continue;
    const std::uint32_t v = scan.rank[rows_->row(r)];
    if (v != value) {
      if (scan.allows(before, 0)) cut();
      value = v;
    }
    row(r);
    ++before;
  }
}

// ---- two classes ---------------------------------------------------------------------------

// The errors of a cut, over the orders of the two classes that are allowed, if the weight of class
// 0 left of it exceeds that of class 1 by at most `rising` and at least `falling`.
struct TwoClassErrors {
  std::int64_t n0, n1;
  std::int32_t direction;
  std::int64_t operator()(std::int64_t rising, std::int64_t falling) const {
    return std::min(direction < 0 ? n0 : n0 - rising, direction > 0 ? n1 : n1 + falling);
  }
};

template <class T>
std::int64_t ClassLanes<T>::scan_two(Side side, std::size_t lane, Count best, Count min_rows) {
  constexpr std::size_t kWidth = LaneMemory<T>::kWidth;
  const Scan scan(*this, side, lane, min_rows);
  const std::vector<T>& sums = side == Side::left ? left_sums_ : right_sums_;
  const TwoClassErrors errors{sums[0], sums[1], loss_->direction(codes_->features[lane])};
  Count d = 0;
  Count n = 0;
  for (std::size_t bin = 0; bin < memory_.bins; ++bin) {
    const std::size_t at = lane_base_[lane] + bin * memory_.bin_stride();
    const Count h0 = channel(side, at);
    const Count h1 = channel(side, at + kWidth);
    const Count in_bin = count_rows_ ? channel(side, at + classes_ * kWidth) : 0;
    const bool gains = errors(d + h0, d - h1) < best;
    if (gains && scan.allows(n, in_bin) &&
        bins_->several(static_cast<int>(lane), static_cast<int>(bin)))
      best = fine_.ready() ? scan_parts_two(scan, bin, {d, n}, errors, best)
                           : scan_rows_two(scan, scan.starts[bin], scan.starts[bin + 1], {d, n},
                                           errors, best);
    d += h0 - h1;
    n += in_bin;
  }
  return best;
}

template <class T>
std::int64_t ClassLanes<T>::scan_parts_two(const Scan& scan, std::size_t bin, Before before,
                                           const TwoClassErrors& errors, Count best) {
  const std::uint32_t* parts = fine_.starts(scan.lane, bin);
  for (std::size_t part = 0; part < fine_.n_parts(); ++part) {
    const Count h0 = part_channel(scan, bin, part, 0);
    const Count h1 = part_channel(scan, bin, part, 1);
    if (errors(before.difference + h0, before.difference - h1) < best)
      best = scan_rows_two(scan, parts[part], parts[part + 1], before, errors, best);
    before.difference += h0 - h1;
    if (scan.min_rows > 1) before.rows += part_channel(scan, bin, part, classes_);
  }
  return best;
}

template <class T>
std::int64_t ClassLanes<T>::scan_rows_two(const Scan& scan, std::uint32_t from, std::uint32_t to,
                                          Before before, const TwoClassErrors& errors, Count best) {
  Count d = before.difference;
  visit_rows(
      scan, from, to, before.rows, [&] { best = std::min(best, errors(d, d)); },
      [&](std::uint32_t r) { d += label_[r] == 0 ? weight_[r] : -weight_[r]; });
  return best;
}

// ---- more classes --------------------------------------------------------------------------

// An upper bound on the weight that a cut inside the current bin of a scan predicts correctly, by
// the gains of pairs (kernels_body.inc).
template <class T>
std::int64_t ClassLanes<T>::most_inside(Side side, std::size_t at) const {
  constexpr std::size_t kWidth = LaneMemory<T>::kWidth;
  Count most = 0;
  std::size_t pair = at + classes_ * kWidth;
  for (std::size_t a = 0; a < classes_; ++a)
    for (std::size_t b = 0; b < classes_; ++b) {
      if (a == b) continue;
      most = std::max(most, inner_prefix_[a] + inner_suffix_[b] + channel(side, pair));
      pair += kWidth;
    }
  return most;
}

template <class T>
std::int64_t ClassLanes<T>::scan_many(Side side, std::size_t lane, Count best, Count min_rows) {
  constexpr std::size_t kWidth = LaneMemory<T>::kWidth;
  const Scan scan(*this, side, lane, min_rows);
  const std::vector<T>& sums = side == Side::left ? left_sums_ : right_sums_;
  const Count weight = side == Side::left ? left_weight_ : all_weight_ - left_weight_;
  prefix_.assign(classes_, 0);
  suffix_.assign(sums.begin(), sums.end());
  Count before = 0;                                 // majority weight of the bins before this one
  Count from = *std::ranges::max_element(suffix_);  // and of this bin and those after it
  Count n = 0;
  for (std::size_t bin = 0; bin < memory_.bins; ++bin) {
    const std::size_t at = lane_base_[lane] + bin * memory_.bin_stride();
    Count in_weight = 0, through = 0, after = 0;
    inner_prefix_ = prefix_;
    inner_suffix_ = suffix_;
    for (std::size_t c = 0; c < classes_; ++c) {
      const Count h = channel(side, at + c * kWidth);
      in_weight += h;
      prefix_[c] += h;
      suffix_[c] -= h;
      through = std::max(through, prefix_[c]);
      after = std::max(after, suffix_[c]);
    }
    const Count in_bin = count_rows_ ? channel(side, at + classes_ * kWidth) : 0;
    Count right = std::min(through + from, before + after + in_weight);
    if (pairs_ > 0 && weight - right < best) right = std::min(right, most_inside(side, at));
    if (weight - right < best && scan.allows(n, in_bin) &&
        bins_->several(static_cast<int>(lane), static_cast<int>(bin)))
      best = fine_.ready() ? scan_parts_many(scan, bin, {before, from, n}, weight, best)
                           : scan_rows_many(scan, scan.starts[bin], scan.starts[bin + 1],
                                            {before, from, n}, weight, best);
    before = through;
    from = after;
    n += in_bin;
  }
  return best;
}

template <class T>
std::int64_t ClassLanes<T>::scan_parts_many(const Scan& scan, std::size_t bin, Majorities most,
                                            Count weight, Count best) {
  part_prefix_ = inner_prefix_;
  part_suffix_ = inner_suffix_;
  const std::uint32_t* parts = fine_.starts(scan.lane, bin);
  for (std::size_t part = 0; part < fine_.n_parts(); ++part) {
    inner_prefix_ = part_prefix_;
    inner_suffix_ = part_suffix_;
    Count in_weight = 0, through = 0, after = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      const Count h = part_channel(scan, bin, part, c);
      in_weight += h;
      part_prefix_[c] += h;
      part_suffix_[c] -= h;
      through = std::max(through, part_prefix_[c]);
      after = std::max(after, part_suffix_[c]);
    }
    const Count right = std::min(through + most.from, most.before + after + in_weight);
    if (weight - right < best)
      best = scan_rows_many(scan, parts[part], parts[part + 1], most, weight, best);
    most = {through, after, most.rows};
    if (scan.min_rows > 1) most.rows += part_channel(scan, bin, part, classes_);
  }
  return best;
}

// Starts from the sums `inner_prefix_` of the rows before `from` and `inner_suffix_` of the others.
template <class T>
std::int64_t ClassLanes<T>::scan_rows_many(const Scan& scan, std::uint32_t from, std::uint32_t to,
                                           Majorities most, Count weight, Count best) {
  visit_rows(
      scan, from, to, most.rows, [&] { best = std::min(best, weight - most.before - most.from); },
      [&](std::uint32_t r) {
        const auto c = static_cast<std::size_t>(label_[r]);
        inner_prefix_[c] += weight_[r];
        most.before = std::max(most.before, inner_prefix_[c]);
        const bool was_most = inner_suffix_[c] == most.from;
        inner_suffix_[c] -= weight_[r];
        if (was_most) most.from = *std::ranges::max_element(inner_suffix_);
      });
  return best;
}

template ClassLanes<std::int16_t>::Scan::Scan(const ClassLanes<std::int16_t>&, Side, std::size_t,
                                              Count);
template ClassLanes<std::int32_t>::Scan::Scan(const ClassLanes<std::int32_t>&, Side, std::size_t,
                                              Count);
template void ClassLanes<std::int16_t>::divide_bins(Counters&);
template void ClassLanes<std::int32_t>::divide_bins(Counters&);
template void ClassLanes<std::int16_t>::move_parts(std::uint32_t, std::uint32_t, std::int32_t);
template void ClassLanes<std::int32_t>::move_parts(std::uint32_t, std::uint32_t, std::int32_t);
template Cost ClassLanes<std::int16_t>::scan_two(Side, std::size_t, Count, Count);
template Cost ClassLanes<std::int32_t>::scan_two(Side, std::size_t, Count, Count);
template Cost ClassLanes<std::int16_t>::scan_parts_two(const Scan&, std::size_t, Before,
                                                       const TwoClassErrors&, Count);
template Cost ClassLanes<std::int32_t>::scan_parts_two(const Scan&, std::size_t, Before,
                                                       const TwoClassErrors&, Count);
template Cost ClassLanes<std::int16_t>::scan_rows_two(const Scan&, std::uint32_t, std::uint32_t,
                                                      Before, const TwoClassErrors&, Count);
template Cost ClassLanes<std::int32_t>::scan_rows_two(const Scan&, std::uint32_t, std::uint32_t,
                                                      Before, const TwoClassErrors&, Count);
template Cost ClassLanes<std::int16_t>::most_inside(Side, std::size_t) const;
template Cost ClassLanes<std::int32_t>::most_inside(Side, std::size_t) const;
template Cost ClassLanes<std::int16_t>::scan_many(Side, std::size_t, Count, Count);
template Cost ClassLanes<std::int32_t>::scan_many(Side, std::size_t, Count, Count);
template Cost ClassLanes<std::int16_t>::scan_parts_many(const Scan&, std::size_t, Majorities, Count,
                                                        Count);
template Cost ClassLanes<std::int32_t>::scan_parts_many(const Scan&, std::size_t, Majorities, Count,
                                                        Count);
template Cost ClassLanes<std::int16_t>::scan_rows_many(const Scan&, std::uint32_t, std::uint32_t,
                                                       Majorities, Count, Count);
template Cost ClassLanes<std::int32_t>::scan_rows_many(const Scan&, std::uint32_t, std::uint32_t,
                                                       Majorities, Count, Count);

}  // namespace treeproof::threshold
