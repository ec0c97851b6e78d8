// Numbers to predict, as a caller gives them.
#pragma once

#include <cstdint>
#include <span>

namespace treeproof {

struct Targets {
  std::span<const double> values;  // row-major, n_rows * n_outputs
  std::int32_t n_outputs;
  std::span<const double> weights;
  // Imaginary rows in every leaf, where outputs are classes: so much weight of each class.
  double smoothing = 0.0;
  // Which quantiles a leaf predicts, for every output; empty: the median.
  std::span<const double> quantiles = {};
  // With lines in leaves: the columns that they may depend on (column-major), and what slopes cost.
  std::span<const double> lines = {};
  double ridge = 0.0;
};

// Each names a loss: loss/moment_loss.hpp, loss/absolute_error.hpp and loss/linear_error.hpp.
enum class Criterion { squared_error, poisson, absolute_error, linear };

}  // namespace treeproof
