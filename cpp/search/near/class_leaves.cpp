// Leaves that predict classes.
#include <algorithm>
#include <utility>

#include "search/near/piles.hpp"

namespace treeproof::near {
namespace {

// The weight of each class, then the number of table rows.
class ClassTallies {
 public:
  using Number = std::int64_t;
  explicit ClassTallies(const Problem& problem)
      : problem_(problem), n_classes_(index(problem.n_classes)) {}

  std::size_t width() const { return n_classes_ + 1; }
  void add(Number* tally, std::int32_t row) const {
    tally[index(problem_.label[index(row)])] += problem_.weight[index(row)];
    tally[n_classes_] += problem_.samples[index(row)];
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
  const Problem& problem_;
  std::size_t n_classes_;
};

}  // namespace

std::unique_ptr<Leaves> class_leaves(const Problem& problem, LeafRules rules) {
  return std::make_unique<PiledLeaves<ClassTallies>>(problem, std::move(rules),
                                                     ClassTallies(problem));
}

}  // namespace treeproof::near
