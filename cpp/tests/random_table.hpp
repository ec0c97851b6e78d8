// Random tables for the programs in this folder: a rule on three columns, and noise.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "data/problem.hpp"

namespace treeproof::tests {

struct RandomTable {
  std::vector<Feature> features;
  std::vector<std::int32_t> codes;  // column by column
  std::vector<std::int32_t> labels;
  std::int32_t n_classes = 2;

  Problem problem() const {
    return make_problem(features, codes, labels, n_classes,
                        std::vector<double>(labels.size(), 1.0));
  }
};

inline RandomTable random_table(std::mt19937& random, std::int32_t n_rows, std::int32_t n_features,
                                bool multiway) {
  const auto up_to = [&](std::int32_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
  };
  const auto n = static_cast<std::size_t>(n_rows);
  RandomTable table;
  table.n_classes = 2 + up_to(2);
  for (std::int32_t f = 0; f < n_features; ++f) {
    const std::int32_t n_values = multiway && f % 2 == 0 ? 3 : 2;
    table.features.push_back(
        {n_values > 2 ? FeatureKind::multiway : FeatureKind::ordered, n_values});
    for (std::int32_t r = 0; r < n_rows; ++r) table.codes.push_back(up_to(n_values));
  }
  for (std::size_t r = 0; r < n; ++r) {
    const std::vector<std::int32_t>& c = table.codes;
    const std::int32_t rule = (c[r] + c[n + r] * c[2 * n + r]) % table.n_classes;
    table.labels.push_back(random() % 3 == 0 ? up_to(table.n_classes) : rule);
  }
  return table;
}

}  // namespace treeproof::tests
