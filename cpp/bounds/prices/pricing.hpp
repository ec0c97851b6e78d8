// The heaviest box, by best-first search over fuzzy boxes.
//
// Prices are feasible for a class if no box weighs more than one split, where a point weighs its
// price less its errors. The search keeps a heap of fuzzy boxes by their bounds; what can be
// weighed at most is known at every moment: the largest of the threshold, the top of the heap and
// the heaviest box found.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bounds/prices/local_search.hpp"
#include "bounds/prices/relaxation.hpp"
#include "core/limits.hpp"

namespace treeproof::prices {

// Work is counted in steps of the innermost loops.
inline constexpr std::int64_t kStepsPerMicrosecond = 1000;

class Pricing {
 public:
  // Boxes of at most `threshold` are of no interest.
  Pricing(const Points& points, std::vector<std::int32_t> weights, std::int32_t threshold,
          LocalSearch& local, std::uint64_t most_bytes);

  // Goes on for about so many steps of the innermost loops; true when finished.
  bool run(std::int64_t work, Limits& limits);
  bool is_done() const { return heap_.empty() || heap_.front().bound <= heaviest_; }
  bool is_out_of_memory() const { return out_of_memory_; }

  // No box weighs more.
  std::int32_t most() const;
  // Boxes above the threshold that were found: their points.
  struct Found {
    std::int32_t weight;
    std::vector<std::int32_t> inside;
  };
  const std::vector<Found>& found() const { return found_; }
  std::int64_t n_nodes() const { return n_nodes_; }
  // Steps of the innermost loops since the last call.
  std::int64_t take_work() { return std::exchange(work_, 0); }

 private:
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
  void keep_found(std::int64_t weight, const Box& box);

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
  std::vector<Found> found_;
  std::int32_t heaviest_;
  std::int64_t n_nodes_ = 0;
  std::int64_t climb_at_ = 1;
  std::int64_t climb_every_;
  std::int64_t work_ = 0;
  bool out_of_memory_ = false;
};

}  // namespace treeproof::prices
