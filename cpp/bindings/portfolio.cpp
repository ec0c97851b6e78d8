// Bindings of the portfolio of searches.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "bindings/step_log.hpp"
#include "bindings/threshold_switches.hpp"
#include "bounds/rounding.hpp"
#include "data/weights.hpp"
#include "search/portfolio/reduced_table.hpp"
#include "search/portfolio/solve.hpp"
#include "tree/fold_chains.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

nb::dict table_of(const SplitTree& tree) {
  SplitTable table;
  table.append(tree);
  return std::move(table).to_dict();
}

nb::object depth_of(int max_depth) {
  return max_depth == portfolio::kAnyDepth ? nb::none() : nb::cast(max_depth);
}

template <class Value>
nb::dict to_dict(const portfolio::Certificate<Value>& known) {
  nb::dict out;
  out["max_depth"] = depth_of(known.max_depth);
  out["upper"] = known.upper;
  out["lower"] = known.lower;
  out["optimal"] = known.optimal;
  out["seconds"] = known.seconds;
  out["n_splits"] = known.n_splits;
  out["n_leaves"] = known.n_leaves;
  return out;
}

const char* role_name(portfolio::Role role) {
  switch (role) {
    case portfolio::Role::level: return "depth";
    case portfolio::Role::trees: return "trees";
    case portfolio::Role::prices: return "prices";
    default: return "question";
  }
}

// Passes events of a fit to Python. Bounds go to `observer`, as in every search; if there is a
// `ladder`, it receives the certificates of the levels of depth, and better trees.
template <class Value>
class Messenger {
 public:
  Messenger(const std::optional<nb::callable>& observer, const std::optional<nb::callable>& ladder,
            const double& unit, bool& interrupted, const Limits& limits)
      : observer_(observer), ladder_(ladder), unit_(unit), interrupted_(interrupted),
        limits_(limits) {}

  // Trees are trees of the reduced table and have to be translated back to the given one.
  void set_reduced(const portfolio::ReducedTable& reduced) { reduced_ = &reduced; }

  void operator()(const portfolio::Board<Value>& board,
                  const portfolio::Certificate<Value>* level) {
    // After Ctrl-C, no more events are passed on.
    if ((!observer_ && !ladder_) || interrupted_) return;
    nb::gil_scoped_acquire lock;
    try {
      tell(board, level);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted_ = true;
    }
  }

 private:
  void tell(const portfolio::Board<Value>& board, const portfolio::Certificate<Value>* level) {
    if (level != nullptr) {
      if (!ladder_) return;
      nb::dict known = to_dict(*level);
      known["unit"] = unit_;
      (*ladder_)("level", known);
      return;
    }
    const Value upper = board.upper(board.max_depth());
    const Value lower = std::min(board.lower(board.max_depth()), upper);
    const bool better = !told_ || upper < upper_;
    const bool news = better || lower_ < lower;
    told_ = true;
    upper_ = upper;
    lower_ = std::max(lower, lower_);
    if (observer_ && news)
      (*observer_)(static_cast<int>(better ? EventKind::incumbent : EventKind::bound),
                   limits_.seconds(), static_cast<double>(lower) / unit_,
                   static_cast<double>(upper) / unit_, board.news());
    if (ladder_ && better) {
      nb::dict tree;
      const auto best = board.best(board.max_depth());
      tree["tree"] = table_of(reduced_ == nullptr ? best->tree : reduced_->restore(best->tree));
      tree["upper"] = upper;
      (*ladder_)("tree", tree);
    }
  }

  const std::optional<nb::callable>& observer_;
  const std::optional<nb::callable>& ladder_;
  const double& unit_;
  bool& interrupted_;
  const Limits& limits_;
  const portfolio::ReducedTable* reduced_ = nullptr;
  bool told_ = false;
  Value upper_{};
  Value lower_{};
};

template <class Value>
nb::dict describe(const portfolio::Answer<Value>& answer, Value unit, const Limits& limits,
                  std::int64_t n_rows) {
  const auto& whole = answer.outcome.certificates.back();
  nb::dict out;
  out["tree"] = table_of(answer.tree);
  out["lower"] = whole.lower;
  out["upper"] = whole.upper;
  out["unit"] = unit;
  out["split_cost"] = answer.split_cost;
  out["status"] = whole.optimal ? "optimal" : name_of(answer.outcome.stop);
  out["seconds"] = limits.seconds();
  out["n_merged_rows"] = n_rows;
  nb::list levels;
  for (const auto& known : answer.outcome.certificates) levels.append(to_dict(known));
  out["certificates"] = levels;
  nb::list shares;
  nb::dict sums;
  for (const portfolio::Share& share : answer.outcome.shares) {
    nb::dict entry;
    entry["engine"] = share.engine;
    entry["role"] = role_name(share.role);
    entry["max_depth"] = depth_of(share.max_depth);
    entry["seconds"] = share.seconds;
    entry["counted"] = share.counted;
    shares.append(entry);
    for (const auto& [name, value] : share.statistics) {
      const auto before = sums.contains(name.c_str()) ? nb::cast<std::int64_t>(sums[name.c_str()])
                                                      : std::int64_t{0};
      sums[name.c_str()] = before + value;
    }
  }
  out["shares"] = shares;
  out["statistics"] = sums;
  return out;
}

// With more classes, computing the gains of every pair of classes takes more time than it saves.
constexpr int kMostPaired = 4;

std::vector<double> as_doubles(const std::vector<Weight>& weights) {
  return {weights.begin(), weights.end()};
}

// How the engines of a fit by levels share their time.
struct Climbing {
  bool climb, polish, levels_first;
  std::pair<double, double> tolerance;  // absolute, relative
};

portfolio::Request make_request(const SearchOptions& options, const Climbing& how) {
  portfolio::Request request;
  request.tree_limits = options.trees;
  request.climb = how.climb;
  request.polish = how.polish;
  request.levels_first = how.levels_first;
  request.absolute_tolerance = how.tolerance.first;
  request.relative_tolerance = how.tolerance.second;
  request.switches = read_switches(nb::dict(), options.n_jobs);
  return request;
}

// The weight of all rows, and the cost of a single leaf.
struct Totals {
  std::int64_t weight = 0;
  Cost leaf = 0;
};

Totals totals_of(std::span<const std::int32_t> labels, int n_classes,
                 const std::vector<Weight>& weights) {
  std::vector<std::int64_t> of_class(static_cast<std::size_t>(n_classes), 0);
  for (std::size_t r = 0; r < labels.size(); ++r)
    of_class[static_cast<std::size_t>(labels[r])] += weights[r];
  const auto total = std::accumulate(of_class.begin(), of_class.end(), std::int64_t{0});
  return {total, cost_of(total - std::ranges::max(of_class))};
}

// The best prices for trees of any depth and for each level, so that a proof can cite them.
nb::list describe_prices(const portfolio::Answer<Cost>& answer) {
  nb::list out;
  const auto add = [&](nb::object max_depth, const prices::Prices& prices) {
    nb::dict one;
    one["max_depth"] = std::move(max_depth);
    one["of_point"] = to_numpy(std::vector<Cost>(prices.of_point));
    one["per_leaf"] = answer.cost_per_leaf;
    one["bound"] = bounds::rounding(answer.split_cost, 0, prices.total - answer.cost_per_leaf, 0);
    out.append(one);
  };
  if (answer.prices != nullptr) add(nb::none(), *answer.prices);
  for (const auto& [level, prices] : answer.level_prices) add(nb::int_(level), *prices);
  return out;
}

nb::dict climb_labels(const EncodedTable& table, const SearchOptions& options,
                      std::optional<nb::callable> ladder, bool sparse, bool threshold, bool climb,
                      bool polish, bool levels_first, bool for_proof,
                      std::pair<double, double> tolerance, const SparseOptions* sparse_options) {
  // Long: the table, both forms of it and the search live under one release of the lock.
  const SparseOptions own = sparse_options == nullptr ? SparseOptions{} : *sparse_options;
  const std::span<const std::int32_t> labels = table.row_labels();
  const int n_classes = table.n_classes;
  portfolio::Request request = make_request(options, {climb, polish, levels_first, tolerance});
  portfolio::LabelEngines engines;
  engines.sparse = own.engine;
  engines.sparse.n_threads = options.n_jobs;
  request.prices = engines.sparse.switches.prices;
  request.price_parts = !for_proof;
  double unit = 1.0;
  bool interrupted = false;
  Limits limits = options.limits(interrupted);
  Messenger<Cost> messenger(options.observer, ladder, unit, interrupted, limits);
  Problem problem;
  Totals totals;
  std::int64_t n_merged = 0;
  portfolio::Answer<Cost> answer;
  std::optional<proof::SearchFiles> files;
  portfolio::ReducedTable reduced(table.features(), view(table.codes));
  messenger.set_reduced(reduced);
  std::int64_t forced = 0;
  {
    nb::gil_scoped_release unlocked;
    // Equal rows are merged, and their weights rounded, once for all engines. The threshold search
    // needs every single row only if leaves have a minimum size. It also takes the rows as they are
    // if no rows are equal, so that large tables are not copied.
    bool every_row = threshold && options.trees.min_samples_leaf > 1;
    std::vector<Weight> rounded;
    std::vector<double> as_rounded;
    std::span<const double> given = view(table.weights);
    if (every_row) {
      rounded = whole_weights(given, false);
      as_rounded = as_doubles(rounded);
      given = as_rounded;
    }
    Columns columns;
    std::vector<Weight> swings, pair_gains;
    try {
      // A proof refers to every column, so a search that writes one must not remove columns.
      if (!for_proof) reduced.reduce(given, n_classes, request.tree_limits);
      if (!every_row && !sparse && !for_proof &&
          all_rows_differ(reduced.features(), reduced.codes(), table.n_rows())) {
        every_row = true;
        rounded = whole_weights(given, false);
      }
      if (sparse || !every_row) {
        const auto prepare = sparse ? make_problem : merge_rows;
        problem =
            prepare(reduced.features(), reduced.codes(), labels, n_classes, given, {}, &limits);
        problem.key_seed = own.key_seed;
        totals = {problem.total_weight, evaluate(problem, flatten({}), 0)};
        n_merged = problem.n_rows();
      } else {
        totals = totals_of(labels, n_classes, rounded);
        n_merged = table.n_rows_32();
      }
      unit = static_cast<double>(cost_of(totals.weight));
      if (threshold) {
        columns =
            every_row
                ? sort_borrowed(reduced.features(), reduced.codes(), table.n_rows_32(), &limits)
                : sort_borrowed(problem.features, problem.codes, problem.n_rows(), &limits);
        engines.columns = &columns;
        engines.labels = {
            every_row ? labels : std::span<const std::int32_t>(problem.label), n_classes,
            every_row ? std::span<const Weight>(rounded) : std::span<const Weight>(problem.weight),
            totals.weight};
        if (!every_row) swings = find_swings(problem);
        if (!swings.empty() && 2 < n_classes && n_classes <= kMostPaired)
          pair_gains = find_pair_gains(problem, swings);
        engines.labels.swings = swings;
        engines.labels.pair_gains = pair_gains;
        forced = engines.labels.forced() >> kCostBits;
      }
      if (sparse) {
        engines.problem = &problem;
        files.emplace(problem, request.tree_limits, own.proof_log, own.checkpoint, engines.sparse);
        engines.listener = files->listener();
      }
      answer = portfolio::solve_labels(engines, request, totals.weight, totals.leaf, limits,
                                       std::ref(messenger));
    } catch (const Stopped&) {
      // A limit was reached before the table was ready for a search.
      totals = totals_of(labels, n_classes, whole_weights(given, false));
      n_merged = 0;
      answer = portfolio::leaf_of_labels(request, totals.weight, totals.leaf, limits,
                                         std::ref(messenger));
    }
    if (files) files->finish();
    answer.tree = reduced.restore(std::move(answer.tree));
    if (request.tree_limits.penalize == Penalize::leaves)
      fold_chains(answer.tree, table.features(), view(table.codes));
  }
  nb::dict out = describe(answer, cost_of(totals.weight), limits, n_merged);
  out["statistics"]["idle_columns"] = reduced.n_idle();
  out["statistics"]["forced_weight"] = forced;
  if (for_proof) out["prices"] = describe_prices(answer);
  if (files && files->log() != nullptr) describe_log(*files, out);
  return out;
}

nb::dict climb_targets(const EncodedTable& table, const SearchOptions& options,
                       std::optional<nb::callable> ladder, bool climb, bool polish,
                       bool levels_first, std::pair<double, double> tolerance) {
  const Targets given = table.row_targets();
  const portfolio::Request request =
      make_request(options, {climb, polish, levels_first, tolerance});
  const double unit = 1.0;
  bool interrupted = false;
  Limits limits = options.limits(interrupted);
  Messenger<double> messenger(options.observer, ladder, unit, interrupted, limits);
  portfolio::Answer<double> answer;
  {
    nb::gil_scoped_release unlocked;
    try {
      const Columns columns =
          sort_columns(table.features(), view(table.codes), table.n_rows_32(), &limits);
      answer = portfolio::solve_targets(columns, given, table.criterion, request, limits,
                                        std::ref(messenger));
    } catch (const Stopped&) {
      answer = portfolio::leaf_of_targets(given, request, limits, std::ref(messenger));
    }
    if (request.tree_limits.penalize == Penalize::leaves)
      fold_chains(answer.tree, table.features(), view(table.codes));
  }
  return describe(answer, unit, limits, static_cast<std::int64_t>(table.n_rows()));
}

}  // namespace

void bind_portfolio(nb::module_& m) {
  m.def("climb_labels", &climb_labels, "table"_a, "options"_a, nb::kw_only(),
        "ladder"_a = nb::none(), "sparse"_a = true, "threshold"_a = true, "climb"_a = true,
        "polish"_a = true, "levels_first"_a = false, "for_proof"_a = false,
        "tolerance"_a = std::pair(0.0, 0.0), "sparse_options"_a.none() = nb::none(),
        "Search for an optimal classification tree with several engines that take turns, and "
        "prove one level of depth after the other.");
  m.def("climb_targets", &climb_targets, "table"_a, "options"_a, nb::kw_only(),
        "ladder"_a = nb::none(), "climb"_a = true, "polish"_a = true, "levels_first"_a = false,
        "tolerance"_a = std::pair(0.0, 0.0), "The same for a regression tree.");
}

}  // namespace treeproof::bindings
