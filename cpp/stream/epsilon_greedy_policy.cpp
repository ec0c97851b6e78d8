// EGDT (thesis, Eq. 5.10): with probability 1 / v(T)^gamma any move, all alike; otherwise
// the move with the best estimate.
#include <cmath>

#include "stream/policy.hpp"

namespace treeproof::stream {
namespace {

class EpsilonGreedyPolicy final : public Policy {
 public:
  explicit EpsilonGreedyPolicy(double gamma) : gamma_(gamma) {}

  Move choose(const Situation& situation, Random& random) const override {
    const auto visits = static_cast<double>(situation.state.visits);
    const std::size_t n_known = situation.state.edges.size();
    if (random.uniform() < std::pow(visits, -gamma_)) {
      const auto r = static_cast<std::size_t>(random.below(1 + n_known + situation.n_fresh()));
      if (r == 0) return {};
      if (r <= n_known) return {Move::Kind::known, r - 1, -1, {}};
      return situation.fresh_at(r - 1 - n_known);
    }
    Move best;
    double value = situation.stop.mean;
    for (std::size_t e = 0; e < n_known; ++e) {
      if (situation.known(e).mean > value) {
        value = situation.known(e).mean;
        best = {Move::Kind::known, e, -1, {}};
      }
    }
    Estimate estimate;
    const Move fresh = situation.best_fresh(estimate);
    return fresh.kind == Move::Kind::fresh && estimate.mean > value ? fresh : best;
  }

 private:
  double gamma_;
};

}  // namespace

std::unique_ptr<Policy> epsilon_greedy_policy(double gamma) {
  return std::make_unique<EpsilonGreedyPolicy>(gamma);
}

}  // namespace treeproof::stream
