#include "search/rules/hyperplanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "search/rules/pencil.hpp"

namespace treeproof::rules {
namespace {

constexpr std::size_t kMostDimensions = 16;  // determinants take 2^dimensions steps

// A set of points on a flat, with its hash.
struct Side {
  std::vector<Word> words;
  Word hash = 0;

  void put(std::size_t point, const RuleStore& store) {
    words[point / 64] |= Word{1} << (point % 64);
    hash ^= store.hash_of_point(point);
  }
};

class Enumeration {
 public:
  Enumeration(const Points& points, int family, RuleStore& store, const Allowance& allowance,
              Limits& limits)
      : points_(points), family_(family), store_(store), allowance_(allowance), limits_(limits),
        pencil_(points), base_(store.n_words()), candidate_(store.n_words()) {}

  Completeness all_flats() {
    const std::size_t k = points_.dimension - 1;
    std::vector<std::size_t> flat(k);
    std::iota(flat.begin(), flat.end(), std::size_t{0});
    const std::size_t n = points_.size();
    while (true) {
      const Completeness so_far = turn_about(flat, true);
      if (so_far != Completeness::complete) return so_far;
      std::size_t i = k;  // next combination in lexicographic order
      while (i > 0 && flat[i - 1] == n - k + i - 1) --i;
      if (i == 0) return Completeness::complete;
      ++flat[i - 1];
      for (; i < k; ++i) flat[i] = flat[i - 1] + 1;
    }
  }

  Completeness turn_about(std::span<const std::size_t> flat, bool first_basis_only) {
    if (!pencil_.turn_about(flat)) return Completeness::complete;
    const std::vector<std::size_t>& on = pencil_.on_flat();
    // A flat with more points than it needs comes up once for each of its bases. Any two
    // points are independent, so the first basis holds the two least points on the flat.
    if (first_basis_only && on.size() > flat.size() && flat.size() >= 2 &&
        std::ranges::any_of(on, [&](std::size_t p) { return p < flat[1] && p != flat[0]; }))
      return Completeness::complete;
    const std::vector<Side> sides = sides_of_flat(on, flat.size());
    std::ranges::fill(base_, Word{0});
    Word hash = 0;
    const auto toggle = [&](std::size_t point) {
      base_[point / 64] ^= Word{1} << (point % 64);
      hash ^= store_.hash_of_point(point);
    };
    for (const Ray& ray : pencil_.rays())
      if (!ray.flipped) toggle(ray.point);
    std::span<const Ray> rays = pencil_.rays();
    for (std::size_t i = 0; i < rays.size();) {
      for (const Side& side : sides) {
        for (std::size_t w = 0; w < base_.size(); ++w) candidate_[w] = base_[w] | side.words[w];
        store_.add(candidate_, hash ^ side.hash, family_);
      }
      const std::size_t stop = i;
      do toggle(rays[i++].point);
      while (i < rays.size() && rays[i].stop == rays[stop].stop);
      if (store_.size() > allowance_.max_rules || store_.bytes() > allowance_.max_bytes)
        return Completeness::too_many;
      const std::size_t words = base_.size() * sides.size();
      if (words > 256 && limits_.stop(static_cast<std::uint32_t>(words / 256)))
        return Completeness::stopped;
    }
    const auto work = static_cast<std::uint32_t>(1 + rays.size() * (sides.size() + 4) / 32);
    return limits_.stop(work) ? Completeness::stopped : Completeness::complete;
  }

 private:
  // Every set of points on the flat that a hyperplane of the flat has on one side.
  std::vector<Side> sides_of_flat(const std::vector<std::size_t>& on, std::size_t n_basis) {
    std::vector<Side> sides;
    const auto empty = [&] { return Side{std::vector<Word>(store_.n_words()), 0}; };
    if (on.size() == n_basis) {
      for (std::size_t subset = 0; subset < std::size_t{1} << n_basis; ++subset) {
        Side& side = sides.emplace_back(empty());
        for (std::size_t i = 0; i < n_basis; ++i)
          if ((subset >> i & 1) != 0) side.put(on[i], store_);
      }
      return sides;
    }
    // More points than a basis: the same problem inside the flat, whose points are told
    // apart by the columns that the pencil did not drop.
    const std::vector<std::size_t>& columns = pencil_.flat_columns();
    Points inside{columns.size(), {}};
    for (const std::size_t p : on)
      for (const std::size_t c : columns) inside.coordinates.push_back(points_.at(p, c));
    RuleStore found(on.size());
    add_hyperplanes(inside, 0, found, {}, limits_);
    sides.push_back(empty());
    Side& whole = sides.emplace_back(empty());
    for (const std::size_t p : on) whole.put(p, store_);
    for (std::size_t rule = 0; rule < found.size(); ++rule) {
      Side one = empty(), other = empty();
      for (std::size_t i = 0; i < on.size(); ++i)
        ((found.positive(rule)[i / 64] >> (i % 64) & 1) != 0 ? one : other).put(on[i], store_);
      sides.push_back(std::move(one));
      sides.push_back(std::move(other));
    }
    return sides;
  }

  const Points& points_;
  int family_;
  RuleStore& store_;
  const Allowance& allowance_;
  Limits& limits_;
  Pencil pencil_;
  std::vector<Word> base_;
  std::vector<Word> candidate_;
};

// Corners of a simplex can be separated in every way.
Completeness add_all_subsets(std::size_t n, int family, RuleStore& store,
                             const Allowance& allowance, Limits& limits) {
  std::vector<Word> subset(store.n_words());
  for (std::size_t bits = 2; bits < std::size_t{1} << n; bits += 2) {  // point 0 is negative
    subset[0] = bits;
    store.add(subset, family);
    if (store.size() > allowance.max_rules || store.bytes() > allowance.max_bytes)
      return Completeness::too_many;
    if (limits.stop(1)) return Completeness::stopped;
  }
  return Completeness::complete;
}

}  // namespace

Completeness add_hyperplanes(const Points& points, int family, RuleStore& store,
                             const Allowance& allowance, Limits& limits) {
  if (points.dimension <= 1) return add_thresholds(points, family, store, allowance, limits);
  if (points.size() <= points.dimension + 1 && points.size() < 40)
    return add_all_subsets(points.size(), family, store, allowance, limits);
  if (points.dimension > kMostDimensions)
    throw std::invalid_argument("too many dimensions to list all hyperplanes");
  return Enumeration(points, family, store, allowance, limits).all_flats();
}

Completeness add_hyperplanes_about(const Points& points, std::span<const std::int32_t> flats,
                                   int family, RuleStore& store, const Allowance& allowance,
                                   Limits& limits) {
  if (points.dimension <= 1) return add_thresholds(points, family, store, allowance, limits);
  if (points.dimension > kMostDimensions)
    throw std::invalid_argument("too many dimensions to list hyperplanes");
  Enumeration enumeration(points, family, store, allowance, limits);
  const std::size_t k = points.dimension - 1;
  std::vector<std::size_t> flat(k);
  for (std::size_t first = 0; first + k <= flats.size(); first += k) {
    for (std::size_t i = 0; i < k; ++i) flat[i] = static_cast<std::size_t>(flats[first + i]);
    const Completeness so_far = enumeration.turn_about(flat, false);
    if (so_far != Completeness::complete) return so_far;
  }
  return Completeness::complete;
}

Completeness add_thresholds(const Points& points, int family, RuleStore& store,
                            const Allowance& allowance, Limits& limits) {
  std::vector<std::size_t> order(points.size());
  std::vector<Word> below(store.n_words());
  for (std::size_t column = 0; column < points.dimension; ++column) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t p) { return points.at(p, column); });
    const auto is_cut = [&](std::size_t i) {
      return points.at(order[i], column) < points.at(order[i + 1], column);
    };
    std::size_t n_cuts = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) n_cuts += is_cut(i) ? 1 : 0;
    const std::size_t n_wanted = std::min(n_cuts, allowance.max_cuts);
    std::ranges::fill(below, Word{0});
    Word hash = 0;
    std::size_t cut = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      below[order[i] / 64] |= Word{1} << (order[i] % 64);
      hash ^= store.hash_of_point(order[i]);
      if (!is_cut(i)) continue;
      if (cut * n_wanted / n_cuts != (cut + 1) * n_wanted / n_cuts) store.add(below, hash, family);
      ++cut;
    }
    if (store.size() > allowance.max_rules || store.bytes() > allowance.max_bytes)
      return Completeness::too_many;
    if (limits.stop(static_cast<std::uint32_t>(1 + points.size() / 8)))
      return Completeness::stopped;
  }
  return Completeness::complete;
}

}  // namespace treeproof::rules
