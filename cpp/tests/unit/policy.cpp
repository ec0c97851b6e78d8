// The policy of a portfolio: who gets time while bounds rise, and who while they are stuck.
#include "search/portfolio/policy.hpp"

#include <array>
#include <cstdint>

#include "search/portfolio/progress.hpp"
#include "tests/unit/unit.hpp"

namespace treeproof::unit {
namespace {

using portfolio::Policy;
using portfolio::Progress;
using portfolio::Role;

constexpr std::int64_t kMillisecond = 1'000;

double share(const std::array<double, portfolio::kRoles>& shares, Role role) {
  return shares[static_cast<std::size_t>(role)];
}

void progress_is_measured_in_the_searches_own_time(Report& report) {
  Progress progress;
  progress.note(0, 0.2, true);
  progress.note(100 * kMillisecond, 0.2, true);
  report.expect(!progress.is_closing());  // nothing in the later half
  progress.note(120 * kMillisecond, 0.5, true);
  report.expect(progress.is_closing());
  // However much time the others had since then.
  for (int k = 0; k < 100; ++k) progress.note(120 * kMillisecond, 0.5, true);
  report.expect(progress.is_closing());
  progress.note(250 * kMillisecond, 0.5, true);
  report.expect(!progress.is_closing());
  progress.note(260 * kMillisecond, 0.52, true);  // less than a tenth of the gap
  report.expect(!progress.is_closing());
}

void bounds_of_prices_are_not_the_searches_progress(Report& report) {
  Progress progress;
  progress.note(0, 0.0, true);
  progress.note(100 * kMillisecond, 0.0, true);
  progress.note(101 * kMillisecond, 0.9, false);
  report.expect(!progress.is_closing());
  progress.note(102 * kMillisecond, 0.92, true);  // a fifth of what is left
  report.expect(progress.is_closing());
  progress.note(300 * kMillisecond, 1.0, true);  // the gap is closed
  report.expect(progress.is_closing());
}

// A fit of depth-5 trees in which the whole problem's bound rises after each doubling of its time.
void a_rising_bound_keeps_its_time(Report& report) {
  Policy policy(false, 64);
  Policy::State now{5, 0.2, false, 1.0, true};
  for (std::int64_t time = 100; time < 3'200; time *= 2) {
    policy.used(Role::whole, time * kMillisecond);
    now.lower += 0.1;
    const auto shares = policy.shares(now);
    report.expect(share(shares, Role::whole) >= 1.0);
    report.expect(share(shares, Role::level) <= 0.125);
    report.expect(share(shares, Role::prices) <= 0.25);
  }
}

void prices_that_raise_the_bound_get_more(Report& report) {
  Policy policy(false, 64);
  Policy::State now{5, 0.2, false, 1.0, true};
  for (std::int64_t time = 200; time < 3'200; time *= 2) {
    policy.used(Role::whole, time * kMillisecond);
    now.lower += 0.05;
    policy.shares(now);
    policy.used(Role::prices, time * kMillisecond);
    now.lower += 0.05;
    report.expect(share(policy.shares(now), Role::prices) >= 1.0);
  }
}

void a_stuck_fit_gives_time_to_levels_and_prices(Report& report) {
  Policy policy(false, 64);
  const Policy::State now{5, 0.3, false, 0.9, true};
  policy.used(Role::whole, 4'000 * kMillisecond);
  policy.shares(now);
  policy.used(Role::whole, 4'000 * kMillisecond);
  const auto shares = policy.shares(now);
  report.expect(share(shares, Role::level) >= 3.0);
  report.expect(share(shares, Role::prices) >= 1.0);
  report.expect(share(shares, Role::whole) >= 3.0);
}

void the_least_served_role_is_next(Report& report) {
  Policy policy(false, 64);
  constexpr std::array<bool, portfolio::kRoles> kAll{true, true, true, true};
  const std::array<double, portfolio::kRoles> even{1.0, 1.0, 1.0, 1.0};
  report.expect(policy.choose(even, kAll) == 0);  // the whole problem begins
  policy.used(Role::whole, 50 * kMillisecond);
  report.expect(policy.choose(even, kAll) == 1);
  policy.used(Role::level, 60 * kMillisecond);
  report.expect(policy.choose(even, kAll) == 2);
  report.expect(policy.choose(even, {true, true, false, false}) == 0);
  report.expect(policy.choose(even, {}) == -1);
}

}  // namespace

void test_policy(Report& report) {
  progress_is_measured_in_the_searches_own_time(report);
  bounds_of_prices_are_not_the_searches_progress(report);
  a_rising_bound_keeps_its_time(report);
  prices_that_raise_the_bound_get_more(report);
  a_stuck_fit_gives_time_to_levels_and_prices(report);
  the_least_served_role_is_next(report);
}

}  // namespace treeproof::unit
