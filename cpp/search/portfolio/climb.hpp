// Certificates for every depth: several searches of one table take turns, level by level.
//
// Engines work on the whole problem (trees of any allowed depth) and on one level of depth after
// the other: 1, 2, 3, ... All of them share a board, so that a tree found by one is immediately the
// upper bound of the others, and a fit that is stopped knows what was proved for every level. One
// of them runs at a time (core/baton.hpp); policy.hpp decides which.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/limits.hpp"
#include "search/portfolio/board.hpp"
#include "search/portfolio/player.hpp"
#include "search/portfolio/policy.hpp"

namespace treeproof::portfolio {

// What has been proved about the trees of at most `max_depth` levels.
template <class Value>
struct Certificate {
  int max_depth;  // kAnyDepth: no limit
  Value upper{};  // the cost of the best one that was found
  Value lower{};  // lower bound: none costs less
  bool optimal = false;
  double seconds = 0.0;  // seconds from the start until this was known
  SplitTree tree;        // the best one that was found
  bool open = false;     // engines still work on this level
};

// The time that an engine spent on one level, or on the whole problem.
struct Share {
  std::string engine;
  Role role;
  int max_depth;
  double seconds;
  double counted;  // seconds of work as the policy counts them
  Statistics statistics;
};

template <class Value>
struct Outcome {
  std::vector<Certificate<Value>> certificates;  // by depth; the last one is for the whole problem
  std::vector<Share> shares;
  StopReason stop = StopReason::none;
};

// Called by the thread that runs the levels, when there is a better tree or bound, or a level is
// finished.
template <class Value>
using News = std::function<void(const Board<Value>& board, const Certificate<Value>* level)>;

template <class Value>
class Climb {
 public:
  Climb(Board<Value>& board, const std::vector<Engine<Value>>& engines, Limits& limits,
        bool levels_first, News<Value> news)
      : board_(board), engines_(engines), limits_(limits), news_(std::move(news)),
        policy_(levels_first, board.max_depth()) {}

  // `promised` returns an estimate of the bound that the prices will reach in the end.
  void set_promised(std::function<double()> promised) { promised_ = std::move(promised); }

  // `climb`: whether to prove the levels of depth one after the other, besides the whole problem.
  Outcome<Value> run(bool climb) {
    climbing_ = climb && board_.max_depth() > kFlat;
    for (const Engine<Value>& engine : engines_)
      start(engine, engine.climbs ? Role::whole : engine.role, board_.max_depth());
    next_level();
    while (!finished() && !stopped() && deal()) {
    }
    return finish();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{5};

  bool stopped() { return limits_.stop_now(); }
  bool finished() const { return board_.solved() || board_.close_enough(); }

  // Searches of the whole problem store the most bounds, so they get most of the memory.
  void start(const Engine<Value>& engine, Role role, int level) {
    if (level < engine.from_level || level > engine.to_level) return;
    constexpr std::uint64_t kMuch = 4;
    std::uint64_t parts = 0;
    for (const Engine<Value>& other : engines_) parts += other.climbs ? kMuch + 1 : 1;
    const std::uint64_t part = limits_.memory_allowance() / parts;
    const int rivals = level <= kFlat ? level : board_.max_depth();
    players_.push_back(std::make_unique<Player<Value>>(engine, role, level, rivals, board_, baton_,
                                                       role == Role::whole ? kMuch * part : part));
  }

  // Lets one player work for a slice of time; returns false if no player is left.
  bool deal() {
    std::array<bool, kRoles> there{};
    for (const auto& player : players_)
      if (may_play(*player)) there[static_cast<std::size_t>(player->role())] = true;
    const Value upper = board_.upper(board_.max_depth());
    const double gap_closed =
        upper > Value{}
            ? static_cast<double>(board_.lower(board_.max_depth())) / static_cast<double>(upper)
            : 1.0;
    const double promised =
        upper > Value{} && promised_ ? promised_() / static_cast<double>(upper) : 0.0;
    const bool level_prices = std::ranges::any_of(players_, [&](const auto& player) {
      return player->role() == Role::level && player->prices() && may_play(*player);
    });
    // Compared with the last slice, not with what was told: that depends on the clock, and shares
    // that do may lead to another one of several equally good trees.
    const bool improved = upper < dealt_upper_;
    dealt_upper_ = upper;
    const auto shares = policy_.shares({level_, gap_closed, improved, promised, level_prices});
    const int role = policy_.choose(shares, there);
    tell();
    if (role < 0) return false;
    Player<Value>* chosen = nullptr;
    for (const auto& player : players_)
      if (may_play(*player) && static_cast<int>(player->role()) == role &&
          (chosen == nullptr || due(*player) < due(*chosen)))
        chosen = player.get();
    const std::int64_t slice = policy_.slice();
    const auto begun = Clock::now();
    chosen->give(slice);
    while (!baton_.wait_until_idle(kPatience)) {
      if (stopped()) break;
      tell();
      if (finished()) break;
    }
    chosen->add_seconds(std::chrono::duration<double>(Clock::now() - begun).count());
    policy_.used(chosen->role(), chosen->count_slice());
    check_level();
    return true;
  }

  // In the first seconds of a fit the prices of a level get no time, unless the search of the whole
  // problem has ended.
  bool may_play(const Player<Value>& player) const {
    if (!player.at_work()) return false;
    if (player.role() != Role::level || !player.prices() || !policy_.too_young_for_level_prices())
      return true;
    return std::ranges::none_of(players_, [](const auto& other) {
      return other->role() == Role::whole && other->at_work();
    });
  }

  // The engine that finished the previous level gets most of the turns on deeper levels. From the
  // fifth level on, its prices get as many: searches alone rarely finish there.
  double due(const Player<Value>& player) const {
    constexpr double kLead = 4.0;
    const bool leads = player.level() > kFlat && player.engine() == leader_;
    const bool prices = player.level() > kFlat + 1 && player.prices();
    const bool often = player.role() == Role::level && (leads || prices);
    return static_cast<double>(player.work()) / (often ? kLead : 1.0);
  }

  // Checks whether the level has been proved, or all engines have given up on it.
  void check_level() {
    if (level_ == 0) return;
    const bool at_work = std::ranges::any_of(players_, [](const auto& player) {
      return player->role() == Role::level && player->at_work();
    });
    if (!proved(level_) && at_work) return;
    for (const auto& player : players_)
      if (player->role() == Role::level && !player->at_work()) leader_ = player->engine();
    end_level();
    next_level();
  }

  // For a shallow level, its own best tree has to be found. For a deeper level it is enough that
  // none of its trees costs less than the best tree of any depth.
  bool proved(int level) const {
    return board_.closed(level, board_.upper(level <= kFlat ? level : board_.max_depth()));
  }

  void next_level() {
    const int before = reached_;
    level_ = 0;
    if (!climbing_ || (before > 0 && !proved(before))) return;
    int level = before + 1;
    // Skips levels that are known already: from a search of all depths, or because deeper trees
    // have too many splits.
    if (board_.solved()) return;
    while (level < board_.max_depth() && proved(level) && level < kMostLevels) {
      note(level);
      ++level;
    }
    if (level >= board_.max_depth() || level >= kMostLevels) return;
    level_ = level;
    // Local search among the trees of this level finds trees that a search among deeper ones
    // passes by. Shallower levels are proved in moments.
    for (const Engine<Value>& engine : engines_) {
      if (engine.climbs) start(engine, Role::level, level);
      else if (engine.role == Role::trees && level > kFlat) start(engine, Role::trees, level);
    }
  }
  bool is_for_level(const Player<Value>& player) const {
    return player.role() == Role::level ||
           (player.role() == Role::trees && player.level() < board_.max_depth());
  }

  // If the whole problem was proved before this level, the level gets no certificate of its own:
  // that of the whole problem says more.
  void end_level() {
    for (auto& player : players_)
      if (is_for_level(*player)) retire(*player);
    std::erase_if(players_, [&](const auto& player) { return is_for_level(*player); });
    if (proved(level_) || !board_.solved()) note(level_);
    level_ = 0;
  }

  void note(int level) {
    reached_ = level;
    certificates_.push_back(certificate(level));
    if (news_) news_(board_, &certificates_.back());
  }

  Certificate<Value> certificate(int level) const {
    const Value upper = board_.upper(level);
    const Value lower = std::min(board_.lower(level), upper);
    const bool optimal = board_.closed(level, upper);
    for (const Certificate<Value>& flatter : certificates_)
      check([&] { return flatter.max_depth >= level || !(flatter.upper < upper); },
            "a deeper level's best tree costs no more");
    return {level,
            upper,
            optimal ? upper : lower,
            optimal,
            limits_.seconds(),
            board_.best(level)->tree};
  }

  void tell() {
    const std::uint64_t news = board_.news();
    if (news == told_) return;
    told_ = news;
    if (news_) news_(board_, nullptr);
    tell_open_level();
  }

  // Tells now and then what is known about the level that is being proved.
  void tell_open_level() {
    constexpr std::chrono::milliseconds kPause{50};
    if (!news_ || level_ == 0 || !board_.best(level_)) return;
    const auto now = Clock::now();
    if (now - told_open_at_ < kPause) return;
    told_open_at_ = now;
    Certificate<Value> known = certificate(level_);
    known.open = true;
    news_(board_, &known);
  }

  void retire(Player<Value>& player) {
    player.end();
    if (player.fault() != nullptr && fault_ == nullptr) fault_ = player.fault();
    out_of_memory_ = out_of_memory_ || player.out_of_memory();
    shares_.push_back({player.engine(), player.role(), player.level(), player.seconds(),
                       player.counted(), player.statistics()});
  }

  Outcome<Value> finish() {
    if (level_ > 0) end_level();
    for (auto& player : players_) retire(*player);
    players_.clear();
    if (fault_ != nullptr) std::rethrow_exception(fault_);
    tell();
    // Bounds that were found later may prove more than was known when a level ended.
    for (Certificate<Value>& known : certificates_) {
      Certificate<Value> now = certificate(known.max_depth);
      now.seconds = known.seconds;
      known = now;
    }
    certificates_.push_back(certificate(board_.max_depth()));
    StopReason stop = limits_.reason();
    if (stop == StopReason::none && out_of_memory_) stop = StopReason::memory_limit;
    if (!board_.solved() && board_.close_enough()) stop = StopReason::tolerance;
    return {std::move(certificates_), std::move(shares_), stop};
  }

  static constexpr int kMostLevels = 64;

  Board<Value>& board_;
  const std::vector<Engine<Value>>& engines_;
  Limits& limits_;
  News<Value> news_;
  std::function<double()> promised_;
  Baton baton_;
  Policy policy_;
  std::vector<std::unique_ptr<Player<Value>>> players_;
  std::vector<Certificate<Value>> certificates_;
  std::vector<Share> shares_;
  std::exception_ptr fault_;
  std::string leader_;  // the engine that ended a level last
  bool out_of_memory_ = false;
  bool climbing_ = false;
  int level_ = 0;    // the level that is being proved; 0: none
  int reached_ = 0;  // the last level that was proved
  std::uint64_t told_ = 0;
  Clock::time_point told_open_at_;
  Value dealt_upper_{};  // the cost of the best tree when the last slice was dealt
};

}  // namespace treeproof::portfolio
