#include "search/rules/pencil.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treeproof::rules {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kExactLimit = 9007199254740992.0;  // 2^53

// Largest difference within a column, or infinity if some value is not a whole number.
double whole_spread(const Points& points) {
  double spread = 0.0;
  for (std::size_t c = 0; c < points.dimension; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const double x = points.at(p, c);
      if (x != std::floor(x)) return std::numeric_limits<double>::infinity();
      low = std::min(low, x);
      high = std::max(high, x);
    }
    spread = std::max(spread, high - low);
  }
  return spread;
}

}  // namespace

Pencil::Pencil(const Points& points) : points_(points) {
  // A determinant of n rows with entries up to s is at most n! s^n, and so is every partial
  // sum in its expansion.
  const double spread = whole_spread(points);
  double largest = 1.0;
  for (std::size_t i = 1; i < points.dimension; ++i) largest *= static_cast<double>(i) * spread;
  exact_values_ = largest < kExactLimit;
  exact_turns_ = 2.0 * largest * largest < kExactLimit;
}

bool Pencil::turn_about(std::span<const std::size_t> flat) {
  flat_.assign(flat.begin(), flat.end());
  if (!choose_columns()) return false;
  make_cofactors();
  on_flat_.clear();
  rays_.clear();
  for (std::size_t p = 0; p < points_.size(); ++p) {
    if (std::ranges::find(flat_, p) != flat_.end()) {
      on_flat_.push_back(p);
      continue;
    }
    Ray ray;
    ray.point = p;
    ray.u = height(p, cofactors_a_, column_a_);
    ray.v = height(p, cofactors_b_, column_b_);
    int side = sign_of_height(ray.v, p, column_b_);
    if (side == 0) {
      side = sign_of_height(ray.u, p, column_a_);
      if (side == 0) {
        on_flat_.push_back(p);
        continue;
      }
      ray.v = {0.0, 0.0};
    }
    if (side < 0) {
      ray.flipped = true;
      ray.u.value = -ray.u.value;
      ray.v.value = -ray.v.value;
    }
    const double size = std::abs(ray.u.value) + std::abs(ray.v.value);
    ray.angle = size > 0.0 ? -ray.u.value / size : 0.0;
    rays_.push_back(ray);
  }
  sort_rays();
  return true;
}

// Finds two columns to drop such that the directions of the flat keep full rank on the
// others; the largest minor is the safest. False if there are none: the points span less.
bool Pencil::choose_columns() {
  const std::size_t r = points_.dimension;
  const std::size_t n = r - 2;
  const std::span<const std::size_t> others(flat_.begin() + 1, flat_.end());
  double best = 0.0;
  std::vector<std::size_t> columns(n);
  const auto without = [&](std::size_t a, std::size_t b) {
    std::size_t k = 0;
    for (std::size_t c = 0; c < r; ++c)
      if (c != a && c != b) columns[k++] = c;
  };
  const auto take = [&](std::size_t a, std::size_t b, int sign) {
    flat_columns_ = columns;
    column_a_ = a;
    column_b_ = b;
    minor_sign_ = sign;
  };
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = a + 1; b < r; ++b) {
      without(a, b);
      entries_.resize(n * n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          entries_[i * n + j] =
              points_.at(others[i], columns[j]) - points_.at(flat_[0], columns[j]);
      const Approximate minor = determinant(entries_, n, exact_values_);
      const int sign = minor.sign();
      if (sign == 0 || sign == Approximate::kUnknown) continue;
      if (std::abs(minor.value) > best) {
        best = std::abs(minor.value);
        take(a, b, sign);
      }
    }
  }
  if (best > 0.0) return true;
  if (exact_values_) return false;
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = a + 1; b < r; ++b) {
      without(a, b);
      const int sign = exact_sign(points_, flat_[0], others, columns);
      if (sign == 0) continue;
      take(a, b, sign);
      return true;
    }
  }
  return false;
}

// u(x) = sum of (x - q)_j times the cofactor of column j in the last row, and so for v.
void Pencil::make_cofactors() {
  const std::size_t n = points_.dimension - 2;
  const auto make = [&](std::size_t extra, std::vector<Approximate>& cofactors) {
    cofactors.resize(n + 1);
    for (std::size_t skip = 0; skip <= n; ++skip) {
      entries_.resize(n * n);
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t k = 0;
        for (std::size_t j = 0; j <= n; ++j) {
          if (j == skip) continue;
          const std::size_t c = j < n ? flat_columns_[j] : extra;
          entries_[i * n + k++] = points_.at(flat_[i + 1], c) - points_.at(flat_[0], c);
        }
      }
      cofactors[skip] = determinant(entries_, n, exact_values_);
      if ((n - skip) % 2 == 1) cofactors[skip].value = -cofactors[skip].value;
    }
  };
  make(column_a_, cofactors_a_);
  make(column_b_, cofactors_b_);
}

Approximate Pencil::height(std::size_t point, std::span<const Approximate> cofactors,
                           std::size_t extra_column) const {
  Approximate h;
  double size = 0.0;
  for (std::size_t j = 0; j < cofactors.size(); ++j) {
    const std::size_t c = j < flat_columns_.size() ? flat_columns_[j] : extra_column;
    const double z = points_.at(point, c) - points_.at(flat_[0], c);
    h.value += z * cofactors[j].value;
    h.error += std::abs(z) * cofactors[j].error;
    size += std::abs(z * cofactors[j].value);
  }
  if (exact_values_) return {h.value, 0.0};
  // Each product is rounded twice, each sum once; the error's own sum is rounded too.
  h.error += static_cast<double>(cofactors.size() + 4) * kUnit * (size + h.error);
  h.error += std::numeric_limits<double>::min();
  return h;
}

int Pencil::sign_of_height(const Approximate& h, std::size_t point,
                           std::size_t extra_column) const {
  const int sign = h.sign();
  if (sign != Approximate::kUnknown) return sign;
  std::vector<std::size_t> rows(flat_.begin() + 1, flat_.end()), columns = flat_columns_;
  rows.push_back(point);
  columns.push_back(extra_column);
  return exact_sign(points_, flat_[0], rows, columns);
}

// 1 if the first ray comes before the second, -1 if after, 0 if they lie in line.
int Pencil::turn(const Ray& first, const Ray& second) const {
  const double left = first.u.value * second.v.value;
  const double right = second.u.value * first.v.value;
  Approximate cross{left - right, 0.0};
  if (!exact_turns_) {
    cross.error = std::abs(first.u.value) * second.v.error +
                  std::abs(second.v.value) * first.u.error + first.u.error * second.v.error +
                  std::abs(second.u.value) * first.v.error +
                  std::abs(first.v.value) * second.u.error + second.u.error * first.v.error;
    cross.error += 8.0 * kUnit * (std::abs(left) + std::abs(right) + cross.error);
    cross.error += std::numeric_limits<double>::min();
  }
  int sign = cross.sign();
  if (sign != Approximate::kUnknown) return sign;
  std::vector<std::size_t> rows(flat_.begin() + 1, flat_.end()), columns = flat_columns_;
  rows.insert(rows.end(), {first.point, second.point});
  columns.insert(columns.end(), {column_a_, column_b_});
  sign = exact_sign(points_, flat_[0], rows, columns) * minor_sign_;
  return first.flipped == second.flipped ? sign : -sign;
}

// Sorts by the rounded angle, then puts right by insertion what rounding got wrong, which
// are neighbours and few.
void Pencil::sort_rays() {
  std::ranges::sort(rays_, {}, &Ray::angle);
  for (std::size_t i = 1; i < rays_.size(); ++i)
    for (std::size_t j = i; j > 0 && turn(rays_[j - 1], rays_[j]) < 0; --j)
      std::swap(rays_[j - 1], rays_[j]);
  for (std::size_t i = 1; i < rays_.size(); ++i)
    rays_[i].stop = rays_[i - 1].stop + (turn(rays_[i - 1], rays_[i]) != 0 ? 1 : 0);
}

}  // namespace treeproof::rules
