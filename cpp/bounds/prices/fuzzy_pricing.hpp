// Finds the heaviest box with any number of conditions, by best-first search over fuzzy boxes.
//
// The search keeps fuzzy boxes on a heap, ordered by their upper bounds. At any moment no box
// weighs more than the largest of three numbers: the threshold, the bound at the top of the heap
// and the weight of the heaviest box found.
//
// Threads take nodes from the same heap, and each has its own memory to examine them. They work
// only while `run` is called. All nodes are on the heap again when it returns, so that the state
// between two calls does not depend on the threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
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
  // Boxes that weigh at most `threshold` are of no interest. `local` serves the calling thread.
  FuzzyPricing(const Points& points, std::vector<std::int32_t> weights, std::int32_t threshold,
               LocalSearch& local, std::uint64_t most_bytes, int n_threads = 1);

  bool run(std::int64_t work, Limits& limits) override;
  bool is_out_of_memory() const override { return out_of_memory_; }
  std::int32_t most() const override;
  std::int64_t n_nodes() const override;

 private:
  struct Node {
    std::int32_t bound;
    std::uint32_t place;
    bool operator<(const Node& other) const { return bound < other.bound; }
  };
  // The memory that one thread needs to examine a node.
  struct Worker {
    Relaxation relaxation;
    std::unique_ptr<LocalSearch> own;  // null for the calling thread
    LocalSearch* local;
    std::vector<Word> current;
    LocalBox part;
    Box box;
    Dice dice;
    std::int64_t n_nodes = 0;
    std::int64_t next_climb = 1;
  };

  bool is_done() const { return heap_.empty(); }
  std::span<Word> words(std::uint32_t place) {
    return std::span(store_).subspan(std::size_t{place} * layout_.size(), layout_.size());
  }
  void take_turns(Worker& worker, std::int64_t work, Limits& limits);
  Node take_node(Worker& worker);
  void push(const Worker& worker, std::int32_t bound, const LocalBox& box);
  std::int64_t expand(Worker& worker, std::int32_t bound);
  void weigh(Worker& worker);
  void climb(Worker& worker);

  const std::vector<std::int32_t> weights_;
  const std::int32_t threshold_;
  const std::uint64_t most_bytes_;
  const FuzzyLayout layout_;
  const std::int64_t climb_every_;
  std::vector<std::unique_ptr<Worker>> workers_;  // the first is the caller's
  std::atomic<std::int32_t> heaviest_;
  std::atomic<bool> stop_helpers_ = false;  // tells the helpers to end

  std::mutex mutex_;  // protects all that follows and the list of boxes found
  std::condition_variable changed_;
  std::vector<Node> heap_;
  std::vector<Word> store_;
  std::vector<std::uint32_t> free_;
  int n_busy_ = 0;  // threads that are examining a node
  bool out_of_memory_ = false;
};

class FuzzyPricer final : public Pricer {
 public:
  FuzzyPricer(const Points& points, std::uint64_t most_bytes, int n_threads = 1)
      : points_(points), most_bytes_(most_bytes), n_threads_(n_threads), local_(points) {}

  std::int64_t find(std::span<const std::int32_t> weights, std::span<const std::int32_t> tight,
                    std::int32_t threshold, Dice& dice, std::vector<std::int32_t>& inside) override;
  std::int64_t take_work() override { return local_.take_work(); }
  std::unique_ptr<Pricing> begin(std::vector<std::int32_t> weights,
                                 std::int32_t threshold) override {
    return std::make_unique<FuzzyPricing>(points_, std::move(weights), threshold, local_,
                                          most_bytes_, n_threads_);
  }

 private:
  const Points& points_;
  const std::uint64_t most_bytes_;
  const int n_threads_;
  LocalSearch local_;
  Box box_;
};

}  // namespace treeproof::prices
