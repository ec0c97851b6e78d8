// The tests of each column of the table, and which of them divide rows in the same way.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/index.hpp"
#include "core/key.hpp"
#include "data/problem.hpp"

namespace treeproof::near {

// The tests of one feature, which stand next to each other.
struct FeatureTests {
  std::int32_t feature = 0;
  std::int32_t first = 0;
  std::int32_t n = 0;
  bool ordered = false;  // thresholds, from the lowest to the highest
};

// The features of one column of the table. A numeric column is one feature, or several if values
// are missing; then thresholds of different features may divide rows in the same way.
struct ColumnTests {
  std::vector<FeatureTests> features;
  bool distinct() const { return features.size() == 1 && features[0].ordered; }
};

// `columns`: the column of the table that each feature of the problem stands for.
inline std::vector<ColumnTests> tests_by_column(const Problem& problem,
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

// Recognises tests that divide rows in the same way as an earlier test, by the keys of the parts.
class SeenPartitions {
 public:
  // Remembers a partition and returns whether it is new. The parts come in any order, so their keys
  // are mixed and summed.
  bool insert(std::span<const Key> parts) {
    Key sum;
    for (const Key& part : parts) sum += random_key(part.low ^ (part.high << 1));
    return seen_.insert(sum).second;
  }
  void clear() { seen_.clear(); }

 private:
  std::unordered_set<Key, KeyHash> seen_;
};

}  // namespace treeproof::near
