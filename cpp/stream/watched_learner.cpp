#include "stream/watched_learner.hpp"

#include <algorithm>

namespace treeproof::stream {

void WatchedLearner::learn(Row codes, std::span<const double> numbers, std::int32_t label,
                           double weight) {
  if (!detector_->active()) {
    learner_->learn(codes, numbers, label, weight);
    return;
  }
  const bool mistake = learner_->predict(codes, numbers) != label;
  learner_->learn(codes, numbers, label, weight);
  state_.trend.update(mistake);
  detector_->update(mistake);
  // A detector reports changes for the better, too; those are no reason to forget anything.
  if (!state_.trend.worse() || !detector_->detected()) return;
  ++state_.n_drifts;
  detector_->renew();
  const std::int64_t recent = state_.trend.restart();
  if (discount_ < 0.0) learner_->restart(recent);
  else learner_->reweight(recent, discount_);
}

bool WatchedLearner::settle(std::int64_t steps, const std::function<void()>& pause) {
  constexpr std::int64_t kStride = 1000;
  for (; steps > 0; steps -= kStride) {
    if (learner_->settle(std::min(steps, kStride))) return true;
    pause();
  }
  return learner_->settle(0);
}

}  // namespace treeproof::stream
