// Online-BRANCHES (thesis, Chapter 7): optimal sparse trees from a sliding window, with a
// search that ends.
//
// Once n rows have arrived, each new row moves the window by one and pays for one iteration
// of the search (`branch_search.hpp`). When the root is complete the search is over, the
// tree stands, and later rows only move the window.
//
// Beyond the thesis: while the window still fills, the search runs on the rows there are,
// beginning again whenever their number reaches n/2, n/4, ..., so that the learner predicts
// with a sensible tree long before row n; these preliminary searches stand still on their
// rows and never count as the answer. A newly started search keeps predicting with the last
// tree until its own is at least as good on the rows at hand.
#pragma once

#include "stream/branch_search.hpp"
#include "stream/learner.hpp"
#include "stream/window.hpp"

namespace treeproof::stream {

struct OnlineBranchesOptions {
  double split_penalty = 0.01;
  std::int32_t window_size = 1000;
  std::int32_t iterations_per_sample = 1;
  std::int32_t numeric_bins = 16;
  std::size_t memory_limit = 0;  // bytes for the memo; 0: none
};

class OnlineBranches final : public Learner {
 public:
  explicit OnlineBranches(const OnlineBranchesOptions& options);

  void grow(const Schema& schema) override;
  void learn(Row codes, std::span<const double> numbers, std::int32_t label,
             double weight) override;
  void restart(std::int64_t recent) override;
  void reweight(std::int64_t recent, double factor) override;
  bool settle(std::int64_t steps) override;
  bool finished() const override { return final_ && search_.complete(); }
  std::size_t bytes() const override { return window_.bytes() + search_.bytes(); }
  Statistics statistics() const override;
  std::string save() override;
  void load(std::string_view bytes) override;

 private:
  template <class Archive>
  void archive(Archive& a) {
    archive_base(a);
    a(window_, search_, bins_, final_, searching_, next_start_, since_tree_, changed_, old_cost_,
      seen_, consumed_, starts_);
  }

  std::int32_t next_start_after(std::int32_t rows) const;
  void start_search();
  void bin_numbers();
  double cost_of_tree() const;
  void look_at_tree();

  static constexpr std::int32_t kFewestRows = 16;

  OnlineBranchesOptions options_;
  Window window_;
  BranchSearch search_;
  std::vector<NumericBins> bins_;  // those of the running search
  bool final_ = false;             // the search is on the full window
  bool searching_ = false;
  std::int32_t next_start_ = 0;
  std::int32_t since_tree_ = 0;  // rows since the tree was drawn from the search
  bool changed_ = false;
  double old_cost_ = 0.0;  // what the tree of the last search costs on this one's rows
  std::int64_t seen_ = 0;
  std::int64_t consumed_ = 0;  // rows until the search ended
  std::int64_t starts_ = 0;
  std::vector<Code> row_;
};

}  // namespace treeproof::stream
