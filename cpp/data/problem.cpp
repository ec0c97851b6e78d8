#include "data/problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "data/weights.hpp"

namespace treeproof {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x7fb5d329728ea185ULL;
  x ^= x >> 27;
  x *= 0x81dadef4bc2dd44dULL;
  return x ^ (x >> 33);
}

std::vector<Test> make_tests(const std::vector<Feature>& features) {
  std::vector<Test> tests;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const auto feature = static_cast<std::int32_t>(f);
    const std::int32_t n = features[f].n_values;
    if (n < 2) continue;
    switch (features[f].kind) {
      case FeatureKind::ordered:
        for (std::int32_t c = 0; c + 1 < n; ++c)
          tests.push_back({feature, TestKind::threshold, c, 2});
        break;
      case FeatureKind::multiway: tests.push_back({feature, TestKind::multiway, 0, n}); break;
      case FeatureKind::one_vs_rest:
        // With two categories both equality tests make the same partition.
        for (std::int32_t c = 0; c < (n == 2 ? 1 : n); ++c)
          tests.push_back({feature, TestKind::equals, c, 2});
        break;
    }
  }
  return tests;
}

// Groups of rows with equal codes: a group number for each row.
struct Groups {
  std::vector<std::int32_t> of;
  std::size_t count = 0;
};

// Uses a hash table with open addressing, and compares rows completely.
Groups hash_rows(std::span<const std::int32_t> codes, std::size_t n, std::size_t n_features,
                 Limits* limits) {
  // Row-major copy, so that comparing two rows touches two cache lines, not n_features.
  std::vector<std::int32_t> by_row(n * n_features);
  for (std::size_t f = 0; f < n_features; ++f)
    prepare_in_blocks(limits, n, 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t r = from; r < to; ++r) by_row[r * n_features + f] = codes[f * n + r];
    });
  const auto row_codes = [&](std::size_t r) {
    return std::span<const std::int32_t>(by_row).subspan(r * n_features, n_features);
  };
  struct Place {
    std::uint64_t hash = 0;
    std::int32_t group = -1;  // not used yet
  };
  std::vector<Place> places(std::bit_ceil(2 * n + 1));
  std::vector<std::size_t> representative;  // a row of each group
  Groups groups;
  groups.of.resize(n);
  prepare_in_blocks(limits, n, n_features + 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t r = from; r < to; ++r) {
      std::uint64_t h = 0x9e3779b97f4a7c15ULL;
      for (const std::int32_t c : row_codes(r))
        h = mix(h + static_cast<std::uint64_t>(c) + 0x9e3779b97f4a7c15ULL);
      std::size_t at = h & (places.size() - 1);
      while (places[at].group >= 0) {
        const std::size_t other = representative[static_cast<std::size_t>(places[at].group)];
        if (places[at].hash == h && std::ranges::equal(row_codes(r), row_codes(other))) break;
        at = (at + 1) & (places.size() - 1);
      }
      if (places[at].group < 0) {
        places[at] = {h, static_cast<std::int32_t>(representative.size())};
        representative.push_back(r);
      }
      groups.of[r] = places[at].group;
    }
  });
  groups.count = representative.size();
  return groups;
}

Groups group_rows(const std::vector<Feature>& features, std::span<const std::int32_t> codes,
                  std::size_t n, Limits* limits) {
  if (!all_rows_differ(features, codes, n)) return hash_rows(codes, n, features.size(), limits);
  Groups groups{std::vector<std::int32_t>(n), n};
  std::iota(groups.of.begin(), groups.of.end(), 0);
  return groups;
}

// Sorts rows by a key below `n_keys`; rows of equal keys keep their order.
std::vector<std::size_t> sort_by(std::span<const std::int32_t> key, std::size_t n_keys,
                                 const std::vector<std::size_t>& rows, Limits* limits) {
  std::vector<std::size_t> start(n_keys + 1, 0);
  for (const std::size_t r : rows) ++start[static_cast<std::size_t>(key[r]) + 1];
  for (std::size_t k = 1; k <= n_keys; ++k) start[k] += start[k - 1];
  std::vector<std::size_t> sorted(rows.size());
  prepare_in_blocks(limits, rows.size(), 2, [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k)
      sorted[start[static_cast<std::size_t>(key[rows[k]])]++] = rows[k];
  });
  return sorted;
}

}  // namespace

bool all_rows_differ(std::span<const Feature> features, std::span<const std::int32_t> codes,
                     std::size_t n_rows) {
  std::vector<bool> seen;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const auto n_values = static_cast<std::size_t>(std::max(0, features[f].n_values));
    if (n_values < n_rows) continue;
    seen.assign(n_values, false);
    const auto of_feature = codes.subspan(f * n_rows, n_rows);
    const bool repeated = std::ranges::any_of(of_feature, [&](std::int32_t code) {
      const bool before = seen[static_cast<std::size_t>(code)];
      seen[static_cast<std::size_t>(code)] = true;
      return before;
    });
    if (!repeated) return true;
  }
  return false;
}

Problem merge_rows(std::vector<Feature> features, std::span<const std::int32_t> codes,
                   std::span<const std::int32_t> labels, std::int32_t n_classes,
                   std::span<const double> weights, std::span<const std::int32_t> names,
                   Limits* limits) {
  const std::size_t n = labels.size();
  const std::size_t n_features = features.size();
  const double scale = weight_scale(weights);
  const Groups groups = group_rows(features, codes, n, limits);
  const std::vector<std::int32_t>& group_of = groups.of;

  // Merge (label, group); real weights are summed before they are rounded.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  order = sort_by(group_of, groups.count, order, limits);
  order = sort_by(labels, static_cast<std::size_t>(n_classes), order, limits);
  Problem p;
  p.n_classes = n_classes;
  std::vector<std::size_t> source;
  // Memory that is reserved and not written to costs nothing.
  source.reserve(n);
  p.label.reserve(n);
  p.weight.reserve(n);
  p.samples.reserve(n);
  p.group.reserve(n);
  for (std::size_t k = 0; k < n;) {
    const std::size_t first = order[k];
    double sum = 0.0;
    std::int64_t count = 0;
    for (; k < n && labels[order[k]] == labels[first] && group_of[order[k]] == group_of[first];
         ++k) {
      sum += weights[order[k]];
      ++count;
    }
    const Weight rounded = whole_weight(sum, scale);
    source.push_back(first);
    p.label.push_back(labels[first]);
    p.weight.push_back(rounded);
    p.samples.push_back(count);
    p.group.push_back(group_of[first]);
    if (!names.empty()) p.name.push_back(names[first]);
    p.total_weight += rounded;
  }
  if (limits != nullptr) limits->prepare(n);
  p.n_groups = static_cast<std::int32_t>(groups.count);
  p.codes.resize(source.size() * n_features);
  for (std::size_t f = 0; f < n_features; ++f)
    prepare_in_blocks(limits, source.size(), 1, [&](std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k)
        p.codes[f * source.size() + k] = codes[f * n + source[k]];
    });
  p.weights_are_samples = std::ranges::equal(p.weight, p.samples);
  p.features = std::move(features);
  return p;
}

Problem make_problem(std::vector<Feature> features, std::span<const std::int32_t> codes,
                     std::span<const std::int32_t> labels, std::int32_t n_classes,
                     std::span<const double> weights, std::span<const std::int32_t> names,
                     Limits* limits) {
  Problem p = merge_rows(std::move(features), codes, labels, n_classes, weights, names, limits);
  p.tests = make_tests(p.features);
  return p;
}

std::vector<Weight> find_pair_gains(const Problem& problem, std::span<const Weight> swings) {
  const auto n = static_cast<std::size_t>(problem.n_rows());
  const auto classes = static_cast<std::size_t>(problem.n_classes);
  const auto pairs = static_cast<std::size_t>(n_class_pairs(problem.n_classes));
  std::vector<Weight> of_group(static_cast<std::size_t>(problem.n_groups) * classes, 0);
  for (std::size_t r = 0; r < n; ++r)
    of_group[static_cast<std::size_t>(problem.group[r]) * classes +
             static_cast<std::size_t>(problem.label[r])] += problem.weight[r];
  std::vector<Weight> gains(n * pairs, 0);
  for (std::size_t r = 0; r < n; ++r) {
    if (swings[r] == 0) continue;
    const Weight* own = of_group.data() + static_cast<std::size_t>(problem.group[r]) * classes;
    for (std::int32_t a = 0; a < problem.n_classes; ++a)
      for (std::int32_t b = 0; b < problem.n_classes; ++b)
        if (a != b)
          gains[r * pairs + static_cast<std::size_t>(class_pair(problem.n_classes, a, b))] =
              std::max(own[a] - own[b], Weight{0});
  }
  return gains;
}

std::vector<Weight> find_swings(const Problem& problem) {
  const auto n = static_cast<std::size_t>(problem.n_rows());
  if (n == static_cast<std::size_t>(problem.n_groups)) return {};
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> heaviest(static_cast<std::size_t>(problem.n_groups), kNone);
  for (std::size_t r = 0; r < n; ++r) {
    std::size_t& best = heaviest[static_cast<std::size_t>(problem.group[r])];
    if (best == kNone || problem.weight[best] < problem.weight[r]) best = r;
  }
  std::vector<Weight> swings(n, 0);
  for (const std::size_t r : heaviest)
    if (r != kNone) swings[r] = problem.weight[r];
  return swings;
}

}  // namespace treeproof
