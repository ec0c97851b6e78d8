// Unit tests of single parts, run by tests/test_cpp_units.py. Each file has one function; a
// failed expectation names its line, and the program goes on.
#pragma once

#include <cstdio>
#include <source_location>

namespace treeproof::unit {

class Report {
 public:
  void expect(bool condition, const std::source_location& where = std::source_location::current()) {
    ++n_expected_;
    if (condition) return;
    ++n_failed_;
    std::fprintf(stderr, "%s:%u: not as expected\n", where.file_name(), where.line());
  }
  long n_expected() const { return n_expected_; }
  long n_failed() const { return n_failed_; }

 private:
  long n_expected_ = 0;
  long n_failed_ = 0;
};

void test_covering(Report& report);
void test_depth_two_kernels(Report& report);
void test_kernels(Report& report);
void test_memo(Report& report);
void test_merged_targets(Report& report);
void test_multiway(Report& report);
void test_policy(Report& report);
void test_prices(Report& report);
void test_rows(Report& report);
void test_slices(Report& report);
void test_trim(Report& report);

}  // namespace treeproof::unit
