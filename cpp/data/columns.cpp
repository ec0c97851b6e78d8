#include "data/columns.hpp"

namespace treeproof {

namespace {

Columns sort_ranks(std::vector<Feature> features, std::span<const std::uint32_t> ranks,
                   std::int32_t n_rows, Limits* limits) {
  const auto n = static_cast<std::size_t>(n_rows);
  Columns columns;
  columns.n_rows = n_rows;
  columns.order.resize(ranks.size());
  columns.rank = ranks;
  std::vector<std::uint32_t> start;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::uint32_t* rank = columns.rank.data() + f * n;
    std::uint32_t* order = columns.order.data() + f * n;
    start.assign(static_cast<std::size_t>(features[f].n_values) + 1, 0);
    for (std::size_t r = 0; r < n; ++r) ++start[rank[r] + 1];
    for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
    prepare_in_blocks(limits, n, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t r = from; r < to; ++r)
        order[start[rank[r]]++] = static_cast<std::uint32_t>(r);
    });
  }
  columns.features = std::move(features);
  return columns;
}

}  // namespace

Columns sort_columns(std::vector<Feature> features, std::span<const std::int32_t> codes,
                     std::int32_t n_rows, Limits* limits) {
  const auto own = std::make_shared<const std::vector<std::uint32_t>>(codes.begin(), codes.end());
  Columns columns = sort_ranks(std::move(features), *own, n_rows, limits);
  columns.own_rank = own;
  return columns;
}

Columns sort_borrowed(std::vector<Feature> features, std::span<const std::int32_t> codes,
                      std::int32_t n_rows, Limits* limits) {
  // Codes are not negative, and a signed integer may be read as the unsigned one.
  const auto* ranks = reinterpret_cast<const std::uint32_t*>(codes.data());
  return sort_ranks(std::move(features), {ranks, codes.size()}, n_rows, limits);
}

}  // namespace treeproof
