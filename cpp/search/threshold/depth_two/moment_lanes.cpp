#include "search/threshold/depth_two/moment_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/prefetch.hpp"
#include "search/threshold/depth_two/slide_window.hpp"

namespace treeproof::threshold {

template <class Phi>
MomentLanes<Phi>::MomentLanes(const Columns& columns, const MomentLoss<Phi>& loss,
                              const ColumnCodes& codes, SubsetBins& bins,
                              const MomentKernels& kernels, bool count_rows, double further_child,
                              std::uint32_t fine_bins_from)
    : columns_(&columns), loss_(&loss), codes_(&codes), bins_(&bins), outputs_(loss.n_outputs()),
      own_(1 + loss.n_outputs()), channels_(own_ + (count_rows ? 2 : 1)), count_rows_(count_rows),
      further_child_(further_child), fine_bins_from_(fine_bins_from) {
  const bool one = outputs_ == 1;
  // If there is a row channel, the kernel has to know of it even if no minimum is in force.
  if (loss.smoothed()) {
    kernel_min_ = kernels.smoothed_min;
    kernel_ = count_rows ? kernel_min_ : kernels.smoothed;
  } else {
    kernel_min_ = one ? kernels.one_min : kernels.many_min;
    kernel_ = count_rows && !one ? kernel_min_ : (one ? kernels.one : kernels.many);
  }
  for (std::int32_t f = 0; f < columns.n_features(); ++f)
    if (columns.kind(f) != FeatureKind::ordered) categorical_.push_back(f);
}

template <class Phi>
bool MomentLanes<Phi>::load(const RowSubset& rows, const KeyedRows* around) {
  rows_ = &rows;
  const std::uint32_t m = rows.size();
  const bool taken_over = bins_->cut(rows, around);
  memory_.shape(codes_->features.size(), static_cast<std::size_t>(bins_->n_bins()), channels_);
  memory_.mark_several(*bins_);
  if constexpr (!MomentLoss<Phi>::kSquares)
    kept_.resize_for_overwrite(memory_.blocks * 4 * (memory_.bins + 1) * kWidth);
  lane_base_.resize(memory_.lanes);
  for (std::size_t l = 0; l < memory_.lanes; ++l) lane_base_[l] = memory_.base(l);

  const std::size_t width = own_ + 2;
  moments_.resize(m * width);
  all_.assign(width, 0.0);
  reach_ = 0.0;
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t row = rows.row(r);
    const double w = loss_->row_weight(row);
    const double* y = loss_->target(row);
    double* const out = moments_.data() + r * width;
    out[0] = w;
    for (std::size_t k = 0; k < outputs_; ++k) out[1 + k] = w * y[k];
    out[own_] = loss_->own(row);
    out[own_ + 1] = 1.0;
    for (std::size_t k = 0; k < width; ++k) all_[k] += out[k];
    reach_ += std::abs(out[1]) + out[own_];
  }

  categories_.load(*columns_, categorical_, rows, width);
  fine_.clear();
  visited_ = 0;

  begin(0);
  window(0, m);
  std::ranges::copy(categories_.left, categories_.total.begin());
  memory_.keep_totals();
  return taken_over;
}

template <class Phi>
void MomentLanes<Phi>::begin(std::int32_t f) {
  const std::uint32_t m = rows_->size();
  list_ = rows_->list(f);
  first_ = last_ = 0;
  left_sums_.assign(own_ + 2, 0.0);
  memory_.left.zero();
  if (fine_.ready()) fine_.reset(false);
  std::ranges::fill(categories_.left, 0.0);
  position_.resize(m);
  for (std::uint32_t k = 0; k < m; ++k) position_[list_[k]] = k;
}

template <class Phi>
template <int kSign>
void MomentLanes<Phi>::move(std::uint32_t from, std::uint32_t to) {
  if (fine_.ready()) move_parts(from, to, kSign);
  const std::size_t lanes = memory_.lanes;
  const std::size_t stride = memory_.bin_stride();
  const std::size_t width = own_ + 2;
  const std::size_t n_categorical = categorical_.size();
  double* const left = memory_.left.data();
  const std::uint32_t ask_until = prefetch_until(rows_->size());
  for (std::uint32_t k = from; k < to; ++k) {
    if (k < ask_until) {
      prefetch(bins_->row_bins(list_[k + kRowsAhead]));
      prefetch(moments_.data() + list_[k + kRowsAhead] * width);
    }
    const std::uint32_t r = list_[k];
    const double* const moment = moments_.data() + r * width;
    const std::uint8_t* bin = bins_->row_bins(r);
    if (channels_ == 3) {  // one output, no minimum: the common case
      const double w = kSign * moment[0], s = kSign * moment[1], q = kSign * moment[2];
      for (std::size_t l = 0; l < lanes; ++l) {
        double* const cell = left + lane_base_[l] + bin[l] * stride;
        cell[0] += w;
        cell[kWidth] += s;
        cell[2 * kWidth] += q;
      }
    } else {
      for (std::size_t l = 0; l < lanes; ++l) {
        double* const cell = left + lane_base_[l] + bin[l] * stride;
        for (std::size_t c = 0; c < channels_; ++c) cell[c * kWidth] += kSign * moment[c];
      }
    }
    for (std::size_t c = 0; c < width; ++c) left_sums_[c] += kSign * moment[c];
    for (std::size_t g = 0; g < n_categorical; ++g) {
      double* const cell = categories_.left.data() + categories_.cell[r * n_categorical + g];
      for (std::size_t c = 0; c < width; ++c) cell[c] += kSign * moment[c];
    }
  }
}

template <class Phi>
void MomentLanes<Phi>::window(std::uint32_t first, std::uint32_t last) {
  slide_window(
      first_, last_, first, last, [this](std::uint32_t a, std::uint32_t b) { move<1>(a, b); },
      [this](std::uint32_t a, std::uint32_t b) { move<-1>(a, b); });
  right_sums_.resize(left_sums_.size());
  for (std::size_t c = 0; c < left_sums_.size(); ++c) right_sums_[c] = all_[c] - left_sums_[c];
}

template <class Phi>
double MomentLanes<Phi>::explained(const double* moments, double tiny) const {
  return moments[0] > tiny ? loss_->explained(moments[0], moments + 1) : 0.0;
}

template <class Phi>
double MomentLanes<Phi>::leaf(Side side) const {
  if (rows_on(side) <= 1 && !loss_->smoothed()) return 0.0;
  const double* moments = sums(side).data();
  return std::max(0.0, moments[own_] - explained(moments, 0.0));
}

template <class Phi>
double MomentLanes<Phi>::leaf_of_all() const {
  if (rows_->size() <= 1 && !loss_->smoothed()) return 0.0;
  return std::max(0.0, all_[own_] - explained(all_.data(), 0.0));
}

template <class Phi>
StumpBounds<double> MomentLanes<Phi>::bounds(std::uint32_t min_left, std::uint32_t min_right,
                                             Counters& counters) {
  ++counters.evaluations;
  min_left_ = min_left;
  min_right_ = min_right;
  const bool minimum = count_rows_ && (min_left > 1 || min_right > 1);
  const double leaf_left = leaf(Side::left), leaf_right = leaf(Side::right);
  const SideTotals<double> left{left_sums_.data(), static_cast<double>(rows_on(Side::left)),
                                min_left_, std::min(leaf_left, left_cap_)};
  const SideTotals<double> right{right_sums_.data(), static_cast<double>(rows_on(Side::right)),
                                 min_right_, std::min(leaf_right, right_cap_)};
  LaneInput<double> input = memory_.input();
  input.centres = loss_->centres();
  input.prior = loss_->prior().data();
  input.kept = kept_.data();
  (minimum ? kernel_min_ : kernel_)(input, left, right,
                                    {memory_.lower_left.data(), memory_.upper_left.data()},
                                    {memory_.lower_right.data(), memory_.upper_right.data()});
  bound_categories(Side::left, min_left_, categories_.bounds_left);
  bound_categories(Side::right, min_right_, categories_.bounds_right);
  left_cap_ = right_cap_ = kNever;
  StumpBounds<double> out{leaf_left, leaf_left, leaf_right, leaf_right};
  for (std::size_t l = 0; l < memory_.lanes; ++l) {
    out.left_lower = std::min(out.left_lower, memory_.lower_left[l]);
    out.left_upper = std::min(out.left_upper, memory_.upper_left[l]);
    out.right_lower = std::min(out.right_lower, memory_.lower_right[l]);
    out.right_upper = std::min(out.right_upper, memory_.upper_right[l]);
  }
  categories_.lower(out);
  // Rounding may give values slightly below zero.
  return {std::max(0.0, out.left_lower), std::max(0.0, out.left_upper),
          std::max(0.0, out.right_lower), std::max(0.0, out.right_upper)};
}

template <class Phi>
void MomentLanes<Phi>::bound_categories(Side side, double min_rows, std::vector<double>& out) {
  for (std::size_t g = 0; g < categorical_.size(); ++g) out[g] = category_loss(g, side, min_rows);
}

// The exact loss of the best split of a side on a categorical feature, including the cost of its
// further children; the loss of a leaf if there is no such split.
template <class Phi>
double MomentLanes<Phi>::category_loss(std::size_t g, Side side, double min_rows) {
  const std::size_t width = own_ + 2;
  const bool multiway = columns_->kind(categorical_[g]) == FeatureKind::multiway;
  const std::vector<double>& whole = sums(side);
  const double rows = rows_on(side);
  const double tiny = whole[0] * 1e-12;
  const double leaf_loss = leaf(side);
  double most = whole[own_] - leaf_loss;  // explained by the best split so far
  double all_categories = 0.0;
  std::int64_t n_categories = 0;
  bool allowed = true;
  prefix_.resize(width);
  suffix_.resize(width);
  for (std::size_t at = categories_.base[g]; at < categories_.base[g + 1]; at += width) {
    for (std::size_t c = 0; c < width; ++c) {
      const double l = categories_.left[at + c];
      prefix_[c] = side == Side::left ? l : categories_.total[at + c] - l;
      suffix_[c] = whole[c] - prefix_[c];
    }
    const double in_rows = prefix_[own_ + 1];
    if (in_rows < 0.5) continue;
    if (multiway) {
      all_categories += explained(prefix_.data(), tiny);
      ++n_categories;
      allowed = allowed && in_rows >= min_rows;
    } else if (in_rows >= min_rows && rows - in_rows >= min_rows) {
      most = std::max(most, explained(prefix_.data(), tiny) + explained(suffix_.data(), tiny));
    }
  }
  if (!multiway || !allowed) return std::max(0.0, whole[own_] - most);
  return std::max(0.0, whole[own_] - all_categories) +
         SplitPrice<double>(0.0, further_child_)(n_categories);
}

template <class Phi>
double MomentLanes<Phi>::exact(Side side, double cap, Counters& counters) {
  if (cap <= 0.0) return cap;
  const double* lower = side == Side::left ? memory_.lower_left.data() : memory_.lower_right.data();
  const double* upper = side == Side::left ? memory_.upper_left.data() : memory_.upper_right.data();
  const double min_rows = side == Side::left ? min_left_ : min_right_;
  double best = std::min(cap, leaf(side));
  for (std::size_t l = 0; l < memory_.lanes; ++l) best = std::min(best, upper[l]);
  for (const double c : side == Side::left ? categories_.bounds_left : categories_.bounds_right)
    best = std::min(best, c);
  for (std::size_t l = 0; l < memory_.lanes; ++l) {
    if (loss_->closes(lower[l], best)) continue;
    ++counters.exact_scans;
    if (!fine_.ready() && FineBins<double>::worthwhile(rows_->size(), visited_, fine_bins_from_))
      divide_bins(counters);
    best = scan(side, l, best, min_rows);
  }
  counters.tangent_cuts += std::exchange(skipped_, 0);
  return std::max(0.0, best);
}

template <class Phi>
void MomentLanes<Phi>::divide_bins(Counters& counters) {
  ++counters.fine_bins;
  fine_.divide(*columns_, *codes_, *bins_, *rows_, channels_);
  move_parts(0, rows_->size(), 1.0);
  fine_.keep_total();
  fine_.reset(false);
  move_parts(first_, last_, 1.0);
}

template <class Phi>
void MomentLanes<Phi>::move_parts(std::uint32_t from, std::uint32_t to, double sign) {
  const std::size_t width = own_ + 2;
  const std::uint32_t ask_until = prefetch_until(rows_->size());
  for (std::uint32_t k = from; k < to; ++k) {
    if (k < ask_until) fine_.prefetch_row(list_[k + kRowsAhead]);
    const std::uint32_t r = list_[k];
    const double* const moment = moments_.data() + r * width;
    fine_.add(r, bins_->row_bins(r), [&](double* cell) {
      for (std::size_t c = 0; c < channels_; ++c) cell[c] += sign * moment[c];
    });
  }
}

template <class Phi>
double MomentLanes<Phi>::scan(Side side, std::size_t lane, double best, double min_rows) {
  const std::vector<double>& whole = sums(side);
  const std::int32_t f = codes_->features[lane];
  const Scan scan{side,
                  lane,
                  whole.data(),
                  min_rows,
                  static_cast<double>(rows_on(side)),
                  whole[0] * 1e-12,
                  rows_->list(f),
                  columns_->rank_of(f).data()};
  const std::uint32_t* starts = bins_->starts(static_cast<int>(lane));
  const std::size_t width = own_ + 2;
  prefix_.assign(width, 0.0);
  suffix_ = whole;
  rest_.resize(width);
  double before = 0.0;  // explained by the bins before this one
  double n = 0.0;
  for (std::size_t bin = 0; bin < memory_.bins; ++bin) {
    const std::size_t at = lane_base_[lane] + bin * memory_.bin_stride();
    inner_ = prefix_;
    for (std::size_t c = 0; c < channels_; ++c) {
      const double h = channel(side, at + c * kWidth);
      prefix_[c] += h;
      suffix_[c] -= h;
    }
    const double in_squares = channel(side, at + own_ * kWidth);
    const double in_bin = count_rows_ ? channel(side, at + (own_ + 1) * kWidth) : 0.0;
    double after = 0.0;
    if constexpr (MomentLoss<Phi>::kSquares) {
      after = explained(suffix_.data(), scan.tiny);
    } else {
      before = kept(side, lane, bin, false);
      after = kept(side, lane, bin + 1, true);
    }
    const double least = whole[own_] - in_squares - before - after;
    if (scan.allows(n, in_bin) && !loss_->closes(least, best) &&
        bins_->several(static_cast<int>(lane), static_cast<int>(bin)))
      best = fine_.ready() ? scan_parts(scan, bin, before, n, best)
                           : scan_rows(scan, starts[bin], starts[bin + 1], n, best);
    if constexpr (MomentLoss<Phi>::kSquares) before = explained(prefix_.data(), scan.tiny);
    n += in_bin;
  }
  return best;
}

// Scans the parts of a bin that leave something to gain. `inner_` holds the moments of the `rows`
// rows before the bin, which explain `before`.
template <class Phi>
double MomentLanes<Phi>::scan_parts(const Scan& scan, std::size_t bin, double before, double rows,
                                    double best) {
  part_prefix_ = inner_;
  part_suffix_.resize(inner_.size());
  for (std::size_t c = 0; c < inner_.size(); ++c) part_suffix_[c] = scan.whole[c] - inner_[c];
  const std::uint32_t* parts = fine_.starts(scan.lane, bin);
  for (std::size_t part = 0; part < fine_.n_parts(); ++part) {
    if (parts[part] == parts[part + 1]) continue;
    inner_ = part_prefix_;
    for (std::size_t c = 0; c < channels_; ++c) {
      const double h = scan.part_channel(fine_, bin, part, c);
      part_prefix_[c] += h;
      part_suffix_[c] -= h;
    }
    const double after = explained(part_suffix_.data(), scan.tiny);
    const double own = scan.part_channel(fine_, bin, part, own_);
    const double least = scan.whole[own_] - own - before - after;
    if (!loss_->closes(least, best))
      best = scan_rows(scan, parts[part], parts[part + 1], rows, best);
    before = explained(part_prefix_.data(), scan.tiny);
    if (count_rows_) rows += scan.part_channel(fine_, bin, part, own_ + 1);
  }
  return best;
}

// Scans rows one after the other, starting from the moments `inner_` of the `count` rows before.
template <class Phi>
double MomentLanes<Phi>::scan_rows(const Scan& scan, std::uint32_t from, std::uint32_t to,
                                   double count, double best) {
  const std::size_t width = own_ + 2;
  visited_ += to - from;
  [[maybe_unused]] LogTangent first, second;
  if constexpr (!MomentLoss<Phi>::kSquares) {
    if (outputs_ == 1 && !loss_->smoothed()) {
      for (std::size_t c = 0; c <= outputs_; ++c) rest_[c] = scan.whole[c] - inner_[c];
      const double centre = loss_->centres()[0];
      first = LogTangent(inner_[0], inner_[1], centre, explained(inner_.data(), scan.tiny));
      second = LogTangent(rest_[0], rest_[1], centre, explained(rest_.data(), scan.tiny));
    }
  }
  std::uint32_t value = ~0u;
  for (std::uint32_t k = from; k < to; ++k) {
    const std::uint32_t r = scan.list[k];
    if (!on(scan.side, r)) continue;
    const std::uint32_t v = scan.rank[rows_->row(r)];
    if (v != value) {
      if (scan.allows(count, 0.0)) {
        for (std::size_t c = 0; c <= outputs_; ++c) rest_[c] = scan.whole[c] - inner_[c];
        bool settled = false;
        if constexpr (!MomentLoss<Phi>::kSquares)
          settled = first.serves(inner_[0], inner_[1]) && second.serves(rest_[0], rest_[1]) &&
                    scan.whole[own_] - first.most(inner_[0], inner_[1]) -
                            second.most(rest_[0], rest_[1]) - LogTangent::kRounding * reach_ >=
                        best;
        if (settled) ++skipped_;
        else
          best = std::min(best, scan.whole[own_] - explained(inner_.data(), scan.tiny) -
                                    explained(rest_.data(), scan.tiny));
      }
      value = v;
    }
    const double* moment = moments_.data() + r * width;
    for (std::size_t c = 0; c <= outputs_; ++c) inner_[c] += moment[c];
    ++count;
  }
  return best;
}

template class MomentLanes<Squares>;
template class MomentLanes<Logs>;

}  // namespace treeproof::threshold
