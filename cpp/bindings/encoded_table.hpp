// Checks of the arrays that make an encoded table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "bindings/python.hpp"

namespace treeproof::bindings {

// The searches index by codes and labels without looking; a caller's slip must not
// become a wild read.
inline void check_codes(const Vector<std::int32_t>& kinds, const Vector<std::int32_t>& n_values,
                        const Vector<std::int32_t>& codes, std::size_t n_rows,
                        const Vector<double>& weights) {
  if (n_values.size() != kinds.size() || codes.size() != n_rows * kinds.size() ||
      weights.size() != n_rows)
    throw std::invalid_argument("arrays of different lengths");
  for (std::size_t f = 0; f < kinds.size(); ++f) {
    const std::int32_t kind = view(kinds)[f];
    if (kind < 0 || kind >= 3) throw std::invalid_argument("unknown kind of feature");
    // As unsigned numbers negative codes are large: one comparison, and the loop vectorises.
    std::uint32_t most = 0;
    for (const std::int32_t code : view(codes).subspan(f * n_rows, n_rows))
      most = std::max(most, static_cast<std::uint32_t>(code));
    if (n_rows > 0 && most >= static_cast<std::uint32_t>(std::max(0, view(n_values)[f])))
      throw std::invalid_argument("code out of range");
  }
}

inline void check_arrays(const Vector<std::int32_t>& kinds, const Vector<std::int32_t>& n_values,
                         const Vector<std::int32_t>& codes, const Vector<std::int32_t>& labels,
                         int n_classes, const Vector<double>& weights) {
  check_codes(kinds, n_values, codes, labels.size(), weights);
  for (const std::int32_t label : view(labels))
    if (label < 0 || label >= n_classes) throw std::invalid_argument("label out of range");
}

}  // namespace treeproof::bindings
