// Checks a proof from its first line to the verdict: the header and its tree, the steps, and the
// conclusion.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cells.hpp"
#include "classes.hpp"
#include "deviances.hpp"
#include "errors.hpp"
#include "json.hpp"
#include "lines.hpp"
#include "numbers.hpp"
#include "path_search.hpp"
#include "paths.hpp"
#include "problem.hpp"
#include "reader.hpp"
#include "rules.hpp"
#include "tree_list.hpp"

namespace checker {

// The result of checking a proof.
struct Verdict {
  bool accepted = false;
  bool readable = true;  // false if the proof or the data could not be read
  // The step that does not hold; none if it is the header or the data.
  std::optional<std::size_t> step;
  std::string reason;  // why the proof is not accepted
  double lower_bound = 0, objective = std::numeric_limits<double>::infinity();
  bool optimal = false;
  std::size_t n_steps = 0;
  std::string statement;  // what the proof is about
  std::string measure = "objective";
  std::optional<std::int64_t> max_depth;  // the proof is about trees of this depth or less
  std::string claim;                      // what is proved, in words
};

// Returns the next line, without its end, in its argument; returns false if there is none.
using NextLine = std::function<bool(std::string&)>;

template <class Loss>
class ProofChecker {
 public:
  using Cost = typename Loss::Cost;

  ProofChecker(const Json& header, Problem& problem)
      : header_(header), problem_(problem), loss_(problem) {}

  // The statement and the number of the step are written to `verdict` at once, in case this throws.
  void check(const NextLine& next_line, Verdict& verdict) {
    read_header();
    verdict.statement = statement();
    if (max_depth_ != kNoLimit) verdict.max_depth = max_depth_;
    const Cost further = penalize_ == "leaves" ? split_cost_ : Cost{};
    read_prices(further);
    Rules<Loss> rules(problem_, loss_, search_split_cost_, further, prices_);
    std::string line;
    for (;;) {
      verdict.step = verdict.n_steps = steps_.size();
      if (!next_line(line)) break;
      Step<Cost> step = read_step(JsonReader(line).read());
      rules.check(step, steps_);
      step.uses.clear();
      step.uses.shrink_to_fit();
      steps_.push_back(std::move(step));
    }
    verdict.step.reset();
    conclude();
    const Json* paths = header_.find("paths");
    if (paths != nullptr && !paths->is_null()) claim_paths(*paths, verdict);
    else if (problem_.limits) claim_kept(verdict);
    else claim(verdict);
    verdict.accepted = true;
  }

 private:
  static Cost read_cost(const Json& value, const char* what) {
    if constexpr (std::is_integral_v<Cost>) {
      return value.integer(what);
    } else {
      return value.real(what);
    }
  }
  bool equal(Cost a, Cost b) const {
    return a <= b ? b <= a + loss_.tolerance() : a <= b + loss_.tolerance();
  }

  static std::int32_t read_limit(const Json& value, const char* what) {
    constexpr auto most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(value.limit(what, most));
  }

  void read_header() {
    max_depth_ = read_limit(header_.at("max_depth"), "\"max_depth\"");
    max_splits_ = read_limit(header_.at("max_splits"), "\"max_splits\"");
    split_cost_ = read_cost(header_.at("split_cost"), "\"split_cost\"");
    search_split_cost_ = read_cost(header_.at("search_split_cost"), "\"search_split_cost\"");
    upper_ = read_cost(header_.at("upper"), "\"upper\"");
    lower_ = read_cost(header_.at("lower"), "\"lower\"");
    root_ = header_.at("root").integer("\"root\"");
    penalty_ = header_.at("split_penalty").real("\"split_penalty\"");
    if (const Json* rule = header_.find("penalize")) {
      penalize_ = rule->string("\"penalize\"");
    }
    require(penalize_ == "splits" || penalize_ == "leaves",
            "\"penalize\" is neither \"splits\" nor \"leaves\"");
    require(equal(split_cost_, loss_.split_cost(penalty_)),
            "\"split_cost\" is not \"split_penalty\" in cost units");
    require(penalty_ >= 0 && (penalty_ <= 1 || problem_.gains || problem_.of_shares),
            "\"split_penalty\" is not from 0 to 1");
    require(split_cost_ >= 0, "\"split_cost\" is negative");
    require(upper_ >= 0 && lower_ >= 0, "\"upper\" or \"lower\" is negative");
    require(search_split_cost_ <= Loss::kMostCost, "\"search_split_cost\" is too large");
    require(search_split_cost_ >= split_cost_, "\"search_split_cost\" is below \"split_cost\"");
    require(max_splits_ != kNoLimit || search_split_cost_ == split_cost_,
            "\"search_split_cost\" differs from \"split_cost\", but splits are not limited");
    Rows all(loss_.size());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    loss_of_tree_ = tree_loss(header_.at("tree"), all, 0);
    require(max_splits_ == kNoLimit || n_splits_ <= max_splits_, "the tree has too many splits");
    n_penalties_ = penalize_ == "leaves" ? n_leaves_ - 1 : n_splits_;
    const Cost cost = loss_of_tree_ + times(split_cost_, n_penalties_);
    require(equal(cost, upper_), "\"upper\" is not the cost of the tree");
  }

  // A split into c children costs at least c - 1 times this; it is least for the widest test.
  void read_prices(Cost further) {
    const Json* given = header_.find("prices");
    if (given == nullptr || given->is_null()) return;
    require(Loss::kExact, "prices are for classification only");
    if constexpr (Loss::kExact) {
      std::size_t widest = 2;
      for (const Test& test : problem_.tests) widest = std::max(widest, test.n_outcomes);
      const Cost share = (search_split_cost_ - further) / static_cast<Cost>(widest - 1);
      prices_ = PriceReader(problem_, loss_).read(*given, further + share);
    }
  }

  // The loss of a tree. Also counts its splits and leaves. The recursion is not deeper than the
  // JSON reader has allowed.
  Cost tree_loss(const Json& node, const Rows& rows, std::int32_t depth) {
    if (const Json* prediction = node.find("predict")) {
      require(node.find("test") == nullptr, "a node of the tree has a test and a prediction");
      require(depth == 0 || loss_.samples(rows) >= problem_.min_samples_leaf,
              "a leaf of the tree has fewer rows than \"min_samples_leaf\"");
      ++n_leaves_;
      return loss_.leaf_cost(rows, *prediction);
    }
    require(max_depth_ == kNoLimit || depth < max_depth_, "the tree is too deep");
    const auto t = read_index(node.at("test"), problem_.tests.size(), "a test of the tree");
    ++n_splits_;
    Cost sum = 0;
    std::size_t n_rows = 0;
    std::set<std::size_t> outcomes;
    for (const Json& child : node.at("children").array("\"children\"")) {
      const auto& pair = child.array("a child");
      require(pair.size() == 2, "a child of the tree is not [outcome, tree]");
      const auto v = read_index(pair[0], problem_.tests[t].n_outcomes, "an outcome in the tree");
      require(outcomes.insert(v).second, "the tree has an outcome twice");
      const Rows part = problem_.restricted(rows, t, v);
      require(!part.empty(), "the tree has a child without rows");
      n_rows += part.size();
      sum += tree_loss(pair[1], part, depth + 1);
    }
    require(n_rows == rows.size(), "the tree lacks an outcome that has rows");
    require(outcomes.size() >= 2, "a test of the tree splits nothing");
    check_promises(node, rows, t);
    return sum;
  }

  // Requires that a split of the tree has a leaf as a child if the tree has to be a list, and that
  // along a directed column all leaves of one side predict the class that they must.
  void check_promises(const Json& node, const Rows& rows, std::size_t t) const {
    const auto& children = node.at("children").array("\"children\"");
    if (problem_.list) {
      const bool leaf = std::any_of(children.begin(), children.end(), [](const Json& child) {
        return child.array("a child")[1].find("predict") != nullptr;
      });
      require(leaf, "the tree is no list: both children of a split are split");
    }
    if constexpr (Loss::kExact) {
      const Column& column = problem_.columns[problem_.tests[t].column];
      if (column.direction == 0) return;
      const auto all_say = [&](std::size_t outcome) {
        return loss_.all_said(problem_.restricted(rows, t, outcome), column.says(outcome == 0));
      };
      require(all_say(0) || all_say(1), "the tree is not monotone in \"" + column.name + "\"");
    }
  }

  // A number of penalties times the cost of one.
  static Cost times(Cost cost, std::int32_t n) {
    require(static_cast<double>(cost) * n < 0x1p60 || !Loss::kExact, "a cost is too large");
    return cost * static_cast<Cost>(n);
  }

  static std::size_t read_index(const Json& value, std::size_t end, const char* what) {
    const std::int64_t index = value.integer(what);
    require(
        index >= 0 && index < static_cast<std::int64_t>(end),
        std::string(what) + " is number " + std::to_string(index) + " of " + std::to_string(end));
    return static_cast<std::size_t>(index);
  }

  Step<Cost> read_step(const Json& line) const {
    Step<Cost> step;
    const auto& branch = line.at("branch").array("\"branch\"");
    require(branch.size() % 2 == 0, "\"branch\" ends with a test without outcome");
    for (std::size_t i = 0; i + 1 < branch.size(); i += 2) {
      const auto t = read_index(branch[i], problem_.tests.size(), "a test of the branch");
      const auto v = read_index(branch[i + 1], problem_.tests[t].n_outcomes, "an outcome");
      step.branch.push_back(static_cast<std::int32_t>(t));
      step.branch.push_back(static_cast<std::int32_t>(v));
    }
    const Json* depth = line.find("depth");
    const Json* splits = line.find("splits");
    step.depth = depth == nullptr ? kNoLimit : read_limit(*depth, "\"depth\"");
    step.splits = splits == nullptr ? kNoLimit : read_limit(*splits, "\"splits\"");
    step.bound = read_cost(line.at("bound"), "\"bound\"");
    if (const Json* uses = line.find("uses")) read_uses(*uses, step.uses);
    return step;
  }

  void read_uses(const Json& uses, std::vector<Use<Cost>>& out_uses) const {
    for (const Json& use : uses.array("\"uses\"")) {
      const auto& list = use.array("a use");
      require(!list.empty(), "a use names no test");
      Use<Cost>& out = out_uses.emplace_back();
      out.test = read_index(list[0], problem_.tests.size(), "a test of a use");
      require(list.size() == problem_.tests[out.test].n_outcomes + 1,
              "a use has not one list for each outcome of " + problem_.describe(out.test));
      for (std::size_t v = 1; v < list.size(); ++v) {
        auto& cited = out.cited.emplace_back();
        auto& claims = out.claims.emplace_back();
        for (const Json& id : list[v].array("a list of cited steps")) {
          if (const auto* claim = id.get<Json::Array>()) {
            require(claim->size() == 1, "a claim is not [bound]");
            claims.push_back(read_cost((*claim)[0], "the bound of a claim"));
            continue;
          }
          const std::int64_t step_cited = id.integer("a cited step");
          require(step_cited >= kLookedAt && step_cited < std::ssize(steps_),
                  "it cites step " + std::to_string(step_cited) + ", which is not earlier");
          cited.push_back(step_cited);
        }
      }
    }
  }

  // Requires that the root step proves the bound that is claimed for the whole table.
  void conclude() const {
    require(root_ >= 0 && root_ < static_cast<std::int64_t>(steps_.size()),
            "\"root\" is step " + std::to_string(root_) + ", but the proof has " +
                std::to_string(steps_.size()) + " steps");
    const Step<Cost>& root = steps_[static_cast<std::size_t>(root_)];
    require(root.branch.empty(), "the root step is not about the whole table");
    require(covers(root.depth, max_depth_), "the root step is about shallower trees");
    require(covers(root.splits, max_splits_), "the root step is about smaller trees");
    // If splits cost more, the cost of a tree with at most max_splits splits rises by at most this.
    const Cost dearer = search_split_cost_ - split_cost_;
    const Cost surplus = dearer > 0 ? times(dearer, max_splits_) : 0;
    require(lower_ <= root.bound - surplus + loss_.tolerance(),
            "\"lower\" is more than the root step proves");
    require(lower_ <= upper_ + loss_.tolerance(), "\"lower\" is above \"upper\"");
    if constexpr (Loss::kExact) {
      if (problem_.ratio) loss_.check(*problem_.ratio, lower_, split_cost_, problem_.n_rows());
    }
  }

  // States what is proved about the tree, in the user's unit.
  void claim(Verdict& out) const {
    out.optimal = lower_ + loss_.tolerance() >= upper_;
    if (const auto& ratio = problem_.ratio) {
      out.optimal = ratio->optimal();
      out.measure = ratio->name();
      out.objective = ratio->value().short_of_one();
      out.lower_bound = ratio->bound().short_of_one();
      say(out, ratio->value().value(), "above", ratio->bound().value());
      return;
    }
    const double penalties = penalty_ * n_penalties_;
    out.objective = loss_.objective(loss_of_tree_) + penalties;
    out.lower_bound = loss_.objective(lower_);
    bool reward = false;
    if constexpr (Loss::kExact) {
      if (problem_.gains) {
        const std::string& measure = header_.at("measure").string("\"measure\"");
        reward = measure == "reward";
        out.measure = "mean " + measure;
        out.objective = loss_.mean_cost() + penalties;
        out.lower_bound = loss_.least_mean_cost(lower_);
      }
    }
    out.lower_bound = out.optimal ? out.objective : std::min(out.objective, out.lower_bound);
    const double sign = reward ? -1 : 1;
    say(out, sign * out.objective, reward ? "above" : "below", sign * out.lower_bound);
  }
  // States what is proved about a tree that keeps limits on rates.
  void claim_kept(Verdict& out) {
    if constexpr (Loss::kExact) {
      const Limits& limits = *problem_.limits;
      Rows all(loss_.size());
      std::iota(all.begin(), all.end(), std::uint32_t{0});
      n_splits_ = n_leaves_ = 0;
      tree_loss(limits.tree(), all, 0);
      require(max_splits_ == kNoLimit || n_splits_ <= max_splits_, "the tree has too many splits");
      const std::int32_t n = penalize_ == "leaves" ? n_leaves_ - 1 : n_splits_;
      const std::int64_t wrong = limits.check_tree(loss_.said());
      const auto [least, parts] = loss_.least_cost(lower_);
      const auto [errors, penalties] = limits.bound(least, parts);
      out.optimal = !limits.cheaper(errors, penalties, wrong, n);
      const double cost = limits.cost(wrong, n), total = static_cast<double>(limits.total());
      const double bound = limits.cost(errors, penalties);
      if (limits.listed() && !out.optimal) {
        check_list(wrong, n);
        out.optimal = true;
      }
      out.objective = cost / total;
      out.lower_bound = (out.optimal ? cost : std::min(bound, cost)) / total;
      say(out, out.objective, "below", out.lower_bound);
    }
  }
  // States what is proved about a tree if its paths decide which tests are allowed and what they
  // cost.
  void claim_paths(const Json& given, Verdict& out) {
    require(Loss::kExact, "paths are for classification only");
    if constexpr (Loss::kExact) {
      require(!problem_.limits && !problem_.ratio && !problem_.list && !problem_.directed &&
                  max_splits_ == kNoLimit,
              "paths do not go with limits of rates or splits, ratios, lists or directions");
      const std::size_t n_columns = header_.at("features").array("\"features\"").size();
      Paths paths(given, problem_, n_columns);
      require(!paths.priced() || (loss_.whole_weight() >= 0 && plain_weights()),
              "costs of columns go with whole weights of rows, and no others");
      PathSearch search(problem_, loss_, paths, split_cost_, penalty_, penalize_ == "leaves");
      Rows all(loss_.size());
      std::iota(all.begin(), all.end(), std::uint32_t{0});
      std::int64_t paid = 0;
      require(search.keeps(header_.at("tree"), all, 0, paid), "the tree is not allowed by paths");
      const Cost own = search.whole(loss_of_tree_, n_penalties_, paid);
      require(paths.lower() <= own, "no tree costs more than the given one");
      const Cost shown = search.lower(all, max_depth_, 0, paths.lower());
      require(shown >= paths.lower(), "the lower bound of paths does not hold");
      out.optimal = paths.lower() >= own;
      state_paths(paths, paid, out);
    }
  }
  // Whether no class has a weight other than 1.
  bool plain_weights() const {
    const Json* factors = header_.find("class_weight");
    if (factors == nullptr) return true;
    for (const Json& factor : factors->array("\"class_weight\"")) {
      if (factor.real("a class weight") != 1.0) return false;
    }
    return true;
  }
  void state_paths(const Paths& paths, std::int64_t paid, Verdict& out) const {
    const auto unit = static_cast<double>(paths.unit());
    const double penalties = penalty_ * n_penalties_;
    bool reward = false;
    if (problem_.gains) {
      const std::string& measure = header_.at("measure").string("\"measure\"");
      reward = measure == "reward";
      out.measure = "mean " + measure;
    }
    if constexpr (Loss::kExact) {
      if (problem_.gains) {
        const double whole = std::ldexp(problem_.gains->weight, 20 + problem_.gains->exponent);
        out.objective = loss_.mean_cost() + penalties + static_cast<double>(paid) / unit / whole;
        out.lower_bound = loss_.least_mean_cost(paths.lower() / paths.unit());
      } else {
        const auto all = static_cast<double>(loss_.everything());
        out.objective =
            loss_.objective(loss_of_tree_) + penalties + static_cast<double>(paid) / unit / all;
        out.lower_bound = static_cast<double>(paths.lower()) / unit / all;
      }
    }
    out.lower_bound = out.optimal ? out.objective : std::min(out.objective, out.lower_bound);
    const double sign = reward ? -1 : 1;
    say(out, sign * out.objective, reward ? "above" : "below", sign * out.lower_bound);
  }
  // Requires that no tree of the list both keeps the limits and costs less.
  void check_list(std::int64_t wrong, std::int64_t n_penalties) {
    if constexpr (Loss::kExact) {
      const Limits& limits = *problem_.limits;
      require(max_splits_ == kNoLimit && !problem_.list && !problem_.directed,
              "a list is of trees without a limit of splits, directions or shape");
      TreeList list(problem_, loss_, limits, split_cost_, penalize_ == "leaves");
      const Rules<Loss> rules(problem_, loss_, search_split_cost_, 0, prices_);
      for (const Step<Cost>& step : steps_) {
        if (step.splits == kNoLimit) list.take(rules.rows_of(step.branch), step.depth, step.bound);
      }
      const double budget =
          limits.budget(wrong, n_penalties, split_cost_, loss_.least_cost(0).first);
      require(budget < static_cast<double>(TreeList::kMostBudget), "the list is too long");
      if (budget < 0) return;
      const Wide own = limits.rounded_cost(wrong, n_penalties, split_cost_);
      Rows all(loss_.size());
      std::iota(all.begin(), all.end(), std::uint32_t{0});
      for (const auto& tree : list.trees(all, max_depth_, static_cast<Cost>(budget))) {
        const Wide cost = limits.rounded_cost(tree.errors, tree.penalties, split_cost_);
        require(own <= cost || !list.keeps(tree), "a tree that costs less keeps the limits");
      }
    }
  }
  static void say(Verdict& out, double own, const char* beyond, double least) {
    out.claim = out.optimal ? "optimal, " + out.measure + " " + shortest(own)
                            : out.measure + " " + shortest(own) + ", no tree " + beyond + " " +
                                  shortest(least);
  }

  std::string statement() const {
    const auto limit = [](const Json& value) {
      return value.is_null() ? std::string("none") : std::string(value.text);
    };
    return problem_.about + ", " + std::to_string(problem_.tests.size()) +
           " tests, split_penalty " +
           written(problem_.limits ? problem_.limits->split_penalty() : penalty_) + " for " +
           penalize_ + ", max_depth " + limit(header_.at("max_depth")) + ", max_splits " +
           limit(header_.at("max_splits")) + ", min_samples_leaf " +
           std::to_string(problem_.min_samples_leaf) + problem_.promises +
           Paths::words(header_.find("paths")) +
           (Loss::kExact ? ", exact" : ", within 1e-09 in each comparison");
  }

  const Json& header_;
  Problem& problem_;
  Loss loss_;
  std::vector<Step<Cost>> steps_;
  std::int32_t max_depth_ = kNoLimit, max_splits_ = kNoLimit, n_splits_ = 0, n_leaves_ = 0,
               n_penalties_ = 0;
  Cost split_cost_{}, search_split_cost_{}, upper_{}, lower_{}, loss_of_tree_{};
  std::int64_t root_ = 0;
  double penalty_ = 0;
  std::string penalize_ = "splits";
  Prices prices_;
};

// Checks a proof against a table; `roles` says which of its columns are targets, weights and so on.
// `poll` is called often; exceptions that it throws are passed on.
inline Verdict check_proof(const NextLine& next_line, const DataTable& table, const Roles& roles,
                           const std::function<void()>& poll) {
  Verdict verdict;
  const auto cannot = [&verdict](const std::string& why) {
    verdict.reason = why;
    verdict.readable = false;
  };
  try {
    std::string line;
    if (!next_line(line)) throw Unreadable("the proof is empty");
    if (line.starts_with("\x1f\x8b")) {
      throw Unreadable("the proof is compressed: pipe it through gzip -dc");
    }
    const Json header = JsonReader(line).read();
    const std::int64_t version = header.at("version").integer("\"version\"");
    const bool named = header.at("format").string("\"format\"") == "treeproof-proof";
    if (!named || version < 2 || version > 4) {
      throw Unreadable("this is not version 2, 3 or 4 of the format \"treeproof-proof\"");
    }
    Problem problem = ProblemReader(header, table).read(roles, poll);
    if (problem.n_classes > 0 && !problem.of_shares) {
      ProofChecker<Classes>(header, problem).check(next_line, verdict);
    } else if (problem.family == Family::kLogs) {
      ProofChecker<Deviances>(header, problem).check(next_line, verdict);
    } else if (problem.family == Family::kLines) {
      ProofChecker<Lines>(header, problem).check(next_line, verdict);
    } else {
      ProofChecker<Numbers>(header, problem).check(next_line, verdict);
    }
  } catch (const Rejected& error) {
    verdict.reason = error.what();
  } catch (const Unreadable& error) {
    cannot(error.what());
  } catch (const std::bad_alloc&) {
    cannot("there is not enough memory");
  } catch (const std::length_error&) {
    cannot("there is not enough memory");
  }
  return verdict;
}

}  // namespace checker
