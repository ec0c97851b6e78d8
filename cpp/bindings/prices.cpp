// Bindings of prices, for tests, experiments and pictures.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <numeric>
#include <string>

#include "bindings/encoded_table.hpp"
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

// Prices are integers in units of cost, 2^-20 of a unit of weight. `unit` is the number of these
// units that the whole table weighs.
nb::dict make_prices(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                     const IntArray& labels, int n_classes, const DoubleArray& weights,
                     double split_penalty, const std::string& penalize, std::int64_t work,
                     double time_limit, int parts, int n_jobs) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  const std::vector<Feature> features = read_features(kinds, n_values);
  const std::vector<Weight> whole = whole_weights(view(weights));
  const std::int64_t total = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
  const Cost two_way = split_cost(split_penalty, total);
  const Cost split = prices::cost_per_leaf(two_way, features, read_penalize(penalize));
  nb::dict answer;
  std::vector<Cost> of_row(labels.size(), 0);
  Cost bound = 0;
  std::int64_t nodes = 0;
  std::int64_t certified = 0;
  Cost bound_with_parts = 0;
  std::int64_t n_parts = 0;
  bool finished = false;
  double hoped = 0.0;
  {
    nb::gil_scoped_release unlocked;
    Limits limits(time_limit, 0, python_interrupted);
    const auto points = prices::make_points(features, view(codes), view(labels), n_classes, whole);
    if (points) {
      prices::SplitRules rules{two_way, split, kMostBytes, parts, n_jobs};
      prices::PricedPart table(*points, rules);
      const prices::PriceMaker& maker = table.maker();
      while (!finished && table.work() < work && !limits.stop())
        finished = !table.run(work - table.work(), parts > 0, limits);
      of_row = prices::prices_of_rows(*points, *maker.best(), whole);
      bound = maker.bound();
      bound_with_parts = table.bound();
      n_parts = table.n_parts();
      nodes = maker.n_nodes();
      certified = maker.n_certified();
      hoped = maker.hoped();
    }
  }
  const auto unit = static_cast<double>(cost_of(total));
  answer["prices"] = to_numpy(std::move(of_row));
  answer["split_cost"] = split;
  answer["unit"] = cost_of(total);
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
nb::dict make_shallow_prices(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                             const IntArray& labels, int n_classes, const DoubleArray& weights,
                             int max_depth, double split_penalty, const std::string& penalize,
                             std::int64_t work, double time_limit) {
  check_arrays(kinds, n_values, codes, labels, n_classes, weights);
  const std::vector<Feature> features = read_features(kinds, n_values);
  const std::vector<Weight> whole = whole_weights(view(weights));
  const std::int64_t total = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
  const Cost split =
      prices::cost_per_leaf(split_cost(split_penalty, total), features, read_penalize(penalize));
  const auto points = prices::make_points(features, view(codes), view(labels), n_classes, whole);
  if (!points) throw std::invalid_argument("too many values");
  prices::PriceMaker maker(*points, split, make_pricer(*points, max_depth));
  {
    nb::gil_scoped_release unlocked;
    Limits limits(time_limit, 0, python_interrupted);
    while (maker.work() < work && !limits.stop() && maker.run(work - maker.work(), limits)) {
    }
  }
  nb::dict answer;
  answer["prices"] = to_numpy(prices::prices_of_rows(*points, *maker.best(), whole));
  answer["split_cost"] = split;
  answer["unit"] = cost_of(total);
  answer["bound"] = maker.bound();
  answer["hoped"] = maker.hoped() / static_cast<double>(cost_of(total));
  answer["factor"] = maker.factor();
  answer["nodes"] = maker.n_nodes();
  answer["certified"] = maker.n_certified();
  return answer;
}

// The largest weight of a box or, if the allowed work does not suffice, an upper bound on it.
nb::dict heaviest_box(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                      const IntArray& row_weights, int threshold, std::int64_t work,
                      int max_conditions, int n_jobs) {
  const std::vector<double> ones(row_weights.size(), 1.0);
  const std::vector<Weight> unit(row_weights.size(), 1);
  const std::vector<std::int32_t> labels(row_weights.size(), 0);
  if (codes.size() != row_weights.size() * kinds.size())
    throw std::invalid_argument("arrays of different lengths");
  const auto points =
      prices::make_points(read_features(kinds, n_values), view(codes), labels, 1, unit);
  if (!points) throw std::invalid_argument("too many values");
  std::vector<std::int32_t> weights(static_cast<std::size_t>(points->size()), 0);
  for (std::size_t row = 0; row < labels.size(); ++row)
    weights[static_cast<std::size_t>(points->point_of[row])] += view(row_weights)[row];
  const std::unique_ptr<prices::Pricer> pricer = make_pricer(*points, max_conditions, n_jobs);
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
nb::dict price_axes(const IntArray& kinds, const IntArray& n_values, const IntArray& codes) {
  const std::size_t n = kinds.size() == 0 ? 0 : codes.size() / kinds.size();
  const std::vector<std::int32_t> labels(n, 0);
  const std::vector<Weight> unit(n, 1);
  const auto points =
      prices::make_points(read_features(kinds, n_values), view(codes), labels, 1, unit);
  if (!points) throw std::invalid_argument("too many values");
  nb::list axes;
  for (const prices::PointColumn& column : points->columns) {
    std::vector<std::int32_t> own;
    own.reserve(n);
    for (const std::int32_t point : points->point_of)
      own.push_back(column.code[static_cast<std::size_t>(point)]);
    axes.append(nb::make_tuple(name_of(column.choice), to_numpy(std::move(own))));
  }
  nb::dict answer;
  answer["point_of"] = to_numpy(std::vector<std::int32_t>(points->point_of));
  answer["axes"] = axes;
  return answer;
}

}  // namespace

void bind_prices(nb::module_& m) {
  m.def("prices", &make_prices, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a, "labels"_a,
        "n_classes"_a, "weights"_a, "split_penalty"_a, "penalize"_a = "leaves",
        "work"_a = std::int64_t{1} << 40, "time_limit"_a = 0.0, "parts"_a = 0, "n_jobs"_a = 1,
        "A certified price for each row: on every set of rows that tests can produce, every tree "
        "costs at least the sum of the prices of its rows less the cost of one split.");
  m.def("shallow_prices", &make_shallow_prices, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "labels"_a, "n_classes"_a, "weights"_a, "max_depth"_a, "split_penalty"_a,
        "penalize"_a = "leaves", "work"_a = std::int64_t{1} << 40, "time_limit"_a = 0.0,
        "A certified price for each row: every tree of at most `max_depth` levels costs at least "
        "the sum of the prices less the cost of one split.");
  m.def("heaviest_box", &heaviest_box, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "weights"_a, "threshold"_a = 0, "work"_a = std::int64_t{1} << 40, "max_conditions"_a = -1,
        "n_jobs"_a = 1,
        "The largest sum of weights in a box of at most this many conditions (-1: of any number), "
        "if it is above the threshold.");
  m.def("price_axes", &price_axes, nb::kw_only(), "kinds"_a, "n_values"_a, "codes"_a,
        "The axes of the boxes that prices are about, and the number of the point of each row.");
}

}  // namespace treeproof::bindings
