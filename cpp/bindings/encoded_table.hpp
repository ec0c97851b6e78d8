// A table as the Python package has encoded it. Its arrays are checked when it is made: the
// searches use codes and labels as indices without checking them, so a mistake of the caller would
// otherwise read memory outside of an array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/python.hpp"
#include "core/options.hpp"
#include "data/problem.hpp"
#include "loss/targets.hpp"

namespace treeproof::bindings {

using IntArray = Vector<std::int32_t>;
using DoubleArray = Vector<double>;

// Whether all codes are in 0 .. n_values - 1.
inline bool in_range(std::span<const std::int32_t> codes, std::int32_t n_values) {
  // Converted to unsigned numbers, negative codes are large, so that one comparison is enough and
  // the loop can be vectorised.
  std::uint32_t most = 0;
  for (const std::int32_t code : codes) most = std::max(most, static_cast<std::uint32_t>(code));
  return codes.empty() || most < static_cast<std::uint32_t>(std::max(0, n_values));
}

inline void check_codes(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                        std::size_t n_rows, const DoubleArray& weights) {
  if (n_values.size() != kinds.size() || codes.size() != n_rows * kinds.size() ||
      weights.size() != n_rows)
    throw std::invalid_argument("the arrays have different lengths");
  for (std::size_t f = 0; f < kinds.size(); ++f) {
    const std::int32_t kind = view(kinds)[f];
    if (kind < 0 || kind >= 3) throw std::invalid_argument("unknown kind of feature");
    if (!in_range(view(codes).subspan(f * n_rows, n_rows), view(n_values)[f]))
      throw std::invalid_argument("code out of range");
  }
}

inline void check_labels(const IntArray& labels, int n_classes) {
  if (n_classes < 1) throw std::invalid_argument("n_classes must be at least 1");
  if (!in_range(view(labels), n_classes)) throw std::invalid_argument("label out of range");
}

inline void check_arrays(const IntArray& kinds, const IntArray& n_values, const IntArray& codes,
                         const IntArray& labels, int n_classes, const DoubleArray& weights) {
  check_codes(kinds, n_values, codes, labels.size(), weights);
  check_labels(labels, n_classes);
}

inline void check_targets(const DoubleArray& targets, int n_outputs, std::size_t n_rows) {
  if (n_outputs < 1 || targets.size() != n_rows * static_cast<std::size_t>(n_outputs))
    throw std::invalid_argument("the targets have the wrong length");
}

inline Criterion read_criterion(const std::string& name, std::span<const double> targets) {
  if (name == "squared_error") return Criterion::squared_error;
  if (name == "absolute_error") return Criterion::absolute_error;
  if (name == "linear") return Criterion::linear;
  if (name != "poisson") throw std::invalid_argument("unknown criterion '" + name + "'");
  if (std::ranges::any_of(targets, [](double y) { return y < 0.0; }))
    throw std::invalid_argument("a target is negative");
  return Criterion::poisson;
}

// Adds the parameters of leaves, which only some criteria have, to the targets.
inline Targets read_targets(const DoubleArray& targets, int n_outputs, const DoubleArray& weights,
                            double smoothing, const std::vector<double>& quantiles,
                            std::span<const double> lines = {}, double ridge = 0.0) {
  if (weights.size() == 0 || lines.size() % weights.size() != 0)
    throw std::invalid_argument("the columns for lines have the wrong length");
  if (!lines.empty() && (n_outputs != 1 || !(ridge > 0.0)))
    throw std::invalid_argument("lines in leaves need one output and a positive ridge");
  if (!(smoothing >= 0.0)) throw std::invalid_argument("the smoothing is negative");
  for (const double q : quantiles)
    if (!(q > 0.0 && q < 1.0)) throw std::invalid_argument("a quantile is not between 0 and 1");
  return {view(targets), n_outputs, view(weights), smoothing, quantiles, lines, ridge};
}

inline Penalize read_penalize(const std::string& name) {
  if (name == "leaves") return Penalize::leaves;
  if (name == "splits") return Penalize::splits;
  throw std::invalid_argument("unknown penalize '" + name + "'");
}

template <class Array>
auto view_of(const std::optional<Array>& array) {
  return array ? view(*array) : decltype(view(*array))();
}

inline std::vector<Feature> read_features(const IntArray& kinds, const IntArray& n_values) {
  std::vector<Feature> features(kinds.size());
  for (std::size_t f = 0; f < features.size(); ++f)
    features[f] = {static_cast<FeatureKind>(view(kinds)[f]), view(n_values)[f]};
  return features;
}

// The input of every search: the codes and weights of the rows, and either their labels or their
// targets, with the loss of the leaves. The arrays belong to Python and are not copied.
struct EncodedTable {
  IntArray kinds, n_values, codes;  // codes of all rows, one column after the other
  DoubleArray weights;
  std::optional<IntArray> labels = {};
  int n_classes = 0;
  std::optional<DoubleArray> targets = {};
  int n_outputs = 1;
  Criterion criterion = Criterion::squared_error;
  double smoothing = 0.0;
  std::vector<double> quantiles = {};
  std::optional<DoubleArray> lines = {};
  double ridge = 0.0;

  std::size_t n_rows() const { return weights.size(); }
  std::int32_t n_rows_32() const { return static_cast<std::int32_t>(n_rows()); }
  std::vector<Feature> features() const { return read_features(kinds, n_values); }

  std::span<const std::int32_t> row_labels() const {
    if (!labels) throw std::invalid_argument("the table has no labels");
    return view(*labels);
  }

  Targets row_targets() const {
    if (!targets) throw std::invalid_argument("the table has no targets");
    return read_targets(*targets, n_outputs, weights, smoothing, quantiles, view_of(lines), ridge);
  }
};

}  // namespace treeproof::bindings
