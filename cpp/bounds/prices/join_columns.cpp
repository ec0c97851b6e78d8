#include "bounds/prices/join_columns.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "core/index.hpp"

namespace treeproof::prices {
namespace {

// The set of points that have one value of a column, one bit for each point.
struct PointSet {
  std::vector<std::uint64_t> bits;
  std::size_t size = 0;

  bool has(std::size_t i) const { return (bits[i / 64] >> (i % 64) & 1) != 0; }
  friend bool operator==(const PointSet& a, const PointSet& b) { return a.bits == b.bits; }
};

PointSet points_with(const PointColumn& column, std::uint16_t value) {
  PointSet set{std::vector<std::uint64_t>((column.code.size() + 63) / 64, 0), 0};
  for (std::size_t i = 0; i < column.code.size(); ++i) {
    if (column.code[i] != value) continue;
    set.bits[i / 64] |= std::uint64_t{1} << (i % 64);
    ++set.size;
  }
  return set;
}

bool is_subset(const PointSet& a, const PointSet& b) {
  for (std::size_t w = 0; w < a.bits.size(); ++w)
    if ((a.bits[w] & ~b.bits[w]) != 0) return false;
  return true;
}

bool are_disjoint(const PointSet& a, const PointSet& b) {
  for (std::size_t w = 0; w < a.bits.size(); ++w)
    if ((a.bits[w] & b.bits[w]) != 0) return false;
  return true;
}

// The two point sets of a two-valued column. The first is the one without point 0, so that a column
// and its mirror image, in which the values are exchanged, are equal.
struct Pair {
  PointSet sides[2];
};

// Point sets of which each is a subset of the next, as the thresholds of a number are.
using Chain = std::vector<PointSet>;

bool insert_into(Chain& chain, const Pair& pair) {
  for (const PointSet& set : pair.sides) {
    const auto at = std::ranges::lower_bound(chain, set.size, {}, &PointSet::size);
    if (at != chain.begin() && !is_subset(*std::prev(at), set)) continue;
    if (at != chain.end() && !is_subset(set, *at)) continue;
    chain.insert(at, set);
    return true;
  }
  return false;
}

PointColumn as_column(const Chain& chain, std::size_t n) {
  PointColumn column{Choice::interval, static_cast<std::int32_t>(chain.size()) + 1, {}};
  column.code.assign(n, static_cast<std::uint16_t>(chain.size()));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t v = 0; v < chain.size(); ++v)
      if (chain[v].has(i)) {
        column.code[i] = static_cast<std::uint16_t>(v);
        break;
      }
  return column;
}

// Removes from `pairs` a group of at least three sets that are disjoint and together cover all
// points, as the indicators of categories are. The group is built greedily, beginning with the pair
// `from`; it is empty if there is none.
std::vector<PointSet> take_group(std::vector<Pair>& pairs, std::size_t from, std::size_t n) {
  for (int side = 0; side < 2; ++side) {
    std::vector<PointSet> group{pairs[from].sides[side]};
    std::vector<std::size_t> members{from};
    std::size_t covered = group.front().size;
    for (std::size_t p = 0; p < pairs.size() && covered < n; ++p) {
      if (p == from) continue;
      for (const PointSet& set : pairs[p].sides) {
        const bool fits = std::ranges::all_of(
            group, [&](const PointSet& other) { return are_disjoint(set, other); });
        if (!fits) continue;
        group.push_back(set);
        members.push_back(p);
        covered += set.size;
        break;
      }
    }
    if (covered < n || group.size() < 3) continue;
    std::ranges::sort(members, std::greater<>());
    for (const std::size_t p : members) pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(p));
    return group;
  }
  return {};
}

PointColumn as_category(std::span<const PointSet> group, std::size_t n) {
  PointColumn column{Choice::subset, static_cast<std::int32_t>(group.size()), {}};
  column.code.resize(n);
  for (std::size_t v = 0; v < group.size(); ++v)
    for (std::size_t i = 0; i < n; ++i)
      if (group[v].has(i)) column.code[i] = static_cast<std::uint16_t>(v);
  return column;
}

// Whether the values of a category column determine on which side of the pair every point lies. A
// box can keep any set of the category's values, so the pair would add no box.
bool tells(const PointColumn& category, const Pair& pair) {
  std::vector<std::uint8_t> side(index(category.n_values), 2);
  for (std::size_t i = 0; i < category.code.size(); ++i) {
    std::uint8_t& known = side[category.code[i]];
    const auto own = static_cast<std::uint8_t>(pair.sides[0].has(i) ? 1 : 0);
    if (known == 2) known = own;
    if (known != own) return false;
  }
  return true;
}

}  // namespace

void join_columns(std::vector<PointColumn>& columns) {
  if (columns.empty()) return;
  const std::size_t n = columns.front().code.size();
  std::vector<Pair> pairs;
  std::vector<PointColumn> joined;
  for (PointColumn& column : columns) {
    if (column.n_values != 2) {
      joined.push_back(std::move(column));
      continue;
    }
    const std::uint16_t first = column.code[0];
    Pair pair{
        {points_with(column, static_cast<std::uint16_t>(1 - first)), points_with(column, first)}};
    const bool repeated = std::ranges::any_of(
        pairs, [&](const Pair& other) { return other.sides[0] == pair.sides[0]; });
    if (!repeated) pairs.push_back(std::move(pair));
  }
  for (std::size_t p = 0; p < pairs.size();) {
    const std::vector<PointSet> group = take_group(pairs, p, n);
    if (group.empty()) {
      ++p;
      continue;
    }
    joined.push_back(as_category(group, n));
    std::erase_if(pairs, [&](const Pair& pair) { return tells(joined.back(), pair); });
    p = 0;
  }
  std::vector<Chain> chains;
  for (const Pair& pair : pairs) {
    const bool placed =
        std::ranges::any_of(chains, [&](Chain& chain) { return insert_into(chain, pair); });
    if (!placed) chains.push_back({pair.sides[0]});
  }
  for (const Chain& chain : chains) joined.push_back(as_column(chain, n));
  columns = std::move(joined);
}

}  // namespace treeproof::prices
