// Leaves that predict classes.
#include <algorithm>
#include <utility>

#include "search/near/value_tallies.hpp"

namespace treeproof::near {
namespace {

// What is summed over the rows of a set: the weight of each class, then the number of table rows.
class ClassTallies {
 public:
  using Number = std::int64_t;
  explicit ClassTallies(const Problem& problem) : n_classes_(index(problem.n_classes)) {
    for (std::size_t r = 0; r < problem.label.size(); ++r)
      rows_.push_back({problem.weight[r], problem.label[r], problem.samples[r]});
  }

  std::size_t width() const { return n_classes_ + 1; }
  void add(Number* tally, std::int32_t row) const {
    const Row& own = rows_[index(row)];
    tally[own.label] += own.weight;
    tally[n_classes_] += own.samples;
  }
  Leaf leaf(const Number* tally, std::int32_t n_rows) const {
    std::int64_t total = 0;
    std::size_t most = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      total += tally[k];
      if (tally[k] > tally[most]) most = k;
    }
    return {cost_of(total - tally[most]), static_cast<std::int32_t>(most), n_rows,
            tally[n_classes_]};
  }

 private:
  struct Row {
    Weight weight;
    std::int32_t label;
    std::int64_t samples;
  };
  std::vector<Row> rows_;
  std::size_t n_classes_;
};

}  // namespace

std::unique_ptr<Leaves> class_leaves(const Problem& problem, LeafRules rules) {
  return std::make_unique<TalliedLeaves<ClassTallies>>(problem, std::move(rules),
                                                       ClassTallies(problem));
}

}  // namespace treeproof::near
