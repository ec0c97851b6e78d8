// Bindings of the search over arbitrary rules: a store of partitions, to which families of rules
// are added, and the search over the partitions of a store. There is no logic in this file.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/observer.hpp"
#include "bindings/search_options.hpp"
#include "search/rules/hyperplanes.hpp"
#include "search/rules/solve.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

using rules::Draft;
using rules::RuleStore;
using rules::Word;

rules::Points read_points(const RuleStore& store, const Matrix<double>& X) {
  if (X.shape(0) != store.n_points())
    throw std::invalid_argument("the store was made for a different number of points");
  return {X.shape(1), {X.data(), X.data() + X.size()}};
}

const char* ended(rules::Completeness c, const Limits& limits) {
  switch (c) {
    case rules::Completeness::complete: return "complete";
    case rules::Completeness::too_many: return "too_many";
    default: return name_of(limits.reason());
  }
}

const char* add_family(RuleStore& store, const std::string& kind, const Matrix<double>& X,
                       int family, std::uint64_t max_rules, std::uint64_t max_bytes,
                       std::uint64_t max_cuts, double time_limit, std::optional<IntArray> flats) {
  const rules::Points points = read_points(store, X);
  const auto limit = [](std::uint64_t most) { return most == 0 ? SIZE_MAX : most; };
  const rules::Allowance allowance{limit(max_rules), limit(max_bytes), limit(max_cuts)};
  Limits limits(time_limit, 0, python_interrupted);
  nb::gil_scoped_release unlocked;
  rules::Completeness done;
  if (kind == "axis") {
    done = add_thresholds(points, family, store, allowance, limits);
  } else if (kind != "hyperplane") {
    throw std::invalid_argument("unknown kind '" + kind + "'");
  } else if (flats) {
    if (!in_range(view(*flats), static_cast<std::int32_t>(store.n_points())))
      throw std::invalid_argument("a flat names a point that does not exist");
    done = add_hyperplanes_about(points, view(*flats), family, store, allowance, limits);
  } else {
    done = add_hyperplanes(points, family, store, allowance, limits);
  }
  return ended(done, limits);
}

void read_side(const Matrix<bool>& sides, std::size_t row, std::vector<Word>& words) {
  std::ranges::fill(words, Word{0});
  for (std::size_t p = 0; p < sides.shape(1); ++p)
    if (sides(row, p)) words[p / 64] |= Word{1} << (p % 64);
}

std::size_t add_sides(RuleStore& store, const Matrix<bool>& sides, int family) {
  if (sides.shape(1) != store.n_points())
    throw std::invalid_argument("the store was made for a different number of points");
  std::vector<Word> words(store.n_words());
  std::size_t n_new = 0;
  for (std::size_t i = 0; i < sides.shape(0); ++i) {
    read_side(sides, i, words);
    n_new += store.add(words, family) ? 1 : 0;
  }
  return n_new;
}

nb::object find_sides(const RuleStore& store, const Matrix<bool>& sides) {
  if (sides.shape(1) != store.n_points())
    throw std::invalid_argument("the store was made for a different number of points");
  std::vector<Word> words(store.n_words());
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < sides.shape(0); ++i) {
    read_side(sides, i, words);
    const std::size_t rule = store.find(words);
    found.push_back(rule < store.size() ? static_cast<std::int32_t>(rule) : -1);
  }
  return to_numpy(std::move(found));
}

nb::object side_of(const RuleStore& store, std::size_t rule) {
  if (rule >= store.size()) throw nb::index_error("there is no rule with this number");
  std::vector<std::uint8_t> side(store.n_points());
  for (std::size_t p = 0; p < side.size(); ++p)
    side[p] = static_cast<std::uint8_t>(store.positive(rule)[p / 64] >> (p % 64) & 1);
  return to_numpy(std::move(side));
}

// A tree as nodes in preorder: the rule and the two children of each, -1 for a leaf.
struct Nodes {
  std::vector<std::int32_t> rule, positive, negative;

  std::int32_t append(const Draft& draft) {
    const auto here = static_cast<std::int32_t>(rule.size());
    rule.push_back(draft.rule);
    positive.push_back(-1);
    negative.push_back(-1);
    if (!draft.is_leaf()) {
      const std::int32_t p = append(draft.sides[0]);
      const std::int32_t n = append(draft.sides[1]);
      positive[static_cast<std::size_t>(here)] = p;
      negative[static_cast<std::size_t>(here)] = n;
    }
    return here;
  }
};

Draft read_draft(std::span<const std::int32_t> rule, const RuleStore& store, std::size_t& next) {
  if (next >= rule.size()) throw std::invalid_argument("the start tree is incomplete");
  Draft draft{rule[next++], {}};
  if (draft.is_leaf()) return draft;
  if (static_cast<std::size_t>(draft.rule) >= store.size())
    throw std::invalid_argument("the start tree uses a rule that is not in the store");
  draft.sides.push_back(read_draft(rule, store, next));
  draft.sides.push_back(read_draft(rule, store, next));
  return draft;
}

rules::Settings read_settings(const nb::dict& switches) {
  rules::Settings settings;
  for (const auto& [key, value] : switches) {
    const auto name = nb::cast<std::string>(key);
    bool known = false;
#define X(field, what)                      \
  if (name == #field) {                     \
    settings.field = nb::cast<bool>(value); \
    known = true;                           \
  }
    TREEPROOF_RULES_SWITCHES(X)
#undef X
    if (!known) throw std::invalid_argument("unknown switch '" + name + "'");
  }
  return settings;
}

// The table has one column, whose code is the number of the point: rows at the same point with the
// same label are merged.
nb::dict solve_rules(const RuleStore& store, const EncodedTable& table,
                     const SearchOptions& options, std::int64_t split_cost,
                     std::int64_t min_weight_leaf, std::optional<IntArray> start,
                     const nb::dict& switches) {
  const auto n_points = static_cast<std::int32_t>(store.n_points());
  const std::vector<Feature> features = table.features();
  if (features.size() != 1 || features[0].n_values != n_points)
    throw std::invalid_argument("the table must have one column, the points of the store");
  const std::span<const std::int32_t> labels = table.row_labels();
  rules::Settings settings = read_settings(switches);
  settings.split_cost = split_cost;
  if (options.trees.max_splits < 0)
    throw std::invalid_argument("a search over rules needs a limit on the splits");
  settings.max_splits = options.trees.max_splits;
  if (options.trees.max_depth >= 0) settings.max_depth = options.trees.max_depth;
  settings.least_leaf = {options.trees.min_samples_leaf, min_weight_leaf};
  settings.n_threads = options.n_jobs;
  Draft first;
  if (start) {
    std::size_t next = 0;
    first = read_draft(view(*start), store, next);
  }
  Problem problem;
  double unit = 1.0;
  bool interrupted = false;
  const Observer notify = observer_for(options.observer, unit, interrupted);
  rules::RulesResult result;
  Limits limits = options.limits(interrupted);
  {
    nb::gil_scoped_release unlocked;
    problem =
        make_problem(features, view(table.codes), labels, table.n_classes, view(table.weights));
    unit = static_cast<double>(cost_of(problem.total_weight));
    result = rules::solve(store, problem, settings, first, limits, notify);
  }
  Nodes nodes;
  nodes.append(result.answer.draft);
  nb::dict out;
  out["rule"] = to_numpy(std::move(nodes.rule));
  out["positive"] = to_numpy(std::move(nodes.positive));
  out["negative"] = to_numpy(std::move(nodes.negative));
  out["lower"] = result.answer.lower;
  out["upper"] = result.answer.upper;
  out["unit"] = cost_of(problem.total_weight);  // the cost that is reported as 1.0
  out["status"] = result.answer.lower == result.answer.upper ? "optimal" : name_of(result.stop);
  out["seconds"] = limits.seconds();
  out["statistics"] = to_dict(result.statistics);
  return out;
}

}  // namespace

void bind_rules(nb::module_& m) {
  nb::class_<RuleStore>(m, "RuleStore", "Distinct partitions of points by rules.")
      .def(nb::init<std::size_t>(), "n_points"_a)
      .def("__len__", &RuleStore::size)
      .def_prop_ro("n_points", &RuleStore::n_points)
      .def("family", &RuleStore::family, "rule"_a)
      .def("side", &side_of, "rule"_a, "The points on the positive side, as zeros and ones.")
      .def("add_sides", &add_sides, "sides"_a, "family"_a = 0,
           "Add partitions, given as rows of a Boolean table; return how many of them were new.")
      .def("find_sides", &find_sides, "sides"_a,
           "The number of the rule for each partition, or -1. Point 0 is on the negative side.")
      .def("add_family", &add_family, "kind"_a, "X"_a, "family"_a = 0, "max_rules"_a = 0,
           "max_bytes"_a = 0, "max_cuts"_a = 0, "time_limit"_a = 0.0, "flats"_a = nb::none(),
           "Add all partitions by thresholds ('axis') or hyperplanes ('hyperplane').");
  m.def("solve_rules", &solve_rules, "store"_a, "table"_a, "options"_a, nb::kw_only(),
        "split_cost"_a = 0, "min_weight_leaf"_a = 0, "start"_a = nb::none(),
        "switches"_a = nb::dict(), "Search for an optimal tree over the rules of a store.");
}

}  // namespace treeproof::bindings
