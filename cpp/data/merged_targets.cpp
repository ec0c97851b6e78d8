#include "data/merged_targets.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace treeproof {
namespace {

std::uint64_t mixed(std::uint64_t key, std::uint64_t value) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  key = (key ^ value) * kMix;
  return key ^ key >> 29;
}

class Table {
 public:
  Table(std::span<const std::int32_t> codes, std::span<const double> targets, std::size_t n_rows)
      : codes_(codes), targets_(targets), n_rows_(n_rows), n_columns_(codes.size() / n_rows),
        n_outputs_(targets.size() / n_rows) {}

  // A hash of each row and its number, sorted.
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted() const {
    std::vector<std::pair<std::uint64_t, std::size_t>> rows(n_rows_);
    for (std::size_t r = 0; r < n_rows_; ++r) rows[r].second = r;
    for (std::size_t f = 0; f < n_columns_; ++f)
      for (auto& [key, r] : rows) key = mixed(key, static_cast<std::uint64_t>(code(f, r)));
    for (std::size_t k = 0; k < n_outputs_; ++k)
      for (auto& [key, r] : rows)
        key = mixed(key, std::bit_cast<std::uint64_t>(target(r, k) + 0.0));  // -0.0 is 0.0
    std::ranges::sort(rows);
    return rows;
  }

  // Rows with equal hashes may still differ.
  bool equal(std::size_t a, std::size_t b) const {
    for (std::size_t f = 0; f < n_columns_; ++f)
      if (code(f, a) != code(f, b)) return false;
    for (std::size_t k = 0; k < n_outputs_; ++k)
      if (target(a, k) != target(b, k)) return false;
    return true;
  }

  MergedTargets rows_of(const std::vector<std::size_t>& kept) const {
    MergedTargets out;
    out.codes.reserve(kept.size() * n_columns_);
    for (std::size_t f = 0; f < n_columns_; ++f)
      for (const std::size_t r : kept) out.codes.push_back(code(f, r));
    out.targets.reserve(kept.size() * n_outputs_);
    for (const std::size_t r : kept)
      for (std::size_t k = 0; k < n_outputs_; ++k) out.targets.push_back(target(r, k));
    return out;
  }

 private:
  std::int32_t code(std::size_t f, std::size_t r) const { return codes_[f * n_rows_ + r]; }
  double target(std::size_t r, std::size_t k) const { return targets_[r * n_outputs_ + k]; }

  std::span<const std::int32_t> codes_;
  std::span<const double> targets_;
  std::size_t n_rows_, n_columns_, n_outputs_;
};

}  // namespace

MergedTargets merge_equal_rows(std::span<const std::int32_t> codes, std::span<const double> targets,
                               std::span<const double> weights) {
  if (weights.empty()) return {};
  const Table table(codes, targets, weights.size());
  std::vector<std::size_t> kept;
  std::vector<double> sums;
  for (std::uint64_t last = 0; const auto& [key, row] : table.sorted()) {
    if (kept.empty() || key != last || !table.equal(kept.back(), row)) {
      kept.push_back(row);
      sums.push_back(0.0);
    }
    sums.back() += weights[row];
    last = key;
  }
  MergedTargets out = table.rows_of(kept);
  out.weights = std::move(sums);
  return out;
}

}  // namespace treeproof
