// Real-valued row weights as whole numbers, rounded once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cost.hpp"

namespace treeproof {

// Whole-number weights with a small enough total stay as they are (factor 1). Otherwise every
// weight is scaled by one power of two (so that doubling all weights changes nothing) that
// brings the total just below 2^30, and rounded.
double weight_scale(std::span<const double> weights);

// A weight times the scale, rounded, but at least 1 if the weight is positive: even a row with a
// very small weight is a row of the table, whose values count. A weight of zero stays zero; such
// rows are kept only to be counted for the minimum leaf size.
Weight whole_weight(double weight, double scale);

// The weights times their scale, rounded, and divided by their greatest common divisor: equal
// weights of any size become ones. Proofs are written without the division (`divide` false),
// since their costs are those of the weights as given.
std::vector<Weight> whole_weights(std::span<const double> weights, bool divide = true);

}  // namespace treeproof
