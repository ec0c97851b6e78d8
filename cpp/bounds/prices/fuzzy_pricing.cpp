#include "bounds/prices/fuzzy_pricing.hpp"

#include <algorithm>
#include <utility>

namespace treeproof::prices {

FuzzyPricing::FuzzyPricing(const Points& points, std::vector<std::int32_t> weights,
                           std::int32_t threshold, LocalSearch& local, std::uint64_t most_bytes)
    : points_(points), weights_(std::move(weights)), threshold_(threshold), local_(local),
      most_bytes_(most_bytes), layout_(points), relaxation_(points, weights_, threshold),
      heaviest_(threshold),
      climb_every_(std::max<std::int64_t>(
          16, points.size() * static_cast<std::int64_t>(points.columns.size()) / 300)) {
  std::int64_t positive = 0;
  for (const std::int32_t w : weights_) positive += std::max(0, w);
  if (positive <= threshold) return;
  store_ = layout_.everything(points);
  heap_.push_back({static_cast<std::int32_t>(positive), 0});
}

std::int32_t FuzzyPricing::most() const {
  return heap_.empty() ? heaviest_ : std::max(heaviest_, heap_.front().bound);
}

bool FuzzyPricing::run(std::int64_t work, Limits& limits) {
  while (!is_done()) {
    if (work <= 0 || out_of_memory_) return false;
    std::pop_heap(heap_.begin(), heap_.end());
    const Node node = heap_.back();
    heap_.pop_back();
    expand(node);
    const std::int64_t done = 1 + relaxation_.take_work() + local_.take_work();
    work -= done;
    work_ += done;
    if (limits.stop(static_cast<std::uint32_t>(1 + done / kStepsPerMicrosecond))) return false;
  }
  return true;
}

void FuzzyPricing::push(std::int32_t bound, const LocalBox& box) {
  std::uint32_t place = 0;
  if (!free_.empty()) {
    place = free_.back();
    free_.pop_back();
  } else {
    place = static_cast<std::uint32_t>(store_.size() / std::max<std::size_t>(1, layout_.size()));
    store_.resize(store_.size() + layout_.size());
    out_of_memory_ = store_.size() * sizeof(Word) > most_bytes_;
  }
  relaxation_.store(box, words(place));
  heap_.push_back({bound, place});
  std::push_heap(heap_.begin(), heap_.end());
}

void FuzzyPricing::expand(const Node& node) {
  const std::span<Word> stored = words(node.place);
  current_.assign(stored.begin(), stored.end());
  free_.push_back(node.place);
  if (!relaxation_.look_at(current_)) return;
  const Branch branch = relaxation_.choose_branch();
  if (branch.kind == Branch::Kind::none) {
    const std::int32_t weight = relaxation_.outer_weight();
    if (weight > heaviest_) {
      relaxation_.suggest(relaxation_.whole(), local_.shape(), box_);
      climb();
    }
    heaviest_ = std::max(heaviest_, weight);
    return;
  }
  for (int part = 0; part < 2; ++part) {
    relaxation_.take_part(branch, part, part_);
    ++n_nodes_;
    const std::int32_t bound = std::min(node.bound, relaxation_.tighten(part_));
    if (bound <= heaviest_) continue;
    push(bound, part_);
    if (n_nodes_ < climb_at_) continue;
    // Often at first: what is found then saves the rest of the search.
    constexpr std::int64_t kFirstNodes = 1000;
    climb_at_ = n_nodes_ + (n_nodes_ < kFirstNodes ? climb_every_ / 8 : climb_every_);
    relaxation_.suggest(part_, local_.shape(), box_);
    climb();
  }
}

// From a box to one that no single column improves.
void FuzzyPricing::climb() {
  const auto weight = static_cast<std::int32_t>(local_.climb(weights_, box_, dice_));
  if (weight <= threshold_) return;
  heaviest_ = std::max(heaviest_, weight);
  relaxation_.raise_threshold(heaviest_);
  std::vector<std::int32_t> inside;
  local_.list_points(box_, inside);
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
