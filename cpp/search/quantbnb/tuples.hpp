// The sets of trees Quant-BnB works with, and how it cuts them up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treeproof::quantbnb {

// Which lower bound on a set of depth-two trees is used; each is at least the one before.
enum class Bound { w0, w1, w2, l2 };

struct Settings {
  int depth = 2;    // 2 or 3
  int s = 3;        // pieces an interval is cut into
  int s_prime = 0;  // pieces of the middle in W1; 0: floor(0.6 n s / (b - a))
  Bound bound = Bound::w1;
};

// T2(f0, [a, b], F1, F2): trees whose root tests `feature` with a threshold t in [a, b], whose
// left child tests a feature of `left` and whose right child one of `right`. Threshold t lets
// the t smallest distinct values of the whole table go left; 0 and the number of values are
// thresholds too, so that trees with fewer splits are included.
struct Tuple {
  std::int32_t feature = 0;
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::vector<std::int32_t> left;
  std::vector<std::int32_t> right;

  std::size_t bytes() const {
    return sizeof(Tuple) + (left.size() + right.size()) * sizeof(std::int32_t);
  }
};

// A tree of a tuple, as far as it has been chosen: thresholds of the children follow from the
// rows. feature -1: none.
struct Choice {
  std::int32_t feature = -1;
  std::int32_t threshold = 0;
  std::int32_t left = -1;
  std::int32_t right = -1;
};

// "Almost equi-spaced" points t_0 .. t_k of [a, b]: k = min(pieces, b - a).
inline std::vector<std::int32_t> spaced(std::int32_t a, std::int32_t b, std::int64_t pieces) {
  const std::int64_t width = std::int64_t{b} - a;
  const std::int64_t k = std::max<std::int64_t>(1, std::min(pieces, width));
  std::vector<std::int32_t> points;
  for (std::int64_t j = 0; j <= k; ++j)
    points.push_back(static_cast<std::int32_t>(a + j * width / k));
  return points;
}

// The least bound of the trees that are alive, where all others cost at least `others`.
template <class Alive, class Value>
Value least_bound(const std::vector<Alive>& alive, Value others) {
  for (const Alive& a : alive) others = std::min(others, a.bound);
  return others;
}

}  // namespace treeproof::quantbnb
