// A learner that forgets when the stream changes: a drift detector hears of its mistakes, and when
// they become more frequent, earlier rows are dropped or count less.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "stream/error_trend.hpp"
#include "stream/learner.hpp"

namespace treeproof::stream {

// Notices changes in the frequency of mistakes.
class DriftDetector {
 public:
  virtual ~DriftDetector() = default;

  virtual bool active() const = 0;  // if not, nothing is detected and nothing has to be told
  virtual void update(bool mistake) = 0;
  virtual bool detected() const = 0;
  virtual void renew() = 0;  // begins again, as if there had been no rows
};

class WatchedLearner {
 public:
  // If `discount` is negative, drift restarts the learner. Otherwise the statistics of earlier rows
  // are multiplied by it.
  WatchedLearner(std::unique_ptr<Learner> learner, std::unique_ptr<DriftDetector> detector,
                 double discount)
      : learner_(std::move(learner)), detector_(std::move(detector)), discount_(discount) {}

  Learner& learner() { return *learner_; }
  const Learner& learner() const { return *learner_; }

  void learn(Row codes, std::span<const double> numbers, std::int32_t label, double weight);

  // As `Learner::settle`; `pause` is called now and then, and may throw to end it.
  bool settle(std::int64_t steps, const std::function<void()>& pause);

  // What has to be saved besides the learner and the detector.
  struct State {
    ErrorTrend trend;
    std::int64_t n_drifts = 0;
  };
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<DriftDetector> detector_;
  double discount_;
  State state_;
};

}  // namespace treeproof::stream
