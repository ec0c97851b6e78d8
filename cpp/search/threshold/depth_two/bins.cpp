#include "search/threshold/depth_two/bins.hpp"

#include <algorithm>
#include <bit>

#include "core/prefetch.hpp"

namespace treeproof::threshold {
namespace {

constexpr std::array<double, 24> kTau{0,  1,   2,   3,   4,   6,   9,    13,   19,  28,  42,  63,
                                      94, 141, 211, 316, 474, 711, 1066, 1600, 1e4, 1e5, 1e6, 1e18};

// The tolerance of the k-th attempt at dividing m rows into `wanted` bins. The last attempt puts
// everything into one bin, so some attempt always succeeds.
struct Generosity {
  double tau;
  std::int64_t cap;
};
Generosity generosity(const BinTargets& targets, std::size_t attempt, std::uint32_t m, int wanted) {
  if (attempt + 1 >= kTau.size()) return {1e300, m};
  if (targets.n_classes > 0)
    return {kTau[attempt] * targets.mean_weight, 2 * std::int64_t{m} / wanted + 1};
  const double even = static_cast<double>(m) / wanted;
  return {1e300, static_cast<std::int64_t>(even * (1.0 + 0.1 * static_cast<double>(attempt)))};
}

// Decides, group by group, whether a bin can take one more group of equal values.
class BinGrower {
 public:
  BinGrower(std::int32_t n_classes, Generosity generous)
      : counts_(static_cast<std::size_t>(n_classes)), generous_(generous) {}

  void clear() {
    std::ranges::fill(counts_, 0);
    rows_ = weight_ = majority_ = 0;
  }
  void add(std::size_t label, std::int64_t weight) {
    counts_[label] += weight;
    weight_ += weight;
    majority_ = std::max(majority_, counts_[label]);
  }
  void add_rows(std::int64_t rows) { rows_ += rows; }
  // True if the rows added so far may form one bin.
  bool fits() const {
    const auto impure = static_cast<double>(weight_ - majority_);
    return impure <= generous_.tau && (impure == 0.0 || rows_ <= generous_.cap);
  }

 private:
  std::vector<std::int64_t> counts_;
  Generosity generous_;
  std::int64_t rows_ = 0;
  std::int64_t weight_ = 0;
  std::int64_t majority_ = 0;
};

// Impurity bins of one sorted column. Writes the start of each bin and returns their number, or
// `wanted` + 1 as soon as there would be more than `wanted`.
int impurity_bins(const SortedTargets& sorted, std::int32_t n_classes, Generosity generous,
                  int wanted, std::uint32_t* starts) {
  BinGrower grower(n_classes, generous);
  int used = 0;
  const auto m = static_cast<std::uint32_t>(sorted.label.size());
  const auto add_group = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t k = from; k < to; ++k)
      grower.add(static_cast<std::size_t>(sorted.label[k]), sorted.weight[k]);
    grower.add_rows(to - from);
  };
  for (std::uint32_t k = 0; k < m;) {
    std::uint32_t end = k + 1;
    while (end < m && sorted.boundary[end] == 0) ++end;
    add_group(k, end);
    if (used == 0 || !grower.fits()) {
      if (used == wanted) return wanted + 1;
      starts[used++] = k;
      grower.clear();
      add_group(k, end);
    }
    k = end;
  }
  return used;
}

template <class Starts>
int quantile_bins(const FeatureView& view, int wanted, Starts starts) {
  const std::uint32_t m = view.size();
  int used = 0;
  std::uint32_t next = 0;  // where the bin after this one should start
  for (std::uint32_t k = 0; k < m; k = view.run_end(k)) {
    if (k < next || used == wanted) continue;
    starts[used++] = k;
    const auto left = static_cast<std::uint32_t>(wanted - used + 1);
    next = k + (m - k + left - 1) / left;
  }
  return used;
}

}  // namespace

void SortedTargets::gather(const BinTargets& targets, std::span<const std::uint32_t> rank,
                           std::span<const std::uint32_t> rows) {
  label.resize(rows.size());
  weight.resize(rows.size());
  boundary.resize(rows.size());
  std::uint32_t before = ~0u;
  const std::uint32_t ask_until = prefetch_until(static_cast<std::uint32_t>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k < ask_until) {
      const std::uint32_t next = rows[k + kRowsAhead];
      prefetch(&targets.labels[next]);
      prefetch(&targets.weights[next]);
      prefetch(&rank[next]);
    }
    label[k] = targets.labels[rows[k]];
    weight[k] = targets.weights[rows[k]];
    boundary[k] = rank[rows[k]] != before ? 1 : 0;
    before = rank[rows[k]];
  }
}

ColumnCodes make_codes(const Columns& columns, const BinTargets& targets, Limits* limits) {
  ColumnCodes out;
  for (std::int32_t f = 0; f < columns.n_features(); ++f)
    if (columns.kind(f) == FeatureKind::ordered) out.features.push_back(f);
  const auto n = static_cast<std::uint32_t>(columns.n_rows);
  const std::size_t lanes = out.features.size();
  out.codes.resize(static_cast<std::size_t>(n) * lanes);
  const bool quantiles = targets.n_classes == 0;
  const RowSubset all = quantiles ? RowSubset::whole(columns) : RowSubset();
  SortedTargets sorted;
  const std::uint32_t ask_until = prefetch_until(n);
  std::array<std::uint32_t, ColumnCodes::kMaxCodes + 1> starts{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::int32_t f = out.features[lane];
    const auto list = columns.order_of(f);
    int used = 0;
    if (quantiles) {
      used = quantile_bins(FeatureView(columns, all, f), ColumnCodes::kMaxCodes, starts.data());
    } else {
      sorted.gather(targets, columns.rank_of(f), list);
      if (limits != nullptr) limits->prepare(n);
      for (std::size_t attempt = 0;; ++attempt) {
        const Generosity g = generosity(targets, attempt, n, ColumnCodes::kMaxCodes);
        used = impurity_bins(sorted, targets.n_classes, g, ColumnCodes::kMaxCodes, starts.data());
        if (used <= ColumnCodes::kMaxCodes) break;
      }
    }
    if (limits != nullptr) limits->prepare(n);
    for (int b = 0; b < used; ++b) {
      const std::uint32_t end = b + 1 < used ? starts[static_cast<std::size_t>(b) + 1] : n;
      for (std::uint32_t k = starts[static_cast<std::size_t>(b)]; k < end; ++k) {
        if (k < ask_until) prefetch(&out.codes[list[k + kRowsAhead] * lanes + lane]);
        out.codes[list[k] * lanes + lane] = static_cast<std::uint8_t>(b);
      }
    }
    out.n_codes.push_back(used);
  }
  return out;
}

void SubsetBins::cut(const RowSubset& rows) {
  const auto m = static_cast<int>(rows.size());
  const std::size_t lanes = codes_->features.size();
  bins_.resize(static_cast<std::size_t>(m) * lanes);
  starts_.resize(lanes * (kMaxBins + 1));
  several_.resize(lanes * kMaxBins);
  n_bins_ = 1;
  if (m <= 600) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      cut_small(rows, static_cast<int>(lane), std::min(most_bins_, std::max(12, m / 6)));
  } else {
    merge_codes(rows, std::min(most_bins_, std::clamp(m / 16, 16, kMaxBins)));
  }
}

bool SubsetBins::cut(const RowSubset& rows, const KeyedRows* around) {
  constexpr std::uint32_t kFew = 4;  // so many times smaller sets get bins of their own
  if (around == nullptr || rows.size() < around->rows->size() / kFew) {
    cut(rows);
    return false;
  }
  if (around_ != around->key) {
    around_ = around->key;
    around_kept_ = false;
    cut(rows);
    return false;
  }
  if (!around_kept_) keep_for_parts(*around);
  take_over(rows);
  return true;
}

void SubsetBins::keep_for_parts(const KeyedRows& around) {
  const std::size_t lanes = codes_->features.size();
  cut(*around.rows);
  around_bins_.resize(codes_->codes.size());
  for (std::uint32_t r = 0; r < around.rows->size(); ++r)
    std::copy_n(row_bins(r), lanes, around_bins_.data() + around.rows->row(r) * lanes);
  n_around_bins_ = n_bins_;
  around_kept_ = true;
}

void SubsetBins::take_over(const RowSubset& rows) {
  const std::size_t lanes = codes_->features.size();
  const std::uint32_t m = rows.size();
  bins_.resize(m * lanes);
  code_rows_.assign(lanes * kMaxBins, 0);
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint8_t* from = around_bins_.data() + rows.row(r) * lanes;
    std::uint8_t* bin = bins_.data() + r * lanes;
    for (std::size_t l = 0; l < lanes; ++l) {
      bin[l] = from[l];
      ++code_rows_[l * kMaxBins + from[l]];
    }
  }
  n_bins_ = 1;
  for (std::size_t l = 0; l < lanes; ++l) {
    std::uint32_t* starts = starts_.data() + l * (kMaxBins + 1);
    std::uint32_t position = 0;
    for (int b = 0; b < n_around_bins_; ++b) {
      starts[b] = position;
      position += code_rows_[l * kMaxBins + static_cast<std::size_t>(b)];
    }
    finish_lane(rows, static_cast<int>(l), n_around_bins_);
  }
}

void SubsetBins::cut_small(const RowSubset& rows, int lane, int wanted) {
  const auto l = static_cast<std::size_t>(lane);
  const std::int32_t f = codes_->features[l];
  const std::uint32_t* list = rows.list(f);
  std::uint32_t* starts = starts_.data() + l * (kMaxBins + 1);
  const std::uint32_t m = rows.size();
  int used = 0;
  if (targets_.n_classes == 0) {
    used = quantile_bins(FeatureView(*columns_, rows, f), wanted, starts);
  } else {
    std::vector<std::uint8_t>& warm = warm_tau_[std::bit_width(m)];
    warm.resize(codes_->features.size(), 2);
    std::size_t attempt = warm[l] > 0 ? warm[l] - 1u : 0u;
    sorted_rows_.resize(m);
    for (std::uint32_t k = 0; k < m; ++k) sorted_rows_[k] = rows.row(list[k]);
    sorted_.gather(targets_, columns_->rank_of(f), sorted_rows_);
    for (;; ++attempt) {
      used = impurity_bins(sorted_, targets_.n_classes, generosity(targets_, attempt, m, wanted),
                           wanted, starts);
      if (used <= wanted) break;
    }
    warm[l] = static_cast<std::uint8_t>(attempt);
  }
  const std::size_t stride = codes_->features.size();
  for (int b = 0; b < used; ++b) {
    const std::uint32_t end = b + 1 < used ? starts[b + 1] : m;
    for (std::uint32_t k = starts[b]; k < end; ++k)
      bins_[list[k] * stride + l] = static_cast<std::uint8_t>(b);
  }
  finish_lane(rows, lane, used);
}

void SubsetBins::finish_lane(const RowSubset& rows, int lane, int used) {
  const auto l = static_cast<std::size_t>(lane);
  const FeatureView view(*columns_, rows, codes_->features[l]);
  std::uint32_t* starts = starts_.data() + l * (kMaxBins + 1);
  for (int b = used; b <= kMaxBins; ++b) starts[b] = rows.size();
  for (int b = 0; b < kMaxBins; ++b) {
    const std::uint32_t from = starts[b];
    const std::uint32_t to = starts[b + 1];
    several_[l * kMaxBins + static_cast<std::size_t>(b)] =
        to > from + 1 && view.rank_at(from) != view.rank_at(to - 1);
  }
  n_bins_ = std::max(n_bins_, used);
}

void SubsetBins::merge_codes(const RowSubset& rows, int wanted) {
  constexpr std::size_t kCodes = ColumnCodes::kMaxCodes + 1;
  const std::size_t lanes = codes_->features.size();
  const auto classes = static_cast<std::size_t>(targets_.n_classes);
  const std::uint32_t m = rows.size();
  code_rows_.assign(lanes * kCodes, 0);
  code_weights_.assign(lanes * kCodes * classes, 0);
  code_bin_.resize(lanes * kCodes);
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint32_t row = rows.row(r);
    const std::uint8_t* code = codes_->codes.data() + row * lanes;
    if (classes > 0) {
      const auto label = static_cast<std::size_t>(targets_.labels[row]);
      const std::int64_t weight = targets_.weights[row];
      for (std::size_t l = 0; l < lanes; ++l) {
        ++code_rows_[l * kCodes + code[l]];
        code_weights_[(l * kCodes + code[l]) * classes + label] += weight;
      }
    } else {
      for (std::size_t l = 0; l < lanes; ++l) ++code_rows_[l * kCodes + code[l]];
    }
  }
  std::vector<std::uint8_t>& warm = warm_tau_[std::bit_width(m)];
  warm.resize(lanes, 4);
  for (std::size_t l = 0; l < lanes; ++l) {
    std::size_t attempt = warm[l] > 0 ? warm[l] - 1u : 0u;
    int used = 0;
    for (;; ++attempt) {
      used = merge_lane(static_cast<int>(l), wanted, attempt, m);
      if (used <= wanted) break;
    }
    warm[l] = static_cast<std::uint8_t>(attempt);
    finish_lane(rows, static_cast<int>(l), used);
  }
  for (std::uint32_t r = 0; r < m; ++r) {
    const std::uint8_t* code = codes_->codes.data() + rows.row(r) * lanes;
    std::uint8_t* bin = bins_.data() + r * lanes;
    for (std::size_t l = 0; l < lanes; ++l) bin[l] = code_bin_[l * kCodes + code[l]];
  }
}

int SubsetBins::merge_lane(int lane, int wanted, std::size_t attempt, std::uint32_t m) {
  constexpr std::size_t kCodes = ColumnCodes::kMaxCodes + 1;
  const auto l = static_cast<std::size_t>(lane);
  const auto classes = static_cast<std::size_t>(targets_.n_classes);
  std::uint32_t* starts = starts_.data() + l * (kMaxBins + 1);
  const Generosity generous = generosity(targets_, attempt, m, wanted);
  bin_weights_.assign(classes, 0);
  std::int64_t weight = 0;
  std::int64_t bin_rows = 0;
  std::uint32_t position = 0;
  int used = 0;
  for (std::size_t code = 0; code < static_cast<std::size_t>(codes_->n_codes[l]); ++code) {
    const std::uint32_t count = code_rows_[l * kCodes + code];
    if (count == 0) continue;
    const std::int64_t* w = code_weights_.data() + (l * kCodes + code) * classes;
    bool fits = used > 0;
    if (fits) {
      std::int64_t most = 0;
      std::int64_t all = weight;
      for (std::size_t c = 0; c < classes; ++c) {
        most = std::max(most, bin_weights_[c] + w[c]);
        all += w[c];
      }
      const bool pure = classes > 0 && all == most;
      fits = static_cast<double>(all - most) <= generous.tau &&
             (pure || bin_rows + count <= generous.cap);
    }
    if (!fits) {
      if (used == wanted) return wanted + 1;
      starts[used++] = position;
      std::ranges::fill(bin_weights_, 0);
      weight = 0;
      bin_rows = 0;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      bin_weights_[c] += w[c];
      weight += w[c];
    }
    bin_rows += count;
    position += count;
    code_bin_[l * kCodes + code] = static_cast<std::uint8_t>(used - 1);
  }
  return used;
}

}  // namespace treeproof::threshold
