// Exact signs of determinants of point differences.
//
// Whether a point lies above, below or on a surface decides which partitions exist, so a rounded
// answer cannot be used. As usual in computational geometry (Shewchuk 1997), the determinant is
// computed in floating point together with a bound on its error; only if the bound does not decide
// the sign is it computed again in integers. Every double is an integer times a power of two, and
// scaling a column does not change a sign.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treeproof::rules {

// Points in `dimension` coordinates, row by row. The doubles are taken to be exact.
struct Points {
  std::size_t dimension = 0;
  std::vector<double> coordinates;

  std::size_t size() const { return dimension == 0 ? 0 : coordinates.size() / dimension; }
  double at(std::size_t point, std::size_t column) const {
    return coordinates[point * dimension + column];
  }
};

// A number with a bound on how far it may be from the true value.
struct Approximate {
  double value = 0.0;
  double error = 0.0;

  // -1, 0 or 1 if the error allows no other sign, else kUnknown.
  static constexpr int kUnknown = 2;
  int sign() const {
    if (value > error) return 1;
    if (value < -error) return -1;
    return error == 0.0 ? 0 : kUnknown;
  }
};

// The determinant of the square matrix `entries` (row by row, size n), with the error that
// n factors, each off by one rounding, can cause. `exact` says that all intermediate
// results are whole numbers below 2^53.
Approximate determinant(std::span<const double> entries, std::size_t n, bool exact);

// The exact sign of det(points[p[i]][c[j]] - points[origin][c[j]]).
int exact_sign(const Points& points, std::size_t origin, std::span<const std::size_t> p,
               std::span<const std::size_t> c);

}  // namespace treeproof::rules
