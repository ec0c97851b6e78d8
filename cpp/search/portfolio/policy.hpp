// Decides which search gets the next slice of time. This is the only place where that is decided.
//
//   whole   The search for the best tree of any allowed depth. It comes first, since it proves a
//           clean table in milliseconds, and then nothing else is needed. While it closes the gap
//           quickly (progress.hpp), the other roles get little. If the depth is limited to four or
//           less, it gets what the level of that depth would get. If nothing has raised its bound
//           for a while, it gets a larger share: where prices promise more than they can certify,
//           the search is what ends the fit. It does not while depth four is being proved and the
//           bound is far from the best cost, since that level is more likely to be proved.
//   level   The levels of depth 1, 2, 3, ... one after the other. Levels up to three are proved in
//           moments on most tables, so they get most of the time until they are. So does the next
//           one, which many tables reach; in the first seconds only if no search raises the bound
//           of the whole problem. Deeper ones share the first seconds evenly. After that they get
//           most of the time while that bound is stuck and prices promise little, and little while
//           it rises. A deeper level with prices of its own is likely to be proved, so it gets much
//           of the time while the bound is far from the best cost, and most of it in long fits.
//   trees   The search for better trees: much of the time while it finds some, little after.
//   prices  On noisy tables nothing else raises the bound of the whole problem; on clean ones they
//           are loose. So they get nothing while a fit is young, then a turn to show what they
//           promise, and much of the time only while that is more than has been proved and they
//           still raise the bound. Once a level has had some seconds for itself, they get as much
//           time as the level, or a quarter of that while it is depth four. The prices of a level
//           wait longer still: they cost more, and help where a fit takes many seconds.
//
// Two engines with the same role get equal shares, so that a fit takes at most twice the time of
// the better one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "search/portfolio/player.hpp"
#include "search/portfolio/progress.hpp"

namespace treeproof::portfolio {

inline constexpr int kFlat = 3;  // the best tree is found for levels up to this depth in any case

class Policy {
 public:
  // `levels_first`: the whole problem gets no time while a level is open, so that tests on small
  // tables see all levels. `max_depth`: of the whole problem.
  Policy(bool levels_first, int max_depth) : levels_first_(levels_first), max_depth_(max_depth) {}

  struct State {
    int level = 0;              // the depth that is being proved; 0: none
    double lower = 0.0;         // bound of the whole problem, as a fraction of the best cost
    bool improved = false;      // the best tree is better than at the last call
    double promised = 0.0;      // the bound that prices may reach, as a fraction of the best cost
    bool level_prices = false;  // the level has prices of its own
  };

  // The length of a slice in (approximate) microseconds of work. It grows with the time spent, so
  // that switching costs next to nothing, but is short enough for limits to be noticed.
  std::int64_t slice() const { return std::clamp<std::int64_t>(total_ / 24, 2'000, 100'000); }

  // True while searches may still prove the whole problem before the prices of a level could pay.
  bool too_young_for_level_prices() const { return !levels_first_ && total_ < kLevelPrices; }

  // The shares of the roles now, in the order of `Role`.
  std::array<double, kRoles> shares(const State& now) {
    if (now.level != level_) start_over(now.level);
    note(now);
    if (levels_first_ && now.level > 0) return {0.0, 1.0, 0.0, 0.0};
    return {whole_share(now), level_share(now), tree_share(now), price_share(now)};
  }

  // The role that has received the least work in relation to its share; -1 if no role has a player.
  int choose(const std::array<double, kRoles>& shares,
             const std::array<bool, kRoles>& there) const {
    if (there[0] && whole_ < kFirst && !levels_first_) return 0;
    int chosen = -1;
    double least = 0.0;
    for (std::size_t role = 0; role < kRoles; ++role) {
      if (!there[role] || shares[role] <= 0.0) continue;
      const double part = static_cast<double>(used_[role]) / shares[role];
      if (chosen >= 0 && part >= least) continue;
      chosen = static_cast<int>(role);
      least = part;
    }
    return chosen;
  }

  void used(Role role, std::int64_t work) {
    used_[static_cast<std::size_t>(role)] += work;
    total_ += work;
    if (role == Role::whole) whole_ += work;
    if (role == Role::prices) prices_ += work;
    last_ = role;
  }

 private:
  // Points of time in a fit, in microseconds of work.
  static constexpr std::int64_t kFirst = 16'000;  // until then, only the whole problem is searched
  static constexpr std::int64_t kYoung = 300'000;
  static constexpr std::int64_t kLevelPrices = 1'500'000;
  static constexpr std::int64_t kSomeSeconds = 3'000'000;
  static constexpr std::int64_t kManySeconds = 12'000'000;

  // Shares of the time. Only their ratios matter.
  static constexpr double kLittle = 0.125;
  static constexpr double kEven = 1.0;
  static constexpr double kMore = 2.0;
  static constexpr double kStuck = 3.0;      // of a search whose bound has not risen for a while
  static constexpr double kAlongside = 6.0;  // of a level, where the whole problem rises as well
  static constexpr double kMuch = 6.0;
  static constexpr double kLongFit = 8.0;  // of a deep level, where it is the best hope
  static constexpr double kMost = 12.0;
  static constexpr double kAlmostCertain = 14.0;  // of a level that will be proved in moments
  static constexpr double kWithinReach = 20.0;    // of the first level that takes longer

  static constexpr double kRise = 0.02;  // of the gap; a smaller rise counts as no progress
  static constexpr double kFar = 0.75;   // bounds below this share of the best cost are far from it

  void note(const State& now) {
    const bool by_search = last_ != Role::prices;
    if (now.improved) improved_at_ = total_;
    progress_.note(whole_, now.lower, by_search);
    if (now.lower <= lower_ + kRise * (1.0 - lower_)) return;
    lower_ = now.lower;
    risen_at_ = total_;
    (by_search ? searches_at_ : prices_at_) = total_;
  }

  // The depth that the searches are proving now.
  int depth(const State& now) const { return now.level > 0 ? now.level : max_depth_; }

  // While the search of the whole problem is likely to end the fit soon, others should not hinder
  // it. In long fits the last steps are the hardest, and prices or levels may take them instead.
  bool whole_will_end_soon() const { return total_ < kManySeconds && progress_.is_closing(); }

  double whole_share(const State& now) const {
    if (depth(now) == max_depth_ && max_depth_ <= kFlat + 1)
      return max_depth_ <= kFlat ? kAlmostCertain : kWithinReach;
    const bool stuck = !progress_.is_closing() && !lately(risen_at_) && !prices_rise();
    const bool far_beside_level = now.level == kFlat + 1 && now.lower < kFar;
    return stuck && total_ > kSomeSeconds && !far_beside_level ? kStuck : kEven;
  }

  double level_share(const State& now) const {
    if (now.level == 0) return 0.0;
    if (now.level <= kFlat) return kAlmostCertain;
    // A bound that searches raise is likely to be proved soon; one that prices raise may stop
    // anywhere.
    if (now.level == kFlat + 1) {
      if (!lately(searches_at_)) return kWithinReach;
      return total_ > kSomeSeconds ? kAlongside : kLittle;
    }
    if (total_ < kYoung || whole_will_end_soon()) return kLittle;
    if (total_ < kSomeSeconds) return kEven;
    if (now.level_prices) {
      const bool far = now.lower < kFar;
      if (!lately(searches_at_)) return far && total_ > kManySeconds ? kLongFit : kStuck;
      if (!far) return kLittle;
      return total_ > kManySeconds ? kStuck : kMore;
    }
    if (lately(risen_at_)) return kLittle;
    return promise_much(now) ? kEven : kStuck;
  }

  // A long proof leaves a small part of the time to the search for better trees.
  double tree_share(const State& now) const {
    constexpr double kWhileImproving = 0.5;
    constexpr double kOtherwise = 0.1;
    constexpr double kPart = 0.05;  // of the share of the searches
    const double searches = std::max(whole_share(now), level_share(now));
    return std::max(lately(improved_at_) ? kWhileImproving : kOtherwise, kPart * searches);
  }

  static bool promise_much(const State& now) {
    constexpr double kTenth = 0.1;  // of the gap
    return now.promised > now.lower + kTenth * (1.0 - now.lower);
  }

  // In the last quarter of the fit.
  bool lately(std::int64_t at) const { return total_ - at < total_ / 4; }

  // Whether prices have raised the bound in the later part of the fit. A certificate takes about as
  // long as all before it, so they rise in steps that are far apart.
  bool prices_rise() const {
    constexpr double kLaterPart = 0.6;
    return prices_at_ > 0 &&
           static_cast<double>(total_ - prices_at_) < kLaterPart * static_cast<double>(total_);
  }

  double price_share(const State& now) const {
    constexpr std::int64_t kLookAround = 1'000'000;  // enough to estimate what prices may reach
    constexpr std::int64_t kTrial = 2'000'000;
    constexpr double kVeryLittle = 0.05;
    constexpr double kBeside = 0.25;   // besides a search that will end soon
    constexpr double kGlance = 0.1;    // as a share of the time of the searches
    constexpr double kQuarter = 0.25;  // as a share of a level that many tables reach
    const bool promising = now.promised > now.lower;
    // Searches prove most shallow trees before prices could help.
    if (total_ < (depth(now) <= kFlat ? kSomeSeconds : kYoung)) return 0.0;
    if (whole_will_end_soon()) {
      if (!promising) return kVeryLittle;
      return prices_rise() ? kMore : kBeside;
    }
    // While searches raise the bound themselves, prices get no time for some seconds, and less than
    // half of it after that.
    if (lately(searches_at_)) return total_ > kSomeSeconds && promising ? kEven : kVeryLittle;
    const double searches = std::max(level_share(now), whole_share(now));
    if (depth(now) <= kFlat) return kGlance * searches;
    if (now.lower < kFar && prices_ < kLookAround) return std::max(kEven, kGlance * searches);
    // Prices that have had time for a trial and raised nothing seldom reach the estimated bound.
    if (!promise_much(now) || (prices_ > kTrial && !prices_rise()))
      return promising ? kMore : kVeryLittle;
    const double share = prices_rise() && now.level != kFlat + 1 ? kMost : kMuch;
    if (total_ < kManySeconds) return share;
    return std::max(share, now.level == kFlat + 1 ? kQuarter * searches : searches);
  }

  void start_over(int level) {
    level_ = level;
    used_ = {};
  }

  const bool levels_first_;
  const int max_depth_;
  std::array<std::int64_t, kRoles> used_{};
  std::int64_t total_ = 0;
  std::int64_t whole_ = 0;
  std::int64_t prices_ = 0;
  std::int64_t improved_at_ = 0;
  std::int64_t risen_at_ = 0;
  std::int64_t searches_at_ = 0;  // when a search, not the prices, last raised the bound
  std::int64_t prices_at_ = 0;    // when the prices last raised it
  Role last_ = Role::whole;
  double lower_ = 0.0;
  Progress progress_;
  int level_ = 0;
};

}  // namespace treeproof::portfolio
