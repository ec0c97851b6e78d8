// UCDT (thesis, Eq. 5.9): the estimated value plus gamma * sqrt(log v(T) / v(T')). A tree
// never tried has v = 1, the count all states begin with, so among fresh splits the one with
// the best estimate leads.
#include <cmath>

#include "stream/policy.hpp"

namespace treeproof::stream {
namespace {

class UpperConfidencePolicy final : public Policy {
 public:
  explicit UpperConfidencePolicy(double gamma) : gamma_(gamma) {}

  Move choose(const Situation& situation, Random&) const override {
    const double log_visits = std::log(static_cast<double>(situation.state.visits));
    const auto bonus = [&](std::int64_t visits) {
      return gamma_ * std::sqrt(log_visits / static_cast<double>(visits));
    };
    Move best;
    double index = situation.stop.mean + bonus(situation.state.stop_visits);
    for (std::size_t e = 0; e < situation.state.edges.size(); ++e) {
      const double candidate = situation.known(e).mean + bonus(situation.visits(e));
      if (candidate > index) {
        index = candidate;
        best = {Move::Kind::known, e, -1, {}};
      }
    }
    Estimate estimate;
    const Move fresh = situation.best_fresh(estimate);
    if (fresh.kind == Move::Kind::fresh && estimate.mean + bonus(1) > index) best = fresh;
    return best;
  }

 private:
  double gamma_;
};

}  // namespace

std::unique_ptr<Policy> upper_confidence_policy(double gamma) {
  return std::make_unique<UpperConfidencePolicy>(gamma);
}

}  // namespace treeproof::stream
