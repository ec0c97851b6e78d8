// The heaviest box of any number of conditions, by best-first search over fuzzy boxes.
//
// The search keeps a heap of fuzzy boxes by their bounds; what can be weighed at most is known at
// every moment: the largest of the threshold, the top of the heap and the heaviest box found.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bounds/prices/local_search.hpp"
#include "bounds/prices/pricing.hpp"
#include "bounds/prices/relaxation.hpp"
#include "core/limits.hpp"

namespace treeproof::prices {

class FuzzyPricing final : public Pricing {
 public:
  // Boxes of at most `threshold` are of no interest.
  FuzzyPricing(const Points& points, std::vector<std::int32_t> weights, std::int32_t threshold,
               LocalSearch& local, std::uint64_t most_bytes);

  bool run(std::int64_t work, Limits& limits) override;
  bool is_out_of_memory() const override { return out_of_memory_; }
  std::int32_t most() const override;
  std::int64_t n_nodes() const override { return n_nodes_; }

 private:
  bool is_done() const { return heap_.empty() || heap_.front().bound <= heaviest_; }
  struct Node {
    std::int32_t bound;
    std::uint32_t place;
    bool operator<(const Node& other) const { return bound < other.bound; }
  };
  std::span<Word> words(std::uint32_t place) {
    return std::span(store_).subspan(std::size_t{place} * layout_.size(), layout_.size());
  }
  void push(std::int32_t bound, const LocalBox& box);
  void expand(const Node& node);
  void climb();

  const Points& points_;
  std::vector<std::int32_t> weights_;
  std::int32_t threshold_;
  LocalSearch& local_;
  std::uint64_t most_bytes_;
  FuzzyLayout layout_;
  Relaxation relaxation_;
  std::vector<Node> heap_;
  std::vector<Word> store_;
  std::vector<std::uint32_t> free_;
  std::vector<Word> current_;
  LocalBox part_;
  Box box_;
  Dice dice_{1};
  std::int32_t heaviest_;
  std::int64_t n_nodes_ = 0;
  std::int64_t climb_at_ = 1;
  std::int64_t climb_every_;
  bool out_of_memory_ = false;
};

class FuzzyPricer final : public Pricer {
 public:
  FuzzyPricer(const Points& points, std::uint64_t most_bytes)
      : points_(points), most_bytes_(most_bytes), local_(points) {}

  std::int64_t find(std::span<const std::int32_t> weights, std::span<const std::int32_t> tight,
                    std::int32_t threshold, Dice& dice, std::vector<std::int32_t>& inside) override;
  std::int64_t take_work() override { return local_.take_work(); }
  std::unique_ptr<Pricing> begin(std::vector<std::int32_t> weights,
                                 std::int32_t threshold) override {
    return std::make_unique<FuzzyPricing>(points_, std::move(weights), threshold, local_,
                                          most_bytes_);
  }

 private:
  const Points& points_;
  std::uint64_t most_bytes_;
  LocalSearch local_;
  Box box_;
};

}  // namespace treeproof::prices
