// A table of ordered and categorical columns, sorted once.
//
// Every column comes as ranks of its distinct values and becomes the list of its rows in
// increasing order of rank. A search needs nothing else: a threshold is a position in a
// sorted list between two different ranks, and a category is a run of equal ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/limits.hpp"
#include "data/problem.hpp"

namespace treeproof {

struct Columns {
  std::int32_t n_rows = 0;
  std::vector<Feature> features;
  std::vector<std::uint32_t> order;                            // [feature * n_rows + position]: row
  std::span<const std::uint32_t> rank;                         // [feature * n_rows + row]
  std::shared_ptr<const std::vector<std::uint32_t>> own_rank;  // what `rank` shows; null: borrowed

  std::uint64_t bytes() const {
    return sizeof(std::uint32_t) * (order.size() + (own_rank == nullptr ? 0 : own_rank->size()));
  }
  std::int32_t n_features() const { return static_cast<std::int32_t>(features.size()); }
  FeatureKind kind(std::int32_t f) const { return features[static_cast<std::size_t>(f)].kind; }
  std::int32_t n_values(std::int32_t f) const {
    return features[static_cast<std::size_t>(f)].n_values;
  }
  std::span<const std::uint32_t> order_of(std::int32_t f) const {
    return std::span(order).subspan(offset(f), static_cast<std::size_t>(n_rows));
  }
  std::span<const std::uint32_t> rank_of(std::int32_t f) const {
    return rank.subspan(offset(f), static_cast<std::size_t>(n_rows));
  }

 private:
  std::size_t offset(std::int32_t f) const {
    return static_cast<std::size_t>(f) * static_cast<std::size_t>(n_rows);
  }
};

// `codes` is column-major, n_rows * features.size(), each below its feature's n_values. Throws
// `Stopped` when a limit (null: none) is hit.
Columns sort_columns(std::vector<Feature> features, std::span<const std::int32_t> codes,
                     std::int32_t n_rows, Limits* limits = nullptr);

// The same without a copy of the codes, which must outlive the columns.
Columns sort_borrowed(std::vector<Feature> features, std::span<const std::int32_t> codes,
                      std::int32_t n_rows, Limits* limits = nullptr);

}  // namespace treeproof
