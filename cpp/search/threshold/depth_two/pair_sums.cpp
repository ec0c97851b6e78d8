#include "search/threshold/depth_two/pair_sums.hpp"

#include <algorithm>

namespace treeproof::threshold {

template <class Phi>
PairSums<Phi>::PairSums(const Columns& columns, const Loss& loss)
    : columns_(&columns), loss_(&loss), n_(static_cast<std::size_t>(columns.n_features())),
      n_outputs_(loss.n_outputs()), width_(n_outputs_ + 3) {
  list_rare_values();
  part_.resize(width_);
  sums_.resize((n_ * n_ + 1) * width_);
  singles_.resize(n_ * width_);
  seen_.resize(static_cast<std::size_t>(columns.n_rows));
}

template <class Phi>
void PairSums<Phi>::list_rare_values() {
  const auto n_rows = static_cast<std::uint32_t>(columns_->n_rows);
  for (std::int32_t f = 0; f < columns_->n_features(); ++f) {
    const auto ones = std::ranges::count(columns_->rank_of(f), std::uint32_t{1});
    rare_rank_.push_back(2 * ones <= static_cast<std::int64_t>(n_rows) ? 1 : 0);
  }
  first_rare_.push_back(0);
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    for (std::int32_t f = 0; f < columns_->n_features(); ++f)
      if (is_rare(f, row)) rare_.push_back(static_cast<std::uint16_t>(f));
    first_rare_.push_back(static_cast<std::uint32_t>(rare_.size()));
  }
}

template <class Phi>
void PairSums<Phi>::add(std::uint32_t row, bool all_pairs, double* sums) {
  const double w = loss_->row_weight(row);
  const double* target = loss_->target(row);
  part_[0] = w;
  for (std::size_t k = 0; k < n_outputs_; ++k) part_[1 + k] = w * target[k];
  part_[1 + n_outputs_] = loss_->own(row);
  part_[2 + n_outputs_] = 1.0;
  double* const all = sums + n_ * n_ * width_;
  for (std::size_t c = 0; c < width_; ++c) all[c] += part_[c];
  const std::uint32_t begin = first_rare_[row], end = first_rare_[row + 1];
  const double* moments = part_.data();
  for (std::uint32_t i = begin; i < end; ++i) {
    double* of_column = sums + std::size_t{rare_[i]} * n_ * width_;
    const std::uint32_t last = all_pairs ? end : i + 1;
    if (width_ == 4) {  // one output, the common case
      const double w0 = moments[0], w1 = moments[1], w2 = moments[2], w3 = moments[3];
      for (std::uint32_t j = i; j < last; ++j) {
        double* const at = of_column + std::size_t{rare_[j]} * 4;
        at[0] += w0;
        at[1] += w1;
        at[2] += w2;
        at[3] += w3;
      }
    } else {
      for (std::uint32_t j = i; j < last; ++j) {
        double* const at = of_column + std::size_t{rare_[j]} * width_;
        for (std::size_t c = 0; c < width_; ++c) at[c] += moments[c];
      }
    }
  }
}

// Sums up rows; of the set `without`, those that are not among `rows`. False if a limit was
// reached.
template <class Phi>
bool PairSums<Phi>::add_rows(const RowSubset& rows, const KeyedRows* without, bool all_pairs,
                             Limits& limits, std::vector<double>& sums) {
  constexpr std::uint64_t kStepsPerPoll = 100'000;
  sums.assign(sums_.size(), 0.0);
  const RowSubset& from = without == nullptr ? rows : *without->rows;
  if (without != nullptr) {
    ++mark_;
    for (std::uint32_t r = 0; r < rows.size(); ++r) seen_[rows.row(r)] = mark_;
  }
  std::uint64_t steps = n_ * n_ * width_ / 8;
  for (std::uint32_t r = 0; r < from.size(); ++r) {
    const std::uint32_t row = from.row(r);
    if (without != nullptr && seen_[row] == mark_) continue;
    add(row, all_pairs, sums.data());
    const std::uint64_t rare = first_rare_[row + 1] - first_rare_[row];
    steps += rare * (all_pairs ? rare : 2) * width_ / 8 + width_;
    if (steps < kStepsPerPoll) continue;
    if (limits.stop(static_cast<std::uint32_t>(steps / 1000))) return false;
    steps = 0;
  }
  return !limits.stop(static_cast<std::uint32_t>((steps + 40 * n_ * n_) / 1000));
}

// The sums of the whole less those of the smaller side.
template <class Phi>
bool PairSums<Phi>::subtract(const RowSubset& rows, const Key& key, const KeyedRows& around,
                             Limits& limits) {
  if (!has_around_ || around_key_ != around.key) {
    has_around_ = false;
    if (!add_rows(*around.rows, nullptr, true, limits, around_)) return false;
    around_key_ = around.key;
    has_around_ = true;
  }
  has_side_ = false;
  if (!add_rows(rows, &around, true, limits, side_)) return false;
  side_key_ = around.key;
  side_key_ -= key;
  has_side_ = true;
  for (std::size_t f = 0; f < n_; ++f)
    for (std::size_t at = cell(f, f); at < cell(f + 1, 0); ++at)
      sums_[at] = around_[at] - side_[at];
  for (std::size_t at = cell(n_, 0); at < sums_.size(); ++at) sums_[at] = around_[at] - side_[at];
  return true;
}

template <class Phi>
bool PairSums<Phi>::add_up(const RowSubset& rows, const Key& key, bool all_pairs,
                           const KeyedRows* around, Limits& limits, Counters& counters) {
  constexpr double kEnough = 0.25;  // of the weight
  subtracted_ = false;
  bool done = true;
  if (all_pairs && has_side_ && side_key_ == key) {
    sums_.swap(side_);
    has_side_ = false;
  } else if (all_pairs && around != nullptr && 2 * rows.size() > around->rows->size()) {
    done = subtract(rows, key, *around, limits);
    const std::size_t weight = n_ * n_ * width_;
    subtracted_ = done && sums_[weight] >= kEnough * around_[weight];
    if (subtracted_) ++counters.subtracted_pairs;
    else done = done && add_rows(rows, nullptr, true, limits, sums_);
  } else {
    done = add_rows(rows, nullptr, all_pairs, limits, sums_);
  }
  for (std::size_t f = 0; f < n_; ++f)
    std::copy_n(sums_.data() + cell(f, f), width_, singles_.data() + f * width_);
  return done;
}

template class PairSums<Squares>;
template class PairSums<Logs>;

}  // namespace treeproof::threshold
