#include "bounds/prices/points.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "bounds/prices/join_columns.hpp"
#include "core/index.hpp"

namespace treeproof::prices {
namespace {

// A column of two values offers a leaf the same choices however it is split: either value or both.
Choice choice_of(FeatureKind kind, std::int32_t n_values) {
  if (kind == FeatureKind::ordered || n_values == 2) return Choice::interval;
  return kind == FeatureKind::multiway ? Choice::one_or_all : Choice::subset;
}

// Whether the column before this one has the same categories, split with a child for each, and this
// one is split into subsets. What a leaf can keep of both together, one category or a set of them,
// it can keep of this column alone, so the other one is superfluous.
bool repeats(const std::vector<PointColumn>& before, const PointColumn& column) {
  return !before.empty() && before.back().choice == Choice::one_or_all &&
         column.choice == Choice::subset && before.back().code == column.code;
}

// Returns the rows in an order in which equal rows are neighbours (a radix sort by column).
template <class Code>
std::vector<std::int32_t> sorted_rows(std::span<const Feature> features,
                                      std::span<const Code> codes, std::size_t n) {
  std::vector<std::int32_t> order(n);
  std::vector<std::int32_t> next(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::size_t> start;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const std::span<const Code> column = codes.subspan(f * n, n);
    start.assign(index(features[f].n_values) + 1, 0);
    for (const Code code : column) ++start[static_cast<std::size_t>(code) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (const std::int32_t row : order)
      next[start[static_cast<std::size_t>(column[index(row)])]++] = row;
    order.swap(next);
  }
  return order;
}

template <class Code>
std::optional<Points> merge(std::span<const Feature> features, std::span<const Code> codes,
                            std::span<const std::int32_t> labels, std::int32_t n_classes,
                            std::span<const Weight> weights) {
  const std::size_t n = labels.size();
  const std::vector<std::int32_t> order = sorted_rows(features, codes, n);
  Points points;
  points.n_classes = n_classes;
  points.point_of.resize(n);
  std::vector<std::int32_t> first;  // per point: one of its rows
  for (std::size_t at = 0; at < n; ++at) {
    const std::size_t row = index(order[at]);
    const auto differs = [&](std::size_t f) {
      return codes[f * n + row] != codes[f * n + index(order[at - 1])];
    };
    bool is_new = at == 0;
    for (std::size_t f = 0; f < features.size() && !is_new; ++f) is_new = differs(f);
    if (is_new) first.push_back(order[at]);
    points.point_of[row] = static_cast<std::int32_t>(first.size()) - 1;
  }
  points.weight.assign(first.size(), 0);
  points.class_weight.assign(first.size() * index(n_classes), 0);
  for (std::size_t row = 0; row < n; ++row) {
    const std::size_t point = index(points.point_of[row]);
    points.weight[point] += weights[row];
    points.class_weight[index(labels[row]) * first.size() + point] += weights[row];
    points.total_weight += weights[row];
  }
  std::vector<std::int32_t> rank;
  for (std::size_t f = 0; f < features.size(); ++f) {
    rank.assign(index(features[f].n_values) + 1, 0);
    for (const std::int32_t row : first)
      rank[static_cast<std::size_t>(codes[f * n + index(row)]) + 1] = 1;
    std::partial_sum(rank.begin(), rank.end(), rank.begin());
    const std::int32_t n_values = rank.back();
    if (n_values < 2) continue;
    if (n_values > std::numeric_limits<std::uint16_t>::max() / 2) return std::nullopt;
    PointColumn column{choice_of(features[f].kind, n_values), n_values, {}};
    column.code.reserve(first.size());
    for (const std::int32_t row : first)
      column.code.push_back(
          static_cast<std::uint16_t>(rank[static_cast<std::size_t>(codes[f * n + index(row)])]));
    points.splits.push_back(column);
    if (repeats(points.columns, column)) points.columns.pop_back();
    points.columns.push_back(std::move(column));
  }
  join_columns(points.columns);
  return points;
}

// Returns the column for some of the points, with their values numbered from 0 again.
PointColumn part_of(const PointColumn& column, std::span<const std::int32_t> members) {
  std::vector<std::uint16_t> rank(index(column.n_values) + 1, 0);
  for (const std::int32_t i : members) rank[std::size_t{column.code[index(i)]} + 1] = 1;
  std::partial_sum(rank.begin(), rank.end(), rank.begin());
  PointColumn part{column.choice, rank.back(), {}};
  if (part.n_values == 2) part.choice = Choice::interval;
  part.code.reserve(members.size());
  for (const std::int32_t i : members) part.code.push_back(rank[column.code[index(i)]]);
  return part;
}

}  // namespace

Points restricted_to(const Points& points, std::span<const std::int32_t> members) {
  Points part;
  part.n_classes = points.n_classes;
  const auto keep = [&](const std::vector<PointColumn>& from, std::vector<PointColumn>& to) {
    for (const PointColumn& column : from) {
      PointColumn own = part_of(column, members);
      if (own.n_values >= 2) to.push_back(std::move(own));
    }
  };
  keep(points.columns, part.columns);
  keep(points.splits, part.splits);
  for (const std::int32_t i : members) {
    part.weight.push_back(points.weight[index(i)]);
    part.total_weight += points.weight[index(i)];
  }
  for (std::size_t k = 0; k < index(points.n_classes); ++k)
    for (const std::int32_t i : members)
      part.class_weight.push_back(points.class_weight[k * points.weight.size() + index(i)]);
  return part;
}

bool are_priceable(const Points& points) {
  constexpr std::int64_t kMostCells = 4'000'000;
  return points.size() * static_cast<std::int64_t>(points.columns.size()) <= kMostCells;
}

std::optional<Points> make_points(std::span<const Feature> features,
                                  std::span<const std::int32_t> codes,
                                  std::span<const std::int32_t> labels, std::int32_t n_classes,
                                  std::span<const Weight> weights) {
  return merge(features, codes, labels, n_classes, weights);
}

std::optional<Points> make_points(const Columns& columns, std::span<const std::int32_t> labels,
                                  std::int32_t n_classes, std::span<const Weight> weights) {
  return merge(std::span<const Feature>(columns.features), columns.rank, labels, n_classes,
               weights);
}

}  // namespace treeproof::prices
