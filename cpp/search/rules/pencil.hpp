// A pencil: the hyperplanes in r dimensions that contain a flat of dimension r - 2, and the
// order in which they meet the other points when they turn about it.
//
// Modulo the directions of the flat, space is a plane and every point off the flat a ray in
// it. With q the flat's first point and D the matrix of its directions, drop two columns a
// and b such that the minor det(D_C) on the other columns C is not zero. The coordinates of
// a point x in the plane are then the determinants
//     u = det(D, x - q) on columns C + a,      v = det(D, x - q) on columns C + b,
// and for two points u_x v_y - u_y v_x = det(D_C) det(D, x - q, y - q), columns C + a + b.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/rules/determinant.hpp"

namespace treeproof::rules {

// A point off the flat. Rays are turned into the upper half-plane (v > 0, or v = 0 < u);
// `flipped` says that it took a half turn. Rays with equal `stop` lie on one hyperplane.
struct Ray {
  Approximate u, v;
  double angle = 0.0;  // increases with the angle, for a first sort
  std::size_t point = 0;
  std::size_t stop = 0;
  bool flipped = false;
};

class Pencil {
 public:
  explicit Pencil(const Points& points);

  // Sorts the points about a flat given by dimension - 1 points; false if they span less.
  bool turn_about(std::span<const std::size_t> flat);

  std::span<const Ray> rays() const { return rays_; }
  const std::vector<std::size_t>& on_flat() const { return on_flat_; }
  const std::vector<std::size_t>& flat_columns() const { return flat_columns_; }

 private:
  bool choose_columns();
  void make_cofactors();
  Approximate height(std::size_t point, std::span<const Approximate> cofactors,
                     std::size_t extra_column) const;
  int sign_of_height(const Approximate& h, std::size_t point, std::size_t extra_column) const;
  int turn(const Ray& first, const Ray& second) const;
  void sort_rays();

  const Points& points_;
  bool exact_values_ = false;  // u and v are whole numbers below 2^53
  bool exact_turns_ = false;   // and so are products of two of them
  std::vector<std::size_t> flat_;
  std::vector<std::size_t> flat_columns_;  // C
  std::size_t column_a_ = 0, column_b_ = 0;
  int minor_sign_ = 1;  // of det(D_C)
  std::vector<Approximate> cofactors_a_, cofactors_b_;
  std::vector<std::size_t> on_flat_;
  std::vector<Ray> rays_;
  mutable std::vector<double> entries_;
};

}  // namespace treeproof::rules
