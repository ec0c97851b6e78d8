// A bound on what the best constant explains of a set of rows, without a logarithm, from the value
// for a set that is nearly the same.
//
// Lemma. log(1 + u) <= u (6 + u) / (6 + 4 u) for u > -1. Both sides are 0 at u = 0, and the
// derivative of the right side less that of the left side is 4 u^3 / ((6 + 4 u)^2 (1 + u)), which
// has the sign of u. The two differ by about u^4 / 36.
//
// With weight W, centred sum s, centre c and x = W c + s, a constant explains x log(x / (W c)) - s
// (loss/phi.hpp). If the mean of the set that is known is the centre plus d, and L is the logarithm
// of its ratio to the centre, then log(x / (W c)) = L + log(1 + u), where 1 + u = x / (W (c + d)).
//
// Rounding: sets are served whose weight and x are within a factor of four of those of the known
// set. No term is then larger than a few dozen times the sum of |s| and of the explained parts, of
// which `kRounding` is several hundred units in the last place.
#pragma once

namespace treeproof::threshold {

class LogTangent {
 public:
  static constexpr double kRounding = 1e-13;  // of the magnitude of all sums

  LogTangent() = default;  // serves no set
  LogTangent(double weight, double sum, double centre, double explained)
      : weight_(weight), x_(weight * centre + sum), centre_(centre) {
    if (!(weight_ > 0.0) || !(x_ > 0.0)) {
      weight_ = x_ = 0.0;
      return;
    }
    off_ = sum / weight_;
    log_ = (explained + sum) / x_;
  }

  bool serves(double weight, double sum) const {
    return weight <= 4.0 * weight_ && 4.0 * weight >= weight_ && weight_ > 0.0 &&
           weight * centre_ + sum <= 4.0 * x_;
  }
  // At least what the best constant explains, apart from rounding.
  double most(double weight, double sum) const {
    const double x = weight * centre_ + sum;
    const double more = sum - weight * off_;
    const double b = x - more;
    return x * (log_ + more * (6.0 * b + more) / (b * (6.0 * b + 4.0 * more))) - sum;
  }

 private:
  double weight_ = 0.0, x_ = 0.0, centre_ = 1.0;
  double off_ = 0.0;  // mean less the centre
  double log_ = 0.0;  // logarithm of the ratio of the mean to the centre
};

}  // namespace treeproof::threshold
