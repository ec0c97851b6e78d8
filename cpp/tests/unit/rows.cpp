// Merged rows and sorted columns: which rows are equal, and lists that are borrowed or copied.
#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "data/columns.hpp"
#include "data/problem.hpp"
#include "data/row_subset.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

struct Table {
  std::vector<Feature> features;
  std::vector<std::int32_t> codes;  // column by column
  std::int32_t n_rows;

  std::vector<std::int32_t> row(std::int32_t r) const {
    std::vector<std::int32_t> out;
    for (std::size_t f = 0; f < features.size(); ++f)
      out.push_back(codes[f * static_cast<std::size_t>(n_rows) + static_cast<std::size_t>(r)]);
    return out;
  }
};

Table random_table(std::mt19937& random) {
  Table table;
  table.n_rows = 1 + static_cast<std::int32_t>(random() % 30);
  const auto n_features = 1 + random() % 3;
  for (std::size_t f = 0; f < n_features; ++f) {
    const auto n_values = 1 + static_cast<std::int32_t>(random() % 40);
    table.features.push_back({FeatureKind::ordered, n_values});
    std::vector<std::int32_t> column;
    for (std::int32_t r = 0; r < table.n_rows; ++r)
      column.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n_values)));
    // Some columns are permutations, which tell all rows apart.
    if (n_values >= table.n_rows && random() % 2 == 0) {
      for (std::int32_t r = 0; r < table.n_rows; ++r) column[static_cast<std::size_t>(r)] = r;
      std::ranges::shuffle(column, random);
    }
    table.codes.insert(table.codes.end(), column.begin(), column.end());
  }
  return table;
}

bool some_column_is_a_permutation(const Table& table) {
  const auto n = static_cast<std::ptrdiff_t>(table.n_rows);
  for (std::size_t f = 0; f < table.features.size(); ++f) {
    const auto begin = table.codes.begin() + static_cast<std::ptrdiff_t>(f) * n;
    if (std::set<std::int32_t>(begin, begin + n).size() == static_cast<std::size_t>(n)) return true;
  }
  return false;
}

void expect_same_lists(Report& report, const Table& table) {
  const Columns copied = sort_columns(table.features, table.codes, table.n_rows);
  const Columns borrowed = sort_borrowed(table.features, table.codes, table.n_rows);
  report.expect(copied.order == borrowed.order);
  report.expect(std::ranges::equal(copied.rank, borrowed.rank));
  report.expect(copied.bytes() == 2 * borrowed.bytes());
  const RowSubset whole = RowSubset::whole(borrowed);
  Partitioner partitioner;
  RowSubset left, right;
  const auto half = static_cast<std::uint32_t>(table.n_rows) / 2;
  partitioner.cut(whole, 0, half, left, right);
  report.expect(left.size() == half && left.size() + right.size() == whole.size());
  for (std::int32_t f = 0; f < borrowed.n_features(); ++f)
    for (const RowSubset* side : {&left, &right})
      for (std::uint32_t k = 1; k < side->size(); ++k)
        report.expect(borrowed.rank_of(f)[side->row(side->list(f)[k - 1])] <=
                      borrowed.rank_of(f)[side->row(side->list(f)[k])]);
}

}  // namespace

void test_rows(Report& report) {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Table table = random_table(random);
    const auto n = static_cast<std::size_t>(table.n_rows);
    std::set<std::vector<std::int32_t>> different;
    for (std::int32_t r = 0; r < table.n_rows; ++r) different.insert(table.row(r));
    report.expect(all_rows_differ(table.features, table.codes, n) ==
                  some_column_is_a_permutation(table));
    const std::vector<std::int32_t> labels(n, 0);
    const std::vector<double> weights(n, 1.0);
    const Problem merged = merge_rows(table.features, table.codes, labels, 1, weights);
    report.expect(static_cast<std::size_t>(merged.n_rows()) == different.size());
    report.expect(merged.n_groups == merged.n_rows() && merged.tests.empty());
    report.expect(merged.total_weight == table.n_rows);
    expect_same_lists(report, table);
  }
}

}  // namespace treeproof::unit
