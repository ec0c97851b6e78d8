// Merging equal rows: their weights are added, rows that differ stay apart, and the result does not
// depend on the order of the rows.
#include "data/merged_targets.hpp"

#include <vector>

#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

// The rows of two columns and one target, as codes by column.
MergedTargets merged(const std::vector<int>& order) {
  const int first[] = {0, 0, 1, 0}, second[] = {1, 1, 1, 2};
  const double target[] = {0.0, -0.0, 5.0, 0.0}, weight[] = {1.0, 2.0, 3.0, 4.0};
  std::vector<std::int32_t> codes;
  std::vector<double> targets, weights;
  for (const int r : order) codes.push_back(first[r]);
  for (const int r : order) codes.push_back(second[r]);
  for (const int r : order) targets.push_back(target[r]);
  for (const int r : order) weights.push_back(weight[r]);
  return merge_equal_rows(codes, targets, weights);
}

}  // namespace

void test_merged_targets(Report& report) {
  const MergedTargets one = merged({0, 1, 2, 3});
  report.expect(one.weights.size() == 3 && one.codes.size() == 6 && one.targets.size() == 3);
  for (std::size_t r = 0; r < one.weights.size(); ++r) {
    const std::int32_t a = one.codes[r], b = one.codes[one.weights.size() + r];
    const double expected = a == 1 ? 3.0 : b == 1 ? 3.0 : 4.0;  // the first two rows are equal
    report.expect(one.weights[r] == expected);
    report.expect(one.targets[r] == (a == 1 ? 5.0 : 0.0));
  }
  for (const std::vector<int>& order :
       {std::vector{3, 2, 1, 0}, std::vector{1, 3, 0, 2}, std::vector{2, 0, 3, 1}}) {
    const MergedTargets other = merged(order);
    report.expect(one.codes == other.codes);
    report.expect(one.weights == other.weights);
    report.expect(one.targets == other.targets);
  }
  report.expect(merge_equal_rows({}, {}, {}).weights.empty());
}

}  // namespace treeproof::unit
