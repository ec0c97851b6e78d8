// Bindings of prices, for tests, experiments and pictures.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bindings/encoded_table.hpp"
#include "bindings/search_options.hpp"
#include "bounds/prices/first_splits.hpp"
#include "bounds/prices/fuzzy_pricing.hpp"
#include "bounds/prices/price_maker.hpp"
#include "bounds/prices/shallow_pricing.hpp"
#include "core/limits.hpp"
#include "data/weights.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace treeproof::bindings {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

// A pricer for boxes of at most this many conditions; -1: of any number.
std::unique_ptr<prices::Pricer> make_pricer(const prices::Points& points, int max_conditions,
                                            int n_jobs = 1) {
  if (max_conditions < 0) return std::make_unique<prices::FuzzyPricer>(points, kMostBytes, n_jobs);
  return std::make_unique<prices::ShallowPricer>(points, max_conditions);
}

// What the rows of a table weigh, and the penalty of a leaf in the unit of prices.
struct PricedTable {
  std::vector<Feature> features;
  std::vector<Weight> weights;
  std::int64_t total;
  Cost two_way, per_leaf;  // the penalties of a split in two, and of a leaf

  PricedTable(const EncodedTable& table, const TreeLimits& limits)
      : features(table.features()), weights(whole_weights(view(table.weights))),
        total(std::accumulate(weights.begin(), weights.end(), std::int64_t{0})),
        two_way(split_cost(limits.split_penalty, total)),
        per_leaf(prices::cost_per_leaf(two_way, features, limits.penalize)) {}

  std::optional<prices::Points> points(const EncodedTable& table) const {
    return prices::make_points(features, view(table.codes), table.row_labels(), table.n_classes,
                               weights);
  }
};

// Prices are integers in units of cost, 2^-20 of a unit of weight. `unit` is the number of these
// units that the whole table weighs.
nb::dict make_prices(const EncodedTable& table, const SearchOptions& options, std::int64_t work,
                     int parts) {
  const PricedTable priced(table, options.trees);
  bool interrupted = false;
  nb::dict answer;
  std::vector<Cost> of_row(table.n_rows(), 0);
  Cost bound = 0;
  std::int64_t nodes = 0;
  std::int64_t certified = 0;
  Cost bound_with_parts = 0;
  std::int64_t n_parts = 0;
  bool finished = false;
  double hoped = 0.0;
  {
    nb::gil_scoped_release unlocked;
    Limits limits = options.limits(interrupted);
    if (const auto points = priced.points(table)) {
      prices::SplitRules rules{priced.two_way, priced.per_leaf, kMostBytes, parts, options.n_jobs};
      prices::PricedPart whole(*points, rules);
      const prices::PriceMaker& maker = whole.maker();
      while (!finished && whole.work() < work && !limits.stop())
        finished = !whole.run(work - whole.work(), parts > 0, limits);
      of_row = prices::prices_of_rows(*points, *maker.best(), priced.weights);
      bound = maker.bound();
      bound_with_parts = whole.bound();
      n_parts = whole.n_parts();
      nodes = maker.n_nodes();
      certified = maker.n_certified();
      hoped = maker.hoped();
    }
  }
  const auto unit = static_cast<double>(cost_of(priced.total));
  answer["prices"] = to_numpy(std::move(of_row));
  answer["split_cost"] = priced.per_leaf;
  answer["unit"] = cost_of(priced.total);
  answer["bound"] = bound;
  answer["lower"] = static_cast<double>(bound) / unit;
  answer["hoped"] = hoped / unit;
  answer["nodes"] = nodes;
  answer["certified"] = certified;
  answer["finished"] = finished;
  answer["bound_with_parts"] = bound_with_parts;
  answer["parts"] = n_parts;
  return answer;
}

// Prices for trees of at most `max_depth` levels.
nb::dict make_shallow_prices(const EncodedTable& table, const SearchOptions& options,
                             std::int64_t work) {
  const PricedTable priced(table, options.trees);
  const auto points = priced.points(table);
  if (!points) throw std::invalid_argument("too many values");
  bool interrupted = false;
  prices::PriceMaker maker(*points, priced.per_leaf, make_pricer(*points, options.trees.max_depth));
  {
    nb::gil_scoped_release unlocked;
    Limits limits = options.limits(interrupted);
    while (maker.work() < work && !limits.stop() && maker.run(work - maker.work(), limits)) {
    }
  }
  nb::dict answer;
  answer["prices"] = to_numpy(prices::prices_of_rows(*points, *maker.best(), priced.weights));
  answer["split_cost"] = priced.per_leaf;
  answer["unit"] = cost_of(priced.total);
  answer["bound"] = maker.bound();
  answer["hoped"] = maker.hoped() / static_cast<double>(cost_of(priced.total));
  answer["factor"] = maker.factor();
  answer["nodes"] = maker.n_nodes();
  answer["certified"] = maker.n_certified();
  return answer;
}

// The points of a table whose rows all weigh 1 and have the same label.
prices::Points plain_points(const EncodedTable& table) {
  const std::vector<Weight> ones(table.n_rows(), 1);
  const std::vector<std::int32_t> labels(table.n_rows(), 0);
  auto points = prices::make_points(table.features(), view(table.codes), labels, 1, ones);
  if (!points) throw std::invalid_argument("too many values");
  return *std::move(points);
}

// The largest weight of a box or, if the allowed work does not suffice, an upper bound on it.
nb::dict heaviest_box(const EncodedTable& table, const IntArray& row_weights, int threshold,
                      std::int64_t work, int max_conditions, int n_jobs) {
  if (row_weights.size() != table.n_rows())
    throw std::invalid_argument("there must be one weight for each row");
  const prices::Points points = plain_points(table);
  std::vector<std::int32_t> weights(static_cast<std::size_t>(points.size()), 0);
  for (std::size_t row = 0; row < table.n_rows(); ++row)
    weights[static_cast<std::size_t>(points.point_of[row])] += view(row_weights)[row];
  const std::unique_ptr<prices::Pricer> pricer = make_pricer(points, max_conditions, n_jobs);
  const std::unique_ptr<prices::Pricing> pricing = pricer->begin(weights, threshold);
  Limits limits;
  nb::dict answer;
  answer["done"] = pricing->run(work, limits);
  answer["most"] = pricing->most();
  answer["nodes"] = pricing->n_nodes();
  return answer;
}

const char* name_of(prices::Choice choice) {
  switch (choice) {
    case prices::Choice::interval: return "interval";
    case prices::Choice::subset: return "subset";
    default: return "one";
  }
}

// The axes of the boxes that prices are about: for each of them its kind of condition and the codes
// of all rows. Also which rows are at the same point.
nb::dict price_axes(const EncodedTable& table) {
  const prices::Points points = plain_points(table);
  nb::list axes;
  for (const prices::PointColumn& column : points.columns) {
    std::vector<std::int32_t> own;
    own.reserve(table.n_rows());
    for (const std::int32_t point : points.point_of)
      own.push_back(column.code[static_cast<std::size_t>(point)]);
    axes.append(nb::make_tuple(name_of(column.choice), to_numpy(std::move(own))));
  }
  nb::dict answer;
  answer["point_of"] = to_numpy(std::vector<std::int32_t>(points.point_of));
  answer["axes"] = axes;
  return answer;
}

}  // namespace

void bind_prices(nb::module_& m) {
  m.def("prices", &make_prices, "table"_a, "options"_a, nb::kw_only(),
        "work"_a = std::int64_t{1} << 40, "parts"_a = 0,
        "A certified price for each row: on every set of rows that tests can produce, every tree "
        "costs at least the sum of the prices of its rows less the cost of one split.");
  m.def("shallow_prices", &make_shallow_prices, "table"_a, "options"_a, nb::kw_only(),
        "work"_a = std::int64_t{1} << 40,
        "A certified price for each row: every tree of at most `max_depth` levels costs at least "
        "the sum of the prices less the cost of one split.");
  m.def("heaviest_box", &heaviest_box, "table"_a, "row_weights"_a, nb::kw_only(), "threshold"_a = 0,
        "work"_a = std::int64_t{1} << 40, "max_conditions"_a = -1, "n_jobs"_a = 1,
        "The largest sum of weights in a box of at most this many conditions (-1: of any number), "
        "if it is above the threshold.");
  m.def("price_axes", &price_axes, "table"_a,
        "The axes of the boxes that prices are about, and the number of the point of each row.");
}

}  // namespace treeproof::bindings
