// TSDT (thesis, Chapter 6): draw every move's value from its Normal posterior and take the
// largest (Eq. 6.10). The exponent gamma widens the variances, which are below one.
//
// A state's posterior is that of its move with the best mean (Eq. 6.15), or, with `clark`,
// the Normal with the first two moments of the maximum, folded move by move by Clark's
// formulas (Eqs. 6.12 to 6.14, with sigma_m the root of the summed variances).
#include <cmath>
#include <numbers>

#include "stream/policy.hpp"

namespace treeproof::stream {
namespace {

// The first two moments of max(a, b), a and b independent Normals.
Estimate clark_max(const Estimate& a, const Estimate& b) {
  const double spread = std::sqrt(a.variance + b.variance);
  if (spread <= 0.0) return a.mean >= b.mean ? a : b;
  const double alpha = (a.mean - b.mean) / spread;
  const double density = std::exp(-0.5 * alpha * alpha) / std::sqrt(2.0 * std::numbers::pi);
  const double above = 0.5 * std::erfc(-alpha / std::numbers::sqrt2);
  const double below = 1.0 - above;
  const double mean = a.mean * above + b.mean * below + spread * density;
  const double second = (a.mean * a.mean + a.variance) * above +
                        (b.mean * b.mean + b.variance) * below +
                        (a.mean + b.mean) * spread * density;
  return {mean, std::max(0.0, second - mean * mean)};
}

class ThompsonPolicy final : public Policy {
 public:
  ThompsonPolicy(double gamma, bool clark) : gamma_(gamma), clark_(clark) {}

  Move choose(const Situation& situation, Random& random) const override {
    const auto draw = [&](const Estimate& e) {
      return e.mean + std::pow(e.variance, 0.5 * gamma_) * random.normal();
    };
    Move best;
    double value = draw(situation.stop);
    for (std::size_t e = 0; e < situation.state.edges.size(); ++e) {
      const double sample = draw(situation.known(e));
      if (sample > value) {
        value = sample;
        best = {Move::Kind::known, e, -1, {}};
      }
    }
    situation.for_each_fresh([&](std::int32_t leaf, std::size_t split, const Estimate& e) {
      const double sample = draw(e);
      if (sample > value) {
        value = sample;
        best = {Move::Kind::fresh, 0, leaf, situation.split(split)};
      }
    });
    return best;
  }

  Estimate stop_and_fresh(const Situation& situation) const override {
    if (!clark_) return Policy::stop_and_fresh(situation);
    Estimate best = situation.stop;
    situation.for_each_fresh(
        [&](std::int32_t, std::size_t, const Estimate& e) { best = clark_max(best, e); });
    return best;
  }

  Estimate fold(const Estimate& a, const Estimate& b) const override {
    return clark_ ? clark_max(a, b) : Policy::fold(a, b);
  }

 private:
  double gamma_;
  bool clark_;
};

}  // namespace

std::unique_ptr<Policy> thompson_policy(double gamma, bool clark) {
  return std::make_unique<ThompsonPolicy>(gamma, clark);
}

}  // namespace treeproof::stream
