// Bindings of the portfolio of searches.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bindings/answer.hpp"
#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "bindings/step_log.hpp"
#include "bindings/threshold_switches.hpp"
#include "search/portfolio/fit_table.hpp"
#include "search/portfolio/solve.hpp"

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
  out["n_splits"] = known.tree.n_splits();
  out["n_leaves"] = known.tree.n_leaves();
  return out;
}

const char* role_name(portfolio::Role role) {
  switch (role) {
    case portfolio::Role::level: return "depth";
    case portfolio::Role::trees: return "trees";
    case portfolio::Role::prices: return "prices";
    default: return "whole";
  }
}

// Passes events of a fit to Python. Bounds go to `observer`, as in every search; if there is a
// `ladder`, it receives the certificates of the levels of depth, better trees, and now and then
// what is known about the level that is being proved.
template <class Value, class Fit>
class Messenger {
 public:
  Messenger(const std::optional<nb::callable>& observer, const std::optional<nb::callable>& ladder,
            const Fit& fit, bool& interrupted, const Limits& limits)
      : observer_(observer), ladder_(ladder), fit_(fit), interrupted_(interrupted),
        limits_(limits) {}

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
    const auto unit = static_cast<double>(fit_.unit());
    if (level != nullptr) {
      if (!ladder_) return;
      nb::dict known = to_dict(*level);
      known["unit"] = unit;
      (*ladder_)(level->open ? "open" : "level", known);
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
                   limits_.seconds(), static_cast<double>(lower) / unit,
                   static_cast<double>(upper) / unit, board.news());
    if (ladder_ && better) {
      nb::dict tree;
      tree["tree"] = table_of(fit_.restore(board.best(board.max_depth())->tree));
      tree["upper"] = upper;
      (*ladder_)("tree", tree);
    }
  }

  const std::optional<nb::callable>& observer_;
  const std::optional<nb::callable>& ladder_;
  const Fit& fit_;
  bool& interrupted_;
  const Limits& limits_;
  bool told_ = false;
  Value upper_{};
  Value lower_{};
};

template <class Value, class Fit>
nb::dict describe(const portfolio::Answer<Value>& answer, const Fit& fit, const Limits& limits) {
  const auto& whole = answer.outcome.certificates.back();
  nb::dict out;
  out["tree"] = table_of(answer.tree);
  out["lower"] = whole.lower;
  out["upper"] = whole.upper;
  out["unit"] = fit.unit();
  out["split_cost"] = answer.split_cost;
  out["status"] = whole.optimal ? "optimal" : name_of(answer.outcome.stop);
  out["seconds"] = limits.seconds();
  out["n_merged_rows"] = fit.n_rows();
  nb::list levels;
  for (const auto& known : answer.outcome.certificates) {
    nb::dict level = to_dict(known);
    level["tree"] = table_of(known.tree);
    levels.append(level);
  }
  out["certificates"] = levels;
  nb::list shares;
  nb::dict sums = bindings::to_dict(fit.statistics());
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

// The best prices for trees of any depth and for each level, so that a proof can cite them.
nb::list describe_prices(const portfolio::Answer<Cost>& answer) {
  nb::list out;
  const auto add = [&](nb::object max_depth, const prices::Prices& prices) {
    nb::dict one;
    one["max_depth"] = std::move(max_depth);
    one["of_point"] = to_numpy(std::vector<Cost>(prices.of_point));
    one["per_leaf"] = answer.cost_per_leaf;
    one["bound"] = portfolio::bound_of(answer, prices);
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
  const SparseOptions own = sparse_options == nullptr ? SparseOptions{} : *sparse_options;
  portfolio::LabelFitOptions how{sparse, threshold, for_proof, own.engine};
  how.engine.n_threads = options.n_jobs;
  portfolio::LabelFit fit({table.features(), view(table.codes), table.row_labels(), table.n_classes,
                           view(table.weights)},
                          make_request(options, {climb, polish, levels_first, tolerance}), how);
  bool interrupted = false;
  Limits limits = options.limits(interrupted);
  Messenger<Cost, portfolio::LabelFit> messenger(options.observer, ladder, fit, interrupted,
                                                 limits);
  std::optional<proof::SearchFiles> files;
  const auto open_files = [&](Problem& problem, sparse::Options& engine) {
    problem.key_seed = own.key_seed;
    files.emplace(problem, options.trees, own.proof_log, own.checkpoint, engine);
    return files->listener();
  };
  portfolio::Answer<Cost> answer;
  {
    nb::gil_scoped_release unlocked;
    answer = fit.run(open_files, limits, std::ref(messenger));
    if (files) files->finish();
  }
  nb::dict out = describe(answer, fit, limits);
  if (for_proof) out["prices"] = describe_prices(answer);
  if (files && files->log() != nullptr) describe_log(*files, out);
  return out;
}

nb::dict climb_targets(const EncodedTable& table, const SearchOptions& options,
                       std::optional<nb::callable> ladder, bool climb, bool polish,
                       bool levels_first, std::pair<double, double> tolerance) {
  const portfolio::TargetFit fit(table.features(), view(table.codes), table.row_targets(),
                                 table.criterion,
                                 make_request(options, {climb, polish, levels_first, tolerance}));
  bool interrupted = false;
  Limits limits = options.limits(interrupted);
  Messenger<double, portfolio::TargetFit> messenger(options.observer, ladder, fit, interrupted,
                                                    limits);
  portfolio::Answer<double> answer;
  {
    nb::gil_scoped_release unlocked;
    answer = fit.run(limits, std::ref(messenger));
  }
  return describe(answer, fit, limits);
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
