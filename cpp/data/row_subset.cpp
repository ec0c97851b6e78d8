#include "data/row_subset.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "core/check.hpp"

namespace treeproof {
namespace {

constexpr std::uint32_t kOutside = std::uint32_t{1} << 31;

// True iff every row of `whole` is in exactly one of the parts.
bool partition(const RowSubset& whole, std::span<const RowSubset* const> parts) {
  std::vector<std::uint32_t> rows, all;
  for (const RowSubset* part : parts)
    for (std::uint32_t r = 0; r < part->size(); ++r) rows.push_back(part->row(r));
  for (std::uint32_t r = 0; r < whole.size(); ++r) all.push_back(whole.row(r));
  std::ranges::sort(rows);
  std::ranges::sort(all);
  return rows == all;
}

}  // namespace

void RowSubset::reserve(std::size_t size, std::size_t n_features, bool lists) {
  size_ = static_cast<std::uint32_t>(size);
  n_features_ = n_features;
  if (capacity_ <= size) {  // one slot stays spare: see distribute_two
    // Reserve a little more than requested, so that sets that grow slowly are not reallocated each
    // time.
    const std::size_t capacity = size + size / 4 + 16;
    lists_.reset();
    rows_ = std::make_unique_for_overwrite<std::uint32_t[]>(capacity);
    capacity_ = capacity;
  }
  if (lists && !lists_)
    lists_ = std::make_unique_for_overwrite<std::uint32_t[]>(capacity_ * n_features);
  shown_ = lists ? lists_.get() : nullptr;
}

RowSubset RowSubset::with_lists(const Columns& columns) const {
  constexpr std::uint32_t kOther = ~std::uint32_t{0};
  std::vector<std::uint32_t> local(static_cast<std::size_t>(columns.n_rows), kOther);
  for (std::uint32_t r = 0; r < size_; ++r) local[rows_[r]] = r;
  RowSubset out;
  out.reserve(size_, n_features_);
  std::copy_n(rows_.get(), size_, out.rows_.get());
  std::uint32_t* next = out.lists_.get();
  for (std::size_t f = 0; f < n_features_; ++f)
    for (const std::uint32_t row : columns.order_of(static_cast<std::int32_t>(f)))
      if (local[row] != kOther) *next++ = local[row];
  return out;
}

RowSubset RowSubset::whole(const Columns& columns) {
  RowSubset all;
  all.size_ = static_cast<std::uint32_t>(columns.n_rows);
  all.n_features_ = columns.features.size();
  all.rows_ = std::make_unique_for_overwrite<std::uint32_t[]>(all.size_);
  std::iota(all.rows_.get(), all.rows_.get() + all.size_, 0u);
  all.shown_ = columns.order.data();
  return all;
}

void Partitioner::cut(const RowSubset& from, std::int32_t f, std::uint32_t position,
                      RowSubset& left, RowSubset& right) {
  cut_out(from, f, 0, position, left, right);
}

void Partitioner::cut_out(const RowSubset& from, std::int32_t f, std::uint32_t first,
                          std::uint32_t last, RowSubset& inside, RowSubset& outside, bool lists) {
  const std::uint32_t m = from.size();
  place_.resize(m);
  std::ranges::fill(place_, kOutside);
  const std::uint32_t* list = from.list(f);
  for (std::uint32_t k = first; k < last; ++k) place_[list[k]] = 0;
  inside.reserve(last - first, from.n_features_, lists);
  outside.reserve(m - (last - first), from.n_features_, lists);
  distribute_two(from, inside, outside, lists);
  check(
      [&] {
        const std::array<const RowSubset*, 2> sides{&inside, &outside};
        return partition(from, sides);
      },
      "the two sides of a cut partition its rows");
}

// Branch-free: every row is written to both sides and one cursor advances, so the arrays
// need one spare slot; `reserve` always leaves some.
void Partitioner::distribute_two(const RowSubset& from, RowSubset& inside, RowSubset& outside,
                                 bool lists) {
  const std::uint32_t m = from.size();
  std::uint32_t next_in = 0;
  std::uint32_t next_out = 0;
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t out = place_[r] >> 31;
    inside.rows_[next_in] = from.rows_[r];
    outside.rows_[next_out] = from.rows_[r];
    place_[r] |= out != 0 ? next_out : next_in;
    next_out += out;
    next_in += 1 - out;
  }
  if (!lists) return;
  for (std::size_t f = 0; f < from.n_features_; ++f) {
    const std::uint32_t* list = from.shown_ + f * m;
    std::uint32_t* in = inside.lists_.get() + f * inside.size_;
    std::uint32_t* out = outside.lists_.get() + f * outside.size_;
    for (std::uint32_t k = 0; k < m; ++k) {
      const std::uint32_t place = place_[list[k]];
      const std::uint32_t outward = place >> 31;
      *in = place;
      *out = place & ~kOutside;
      out += outward;
      in += 1 - outward;
    }
  }
}

void Partitioner::keep(const RowSubset& from, const RowMask& mask, RowSubset& inside) {
  const std::uint32_t m = from.size();
  place_.resize(m);
  std::uint32_t n = 0;
  for (std::uint32_t r = 0; r < m; ++r) {
    const bool in = mask.holds(from.rows_[r]);
    place_[r] = in ? n : kOutside;
    n += in ? 1 : 0;
  }
  inside.reserve(n, from.n_features_);
  for (std::uint32_t r = 0; r < m; ++r)
    if (place_[r] != kOutside) inside.rows_[place_[r]] = from.rows_[r];
  // Branch-free: rows that do not belong to the set are overwritten by the next row; the last of
  // them is in the spare slot.
  for (std::size_t f = 0; f < from.n_features_; ++f) {
    const std::uint32_t* list = from.shown_ + f * m;
    std::uint32_t* in = inside.lists_.get() + f * n;
    for (std::uint32_t k = 0; k < m; ++k) {
      const std::uint32_t place = place_[list[k]];
      *in = place;
      in += 1 - (place >> 31);
    }
  }
}

void Partitioner::cut_runs(const RowSubset& from, std::int32_t f,
                           std::span<const std::uint32_t> starts, std::vector<RowSubset>& parts) {
  const std::uint32_t m = from.size();
  place_.resize(m);
  part_.resize(m);
  if (parts.size() < starts.size()) parts.resize(starts.size());
  const std::uint32_t* list = from.list(f);
  for (std::size_t p = 0; p < starts.size(); ++p) {
    const std::uint32_t end = p + 1 < starts.size() ? starts[p + 1] : m;
    parts[p].reserve(end - starts[p], from.n_features_);
    for (std::uint32_t k = starts[p]; k < end; ++k) part_[list[k]] = static_cast<std::uint32_t>(p);
  }
  std::vector<std::uint32_t> next(starts.size(), 0);
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t p = part_[r];
    place_[r] = next[p];
    parts[p].rows_[next[p]++] = from.rows_[r];
  }
  cursor_.resize(starts.size());
  for (std::size_t g = 0; g < from.n_features_; ++g) {
    for (std::size_t p = 0; p < starts.size(); ++p)
      cursor_[p] = parts[p].lists_.get() + g * parts[p].size_;
    const std::uint32_t* other = from.shown_ + g * m;
    for (std::uint32_t k = 0; k < m; ++k) *cursor_[part_[other[k]]]++ = place_[other[k]];
  }
  check(
      [&] {
        std::vector<const RowSubset*> all;
        for (std::size_t p = 0; p < starts.size(); ++p) all.push_back(&parts[p]);
        return partition(from, all);
      },
      "the children of a multiway split partition its rows");
}

std::uint32_t FeatureView::run_end(std::uint32_t position) const {
  const std::uint32_t rank = rank_at(position);
  std::uint32_t low = position;  // still in the run
  std::uint32_t step = 1;
  while (low + step < size_ && rank_at(low + step) == rank) {
    low += step;
    step *= 2;
  }
  std::uint32_t high = std::min(low + step, size_);  // beyond the run
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (rank_at(middle) == rank ? low : high) = middle;
  }
  return high;
}

std::uint32_t FeatureView::run_start(std::uint32_t position) const {
  const std::uint32_t rank = rank_at(position);
  std::uint32_t high = position;  // still in the run
  std::uint32_t step = 1;
  while (step <= high && rank_at(high - step) == rank) {
    high -= step;
    step *= 2;
  }
  if (high == 0) return 0;
  std::uint32_t low = step <= high ? high - step : 0;  // before the run, or unknown at 0
  if (rank_at(low) == rank) return low;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (rank_at(middle) == rank ? high : low) = middle;
  }
  return high;
}

std::uint32_t FeatureView::nearest_boundary(std::uint32_t wish, std::uint32_t low,
                                            std::uint32_t high) const {
  if (low > high || low == 0 || high >= size_) return 0;
  if (boundary(wish)) return wish;
  const std::uint32_t before = run_start(wish);
  const std::uint32_t after = run_end(wish);
  const bool before_ok = before >= low;
  const bool after_ok = after <= high;
  if (before_ok && (!after_ok || wish - before <= after - wish)) return before;
  return after_ok ? after : 0;
}

std::uint32_t FeatureView::lower_bound(std::uint32_t rank) const {
  std::uint32_t low = 0, high = size_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rank_at(middle) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}

std::vector<std::uint32_t> FeatureView::runs() const {
  std::vector<std::uint32_t> starts;
  for (std::uint32_t k = 0; k < size_; k = run_end(k)) starts.push_back(k);
  return starts;
}

}  // namespace treeproof
