// Runs all unit tests, or those named on the command line; prints how many expectations held.
#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/unit/unit.hpp"

namespace {

struct Named {
  std::string_view name;
  void (*test)(treeproof::unit::Report&);
};

constexpr Named kTests[] = {{"covering", treeproof::unit::test_covering},
                            {"depth_two_kernels", treeproof::unit::test_depth_two_kernels},
                            {"kernels", treeproof::unit::test_kernels},
                            {"memo", treeproof::unit::test_memo},
                            {"merged_targets", treeproof::unit::test_merged_targets},
                            {"multiway", treeproof::unit::test_multiway},
                            {"policy", treeproof::unit::test_policy},
                            {"prices", treeproof::unit::test_prices},
                            {"rows", treeproof::unit::test_rows},
                            {"slices", treeproof::unit::test_slices},
                            {"trim", treeproof::unit::test_trim}};

}  // namespace

int main(int n_arguments, char** arguments) {
  long failed = 0;
  for (const Named& named : kTests) {
    bool wanted = n_arguments == 1;
    for (int k = 1; k < n_arguments; ++k) wanted = wanted || named.name == arguments[k];
    if (!wanted) continue;
    treeproof::unit::Report report;
    try {
      named.test(report);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", named.name.data(), error.what());
      ++failed;
    }
    std::printf("%s %ld\n", named.name.data(), report.n_expected());
    failed += report.n_failed();
  }
  return failed == 0 ? 0 : 1;
}
