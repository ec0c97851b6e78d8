// The rules about paths: which tests are allowed after which others, and what they cost. Section 14
// of docs/proof-format.md. A path is in a state, which consists of the node of the given top at
// which it is, the groups of columns to which it may still belong, and the measurements that have
// been paid for.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "json.hpp"
#include "problem.hpp"

namespace checker {

// A node of the given top of a tree.
struct Place {
  enum class Kind { kFree, kLeaf, kGiven };
  // Tests of which the node must have one, and the nodes of the top for its outcomes.
  struct Choice {
    std::vector<std::size_t> tests;
    std::map<std::size_t, std::size_t> below;
    std::size_t rest = 0;
  };
  Kind kind = Kind::kFree;
  std::vector<char> allowed;  // only of a free place: for each column, whether it is allowed
  std::vector<Choice> choices;
};

class Paths {
 public:
  struct State {
    std::size_t place = 0;
    std::vector<char> groups, paid;
    bool operator<(const State& other) const {
      return std::tie(place, groups, paid) < std::tie(other.place, other.groups, other.paid);
    }
  };
  // The cost of columns that are measured together, in parts.
  struct Measurement {
    std::int64_t cost = 0, discounted = 0;
    std::string group;  // empty if there is none
  };

  Paths(const Json& given, const Problem& problem, std::size_t n_columns) : problem_(problem) {
    std::vector<char> allowed(n_columns, 1);
    if (const Json* list = present(given, "allowed")) allowed = columns(*list, n_columns);
    if (const Json* groups = present(given, "groups")) {
      for (const Json& group : groups->array("\"groups\"")) {
        groups_.push_back(columns(group, n_columns));
      }
      require(!groups_.empty() && groups_.size() <= 1000, "there are no groups, or too many");
    }
    measured_.assign(n_columns, kFree);
    if (const Json* costs = present(given, "costs")) read_costs(*costs);
    unit_ = given.at("unit").integer("\"unit\"");
    require(unit_ >= 1 && unit_ <= std::int64_t{1} << 20, "the unit of paths is out of range");
    lower_ = given.at("lower").integer("\"lower\"");
    require(lower_ >= 0, "\"lower\" is negative");
    const Json* prefix = present(given, "prefix");
    top_ = prefix == nullptr ? free_place(allowed) : read_place(*prefix, allowed);
    State start{top_, std::vector<char>(groups_.size(), 1),
                std::vector<char>(measurements_.size(), 0)};
    number(std::move(start));
  }

  // The rules of a header in words; empty if there are none.
  static std::string words(const Json* given) {
    std::string all;
    if (given == nullptr || given->is_null()) return all;
    const auto add = [&](const char* key, const std::string& before, const std::string& after) {
      const Json* value = present(*given, key);
      if (value != nullptr) all += ", " + before + " " + std::string(value->text) + after;
    };
    add("allowed", "splits on columns", " only");
    add("groups", "columns of a path in one of", "");
    add("costs", "costs of columns", " in parts of " + std::string(given->at("unit").text));
    add("prefix", "beginning with", "");
    return all;
  }

  std::int64_t unit() const { return unit_; }
  std::int64_t lower() const { return lower_; }
  bool priced() const { return !measurements_.empty(); }
  const Place& place(std::size_t state) const { return places_[states_[state].place]; }
  const Place& at(std::size_t place) const { return places_[place]; }

  // The cost of a test on a column for a row of weight 1, in parts; -1 if the state does not allow
  // the test.
  std::int64_t price(std::size_t state, std::size_t column) const {
    const State& own = states_[state];
    const Place& at = places_[own.place];
    if (at.kind == Place::Kind::kFree && at.allowed[column] == 0) return -1;
    bool fits = groups_.empty();
    for (std::size_t g = 0; g < groups_.size() && !fits; ++g) {
      fits = own.groups[g] != 0 && groups_[g][column] != 0;
    }
    if (!fits) return -1;
    const std::size_t m = measured_[column];
    if (m == kFree || own.paid[m] != 0) return 0;
    for (std::size_t k = 0; k < measurements_.size(); ++k) {
      const std::string& group = measurements_[m].group;
      if (own.paid[k] != 0 && !group.empty() && measurements_[k].group == group) {
        return measurements_[m].discounted;
      }
    }
    return measurements_[m].cost;
  }
  // The state after a test on a column that is allowed, at a node of the top.
  std::size_t below(std::size_t state, std::size_t column, std::size_t place) {
    State next = states_[state];
    next.place = place;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      next.groups[g] = next.groups[g] != 0 && groups_[g][column] != 0 ? 1 : 0;
    }
    if (measured_[column] != kFree) next.paid[measured_[column]] = 1;
    return number(std::move(next));
  }
  std::size_t below(std::size_t state, std::size_t column) {
    return below(state, column, states_[state].place);
  }
  static std::size_t place_below(const Place::Choice& choice, std::size_t outcome) {
    const auto found = choice.below.find(outcome);
    return found == choice.below.end() ? choice.rest : found->second;
  }

  // Whether leaving out some of its tests never makes a path more expensive. This holds if the
  // measurements of a group all have the same discount: then it does not matter which one comes
  // first, and leaving out some of them does not make others more expensive.
  bool contract() const {
    std::map<std::string, std::int64_t> discounts;
    for (const Measurement& own : measurements_) {
      if (own.group.empty()) continue;
      const std::int64_t discount = own.cost - own.discounted;
      if (discounts.emplace(own.group, discount).first->second != discount) return false;
    }
    return true;
  }
  std::int64_t most() const {
    std::int64_t out = 0;
    for (const Measurement& own : measurements_) out = std::max(out, own.cost);
    return out;
  }

 private:
  static constexpr std::size_t kFree = static_cast<std::size_t>(-1);

  static const Json* present(const Json& object, const char* key) {
    const Json* value = object.find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  std::size_t number(State state) {
    const auto [found, fresh] = numbers_.emplace(state, states_.size());
    if (fresh) {
      require(states_.size() < 100000, "paths have too many states");
      states_.push_back(std::move(state));
    }
    return found->second;
  }
  static std::vector<char> columns(const Json& list, std::size_t n_columns) {
    std::vector<char> out(n_columns, 0);
    for (const Json& column : list.array("a list of columns")) {
      const std::int64_t c = column.integer("a column");
      require(c >= 0 && std::cmp_less(c, n_columns), "there is no such column");
      out[static_cast<std::size_t>(c)] = 1;
    }
    return out;
  }
  void read_costs(const Json& list) {
    const auto whole = [](const Json& value) {
      const std::int64_t cost = value.integer("the cost of a column");
      require(cost >= 0 && cost < std::int64_t{1} << 30, "the cost of a column is out of range");
      return cost;
    };
    for (const Json& item : list.array("\"costs\"")) {
      Measurement& own = measurements_.emplace_back();
      own.cost = whole(item.at("cost"));
      own.discounted = whole(item.at("discounted"));
      require(own.discounted <= own.cost, "a discounted cost is the higher one");
      if (const Json* group = present(item, "group")) {
        own.group = group->string("the group of a cost");
        require(!own.group.empty(), "the group of a cost has no name");
      }
      const std::vector<char> named = columns(item.at("columns"), measured_.size());
      for (std::size_t c = 0; c < named.size(); ++c) {
        if (named[c] == 0) continue;
        require(measured_[c] == kFree, "a column has two costs");
        measured_[c] = measurements_.size() - 1;
      }
    }
    require(measurements_.size() <= 1000, "there are too many costs");
  }

  std::size_t free_place(const std::vector<char>& allowed) {
    for (std::size_t k = 0; k < places_.size(); ++k) {  // equal places get the same number
      if (places_[k].kind == Place::Kind::kFree && places_[k].allowed == allowed) return k;
    }
    places_.push_back({Place::Kind::kFree, allowed, {}});
    return places_.size() - 1;
  }
  // Reads a place and returns its number. `allowed` are the columns that may be tested at it if it
  // is free. The reader of JSON limits the depth of nesting.
  std::size_t read_place(const Json& given, std::vector<char> allowed) {
    if (given.is_null()) return free_place(allowed);
    if (const auto* word = given.get<std::string>()) {
      require(*word == "leaf", "a place of the prefix is unknown");
      places_.push_back({Place::Kind::kLeaf, {}, {}});
      return places_.size() - 1;
    }
    if (const Json* list = present(given, "allowed")) {
      return free_place(columns(*list, allowed.size()));
    }
    Place place{Place::Kind::kGiven, {}, {}};
    for (const Json& item : given.at("choices").array("\"choices\"")) {
      Place::Choice& choice = place.choices.emplace_back();
      for (const Json& test : item.at("tests").array("\"tests\"")) {
        const std::int64_t t = test.integer("a test of the prefix");
        require(t >= 0 && std::cmp_less(t, problem_.tests.size()), "there is no such test");
        choice.tests.push_back(static_cast<std::size_t>(t));
      }
      for (const Json& child : item.at("below").array("\"below\"")) {
        const auto& pair = child.array("a place below");
        require(pair.size() == 2, "a place below is not [outcome, place]");
        const std::int64_t outcome = pair[0].integer("an outcome of the prefix");
        require(outcome >= 0, "there is no such outcome");
        const std::size_t at = read_place(pair[1], allowed);
        const bool fresh = choice.below.emplace(static_cast<std::size_t>(outcome), at).second;
        require(fresh, "the prefix has an outcome twice");
      }
      choice.rest = read_place(item.at("rest"), allowed);
    }
    places_.push_back(std::move(place));
    return places_.size() - 1;
  }

  const Problem& problem_;
  std::vector<Place> places_;
  std::vector<std::vector<char>> groups_;
  std::vector<Measurement> measurements_;
  std::vector<std::size_t> measured_;  // for each column, the number of its measurement
  std::vector<State> states_;
  std::map<State, std::size_t> numbers_;
  std::size_t top_ = 0;
  std::int64_t unit_ = 1, lower_ = 0;
};

}  // namespace checker
