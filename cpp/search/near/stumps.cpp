#include "search/near/stumps.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/index.hpp"

namespace treeproof::near {

std::vector<ColumnTests> tests_by_column(const Problem& problem,
                                         const std::vector<std::int32_t>& columns) {
  std::vector<ColumnTests> out(columns.empty() ? 0 : index(columns.back()) + 1);
  for (std::size_t t = 0; t < problem.tests.size(); ++t) {
    const std::int32_t f = problem.tests[t].feature;
    std::vector<FeatureTests>& own = out[index(columns[index(f)])].features;
    const bool ordered = problem.features[index(f)].kind == FeatureKind::ordered;
    if (own.empty() || own.back().feature != f)
      own.push_back({f, static_cast<std::int32_t>(t), 0, ordered});
    ++own.back().n;
  }
  return out;
}

// The parts come in any order, so that their keys are mixed and summed.
bool SeenPartitions::insert(std::span<const Key> parts) {
  Key sum;
  for (const Key& part : parts) sum += random_key(part.low ^ (part.high << 1));
  return seen_.insert(sum).second;
}

Stumps::Stumps(const Problem& problem, const RowBits& rows, std::vector<ColumnTests> columns,
               SplitPrice<Cost> price, std::int64_t min_samples_leaf)
    : problem_(problem), bits_(rows), columns_(std::move(columns)), price_(price),
      min_leaf_(min_samples_leaf) {}

Leaf Stumps::Tally::leaf() const {
  Leaf out;
  const auto most = std::ranges::max_element(weight);
  std::int64_t total = 0;
  for (const std::int64_t w : weight) total += w;
  out.label = static_cast<std::int32_t>(most - weight.begin());
  out.cost = cost_of(total - *most);
  out.samples = samples;
  return out;
}

void Stumps::for_each(BitsView set, const Visit& visit) const {
  const std::vector<std::int32_t> rows = bits_.rows(set);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto column = static_cast<std::int32_t>(c);
    SeenPartitions seen;
    for (const FeatureTests& tests : columns_[c].features) {
      if (tests.ordered)
        sweep(column, tests, rows, columns_[c].distinct() ? nullptr : &seen, visit);
      else try_tests(column, tests, set, seen, visit);
    }
  }
}

Cost Stumps::best(BitsView set) const {
  Cost least = kInfiniteCost;
  for_each(set, [&](const Stump& stump) { least = std::min(least, stump.cost); });
  return least;
}

// Every threshold between two values that occur, from the lowest to the highest.
void Stumps::sweep(std::int32_t column, const FeatureTests& tests,
                   const std::vector<std::int32_t>& rows, SeenPartitions* seen,
                   const Visit& visit) const {
  const std::size_t n_classes = index(problem_.n_classes);
  const std::size_t n_values = index(tests.n) + 1;
  std::vector<std::int64_t> weight(n_values * n_classes, 0);
  std::vector<std::int64_t> samples(n_values, 0);
  std::vector<Key> keys(seen != nullptr ? n_values : 0);
  Tally left{std::vector<std::int64_t>(n_classes, 0)};
  Tally right = left;
  std::array<Key, 2> parts;  // left and right
  for (const std::int32_t r : rows) {
    const std::size_t code = index(problem_.code(tests.feature, r));
    const std::size_t label = index(problem_.label[index(r)]);
    weight[code * n_classes + label] += problem_.weight[index(r)];
    samples[code] += problem_.samples[index(r)];
    right.weight[label] += problem_.weight[index(r)];
    right.samples += problem_.samples[index(r)];
    if (seen == nullptr) continue;
    keys[code] += random_key(static_cast<std::uint64_t>(r));
    parts[1] += random_key(static_cast<std::uint64_t>(r));
  }
  for (std::size_t code = 0; code + 1 < n_values; ++code) {
    if (samples[code] == 0) continue;  // parts the rows as the threshold before does
    for (std::size_t k = 0; k < n_classes; ++k) {
      left.weight[k] += weight[code * n_classes + k];
      right.weight[k] -= weight[code * n_classes + k];
    }
    left.samples += samples[code];
    right.samples -= samples[code];
    if (right.samples == 0) return;
    if (seen != nullptr) {
      parts[0] += keys[code];
      parts[1] -= keys[code];
      if (!seen->insert(parts)) continue;
    }
    if (left.samples < min_leaf_ || right.samples < min_leaf_) continue;
    const Leaf low = left.leaf();
    const Leaf high = right.leaf();
    visit({tests.first + static_cast<std::int32_t>(code), column, price_(2) + low.cost + high.cost,
           low.label == high.label});
  }
}

void Stumps::try_tests(std::int32_t column, const FeatureTests& tests, BitsView set,
                       SeenPartitions& seen, const Visit& visit) const {
  Bits part;
  for (std::int32_t test = tests.first; test < tests.first + tests.n; ++test) {
    std::vector<Key> parts;
    Stump stump{test, column, 0, true};
    std::int32_t label = -1;
    bool large_enough = true;
    for (std::int32_t v = 0; v < problem_.tests[index(test)].n_outcomes; ++v) {
      bits_.part(set, test, v, part);
      const Leaf leaf = bits_.leaf(part);
      if (leaf.n_rows == 0) continue;
      Key key;
      for (const std::int32_t r : bits_.rows(part))
        key += random_key(static_cast<std::uint64_t>(r));
      parts.push_back(key);
      stump.cost += leaf.cost;
      stump.one_class = stump.one_class && (label < 0 || leaf.label == label);
      label = leaf.label;
      large_enough = large_enough && leaf.samples >= min_leaf_;
    }
    if (parts.size() < 2 || !seen.insert(parts)) continue;
    stump.cost += price_(static_cast<std::int64_t>(parts.size()));
    if (large_enough) visit(stump);
  }
}

}  // namespace treeproof::near
