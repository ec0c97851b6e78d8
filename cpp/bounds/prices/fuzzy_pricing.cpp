#include "bounds/prices/fuzzy_pricing.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

namespace treeproof::prices {

FuzzyPricing::FuzzyPricing(const Points& points, std::vector<std::int32_t> weights,
                           std::int32_t threshold, LocalSearch& local, std::uint64_t most_bytes,
                           int n_threads)
    : weights_(std::move(weights)), threshold_(threshold), most_bytes_(most_bytes), layout_(points),
      climb_every_(std::max<std::int64_t>(
          16, points.size() * static_cast<std::int64_t>(points.columns.size()) / 300)),
      heaviest_(threshold) {
  std::int64_t positive = 0;
  for (const std::int32_t w : weights_) positive += std::max(0, w);
  if (positive <= threshold) return;
  for (int t = 0; t < std::max(1, n_threads); ++t) {
    auto own = t == 0 ? nullptr : std::make_unique<LocalSearch>(points);
    LocalSearch* used = t == 0 ? &local : own.get();
    workers_.push_back(std::make_unique<Worker>(Worker{Relaxation(points, weights_, threshold),
                                                       std::move(own),
                                                       used,
                                                       {},
                                                       {},
                                                       {},
                                                       Dice(static_cast<std::uint64_t>(t + 1))}));
  }
  store_ = layout_.everything(points);
  heap_.push_back({static_cast<std::int32_t>(positive), 0});
}

std::int32_t FuzzyPricing::most() const {
  return heap_.empty() ? heaviest_.load() : std::max(heaviest_.load(), heap_.front().bound);
}

std::int64_t FuzzyPricing::n_nodes() const {
  std::int64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->n_nodes;
  return sum;
}

bool FuzzyPricing::run(std::int64_t work, Limits& limits) {
  if (is_done()) return true;
  stop_helpers_ = false;
  std::vector<std::thread> helpers;
  try {
    for (std::size_t t = 1; t < workers_.size(); ++t)
      helpers.emplace_back([this, &limits, t] {
        Limits own(stop_helpers_, limits, 0);
        take_turns(*workers_[t], std::numeric_limits<std::int64_t>::max(), own);
      });
  } catch (const std::system_error&) {
    // The system gives no more threads; continue with those that were started.
  }
  take_turns(*workers_.front(), work, limits);
  stop_helpers_ = true;
  changed_.notify_all();
  for (std::thread& helper : helpers) helper.join();
  return is_done();
}

// Examines the node with the highest bound again and again, until the work is used up, a limit is
// reached, or the search is finished: the heap is empty and no other thread is examining a node,
// which could add some.
void FuzzyPricing::take_turns(Worker& worker, std::int64_t work, Limits& limits) {
  std::unique_lock lock(mutex_);
  while (!stop_helpers_ && !out_of_memory_ && work > 0) {
    std::int64_t done = 1;
    if (is_done()) {
      if (n_busy_ == 0) break;
      changed_.wait_for(lock, std::chrono::milliseconds(1));
      lock.unlock();
    } else {
      const Node node = take_node(worker);
      ++n_busy_;
      lock.unlock();
      done += expand(worker, node.bound);
      lock.lock();
      --n_busy_;
      work_ += done;
      lock.unlock();
      if (workers_.size() > 1) changed_.notify_all();
    }
    work -= done;
    const bool stop = limits.stop(static_cast<std::uint32_t>(1 + done / kStepsPerMicrosecond));
    lock.lock();
    if (stop) break;
  }
}

FuzzyPricing::Node FuzzyPricing::take_node(Worker& worker) {
  std::pop_heap(heap_.begin(), heap_.end());
  const Node node = heap_.back();
  heap_.pop_back();
  const std::span<Word> stored = words(node.place);
  worker.current.assign(stored.begin(), stored.end());
  free_.push_back(node.place);
  return node;
}

void FuzzyPricing::push(const Worker& worker, std::int32_t bound, const LocalBox& box) {
  const std::scoped_lock lock(mutex_);
  std::uint32_t place = 0;
  if (!free_.empty()) {
    place = free_.back();
    free_.pop_back();
  } else {
    place = static_cast<std::uint32_t>(store_.size() / std::max<std::size_t>(1, layout_.size()));
    store_.resize(store_.size() + layout_.size());
    out_of_memory_ = store_.size() * sizeof(Word) > most_bytes_;
  }
  worker.relaxation.store(box, words(place));
  heap_.push_back({bound, place});
  std::push_heap(heap_.begin(), heap_.end());
}

// Cuts a fuzzy box in two and keeps the parts that may hold a box above the threshold. Returns the
// work.
std::int64_t FuzzyPricing::expand(Worker& worker, std::int32_t bound) {
  Relaxation& relaxation = worker.relaxation;
  if (relaxation.look_at(worker.current)) {
    const Branch branch = relaxation.choose_branch();
    if (branch.kind == Branch::Kind::none) weigh(worker);
    for (int part = 0; part < 2 && branch.kind != Branch::Kind::none; ++part) {
      relaxation.take_part(branch, part, worker.part);
      ++worker.n_nodes;
      const std::int32_t own = std::min(bound, relaxation.tighten(worker.part));
      if (own <= threshold_) continue;
      push(worker, own, worker.part);
      if (worker.n_nodes < worker.next_climb) continue;
      // Local searches are frequent among the first nodes: a heavy box that is found early raises
      // `heaviest_`, which ends the search of everything below it.
      constexpr std::int64_t kFirstNodes = 1000;
      worker.next_climb =
          worker.n_nodes + (worker.n_nodes < kFirstNodes ? climb_every_ / 8 : climb_every_);
      relaxation.suggest(worker.part, worker.local->shape(), worker.box);
      climb(worker);
    }
  }
  return relaxation.take_work() + worker.local->take_work();
}

// Weighs a node in which no choice is open, so that it stands for a single box.
void FuzzyPricing::weigh(Worker& worker) {
  const std::int32_t weight = worker.relaxation.outer_weight();
  if (weight <= heaviest_) return;
  worker.relaxation.suggest(worker.relaxation.whole(), worker.local->shape(), worker.box);
  climb(worker);
  const std::scoped_lock lock(mutex_);
  heaviest_ = std::max(heaviest_.load(), weight);
}

// Improves a box until no change of a single column makes it heavier.
void FuzzyPricing::climb(Worker& worker) {
  const auto weight =
      static_cast<std::int32_t>(worker.local->climb(weights_, worker.box, worker.dice));
  if (weight <= threshold_) return;
  std::vector<std::int32_t> inside;
  worker.local->list_points(worker.box, inside);
  const std::scoped_lock lock(mutex_);
  heaviest_ = std::max(heaviest_.load(), weight);
  keep_found(weight, std::move(inside));
}

std::int64_t FuzzyPricer::find(std::span<const std::int32_t> weights,
                               std::span<const std::int32_t> tight, std::int32_t threshold,
                               Dice& dice, std::vector<std::int32_t>& inside) {
  if (tight.empty()) local_.random_box(weights, box_, dice);
  else local_.loosened_box(tight, box_, dice);
  const std::int64_t weight = local_.climb(weights, box_, dice);
  if (weight > threshold) local_.list_points(box_, inside);
  return weight;
}

}  // namespace treeproof::prices
