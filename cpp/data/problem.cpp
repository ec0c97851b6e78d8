#include "data/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

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
      case FeatureKind::multiway:
        tests.push_back({feature, TestKind::multiway, 0, n});
        break;
      case FeatureKind::one_vs_rest:
        // With two categories both equality tests make the same partition.
        for (std::int32_t c = 0; c < (n == 2 ? 1 : n); ++c)
          tests.push_back({feature, TestKind::equals, c, 2});
        break;
    }
  }
  return tests;
}

}  // namespace

Problem make_problem(std::vector<Feature> features, std::span<const std::int32_t> codes,
                     std::span<const std::int32_t> labels, std::int32_t n_classes,
                     std::span<const double> weights,
                     std::span<const std::int32_t> names) {
  const std::size_t n = labels.size();
  const std::size_t n_features = features.size();
  const double scale = weight_scale(weights);

  // Row-major copy, so that comparing two rows touches two cache lines, not n_features.
  std::vector<std::int32_t> by_row(n * n_features);
  for (std::size_t f = 0; f < n_features; ++f)
    for (std::size_t r = 0; r < n; ++r) by_row[r * n_features + f] = codes[f * n + r];
  const auto row_codes = [&](std::size_t r) {
    return std::span<const std::int32_t>(by_row).subspan(r * n_features, n_features);
  };

  // Groups of equal codes, by hash with a full comparison.
  std::vector<std::int32_t> group_of(n);
  std::vector<std::size_t> representative;
  std::unordered_multimap<std::uint64_t, std::int32_t> seen;
  seen.reserve(n);
  for (std::size_t r = 0; r < n; ++r) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (const std::int32_t c : row_codes(r))
      h = mix(h + static_cast<std::uint64_t>(c) + 0x9e3779b97f4a7c15ULL);
    std::int32_t found = -1;
    auto [it, end] = seen.equal_range(h);
    for (; it != end && found < 0; ++it) {
      const std::size_t other = representative[static_cast<std::size_t>(it->second)];
      if (std::ranges::equal(row_codes(r), row_codes(other))) found = it->second;
    }
    if (found < 0) {
      found = static_cast<std::int32_t>(representative.size());
      representative.push_back(r);
      seen.emplace(h, found);
    }
    group_of[r] = found;
  }

  // Merge (label, group); real weights are summed before they are rounded.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return labels[a] != labels[b] ? labels[a] < labels[b] : group_of[a] < group_of[b];
  });
  Problem p;
  p.n_classes = n_classes;
  std::vector<std::size_t> source;
  for (std::size_t k = 0; k < n;) {
    const std::size_t first = order[k];
    double sum = 0.0;
    std::int64_t count = 0;
    for (; k < n && labels[order[k]] == labels[first] &&
           group_of[order[k]] == group_of[first];
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
  p.n_groups = static_cast<std::int32_t>(representative.size());
  p.codes.resize(source.size() * n_features);
  for (std::size_t f = 0; f < n_features; ++f)
    for (std::size_t k = 0; k < source.size(); ++k)
      p.codes[f * source.size() + k] = codes[f * n + source[k]];
  p.weights_are_samples = std::ranges::equal(p.weight, p.samples);
  p.tests = make_tests(features);
  p.features = std::move(features);
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
